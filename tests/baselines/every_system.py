"""Every system in torch, prepared to be trained on two devices."""

import dataclasses
import functools
import importlib

import numpy as np

from baselines.served_training import connected
from bench.clock import Ledger
from bench.spec import RELEASED, RunSpec
from bench.system import Context
from bench.systems import KERAS, SYSTEMS

NAMES = sorted(set(SYSTEMS) - KERAS)
DEVICES, ITERATIONS, BATCH = 2, 12, 8  # of crossbow, with two learners, half the iterations
AVERAGING = {"crossbow": {"variant": RELEASED, "mu": 0.9, "learners": 2}}
# Several messages and moves of what is meant to be moved, in few iterations.
PERIODIC = ("local-sgd", "post-local-sgd", "eamsgd", "bmuf", "diloco")
METHODS = {system: {"period": 3} for system in PERIODIC}
METHODS |= {"ones": {"population": 2}, "topk": {"density": 0.1, "warmup_epochs": 0}}


def cell_of(system, **fields):
    """A run of the system."""
    defaults = {
        **{"system": system, "dataset": "digits", "devices": DEVICES, "batch": BATCH, "seed": 1},
        **{"epochs": 1, "target": 0.9, "lr": 0.05, "momentum": 0.9, "weight_decay": 1e-3},
        **{"method": METHODS.get(system, {}), **AVERAGING.get(system, {})},
    }
    return RunSpec(**{**defaults, **fields})


def on_each(cells, records, weights, folder, work, wrapped=lambda build: build):
    """Write the arrays that `work` returns of each cell's system to SYSTEM-RANK.npz in `folder`.

    Of its class, `wrapped` makes the one that is trained. All are in one group of processes, which
    is what takes long to start.
    """
    n = DEVICES * BATCH * ITERATIONS
    few = {"train_images": records.train_images[:n], "train_labels": records.train_labels[:n]}
    records = dataclasses.replace(records, **few)
    context = functools.partial(
        Context, records=records, weights=weights, out=folder, ranks=DEVICES
    )
    work_of = functools.partial(_rank, cells=cells, context=context, work=work, wrapped=wrapped)
    connected(cells[0], work_of)


def _rank(rank, cells, context, work, wrapped):
    for cell in cells:
        system = wrapped(build_of(cell.system))(context(spec=cell, rank=rank))
        system.prepare(Ledger())
        np.savez(context.keywords["out"] / f"{cell.system}-{rank}.npz", **work(system))


def counted(system):
    """The tensors, by name, of the network that counts after an epoch."""
    network = system.center.network if hasattr(system, "center") else system.tested
    tensors = getattr(network, "module", network).state_dict().items()
    return {name: tensor.numpy() for name, tensor in tensors}


def build_of(system):
    """The class of a system, which its module defines beside others."""
    name = "crossbow_impl.train" if system == "crossbow" else SYSTEMS[system]
    own = vars(importlib.import_module(name)).values()
    own = [of for of in own if getattr(of, "__module__", "") == name]
    (build,) = [of for of in own if hasattr(of, "train_epoch")]
    return build
