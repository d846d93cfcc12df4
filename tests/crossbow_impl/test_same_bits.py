"""Trained again, Crossbow ends with the same bits: a difference that moves would be a race."""

import functools

import numpy as np
import pytest
import torch
from marks import ON_CPUS_AND_GPUS

from bench.clock import Ledger
from bench.ranks import on_devices
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.records import open_records

EPOCHS = {"cpu": 2, "cuda": 20}  # a race may need hundreds of iterations to show


def ended(rank, cell, records, weights):
    """What a rank has after its epochs."""
    context = Context(
        spec=cell, records=open_records(records), weights=weights, out=weights.parent,
        rank=rank, ranks=cell.devices,
    )  # fmt: skip
    system = Crossbow(context)
    system.prepare(Ledger())
    for epoch in range(cell.epochs):
        system.train_epoch(epoch)
    state = system.state()
    del state["random"]  # the process's, which goes on
    return state


def twice(rank, **run):
    """One rank of both trainings."""
    torch.backends.cudnn.deterministic = True  # or cuDNN may add in any order
    once, again = ended(rank, **run), ended(rank, **run)
    for name, array in once.items():
        assert np.array_equal(array, again[name]), f"{name} of rank {rank}"


@pytest.mark.parametrize("where", ON_CPUS_AND_GPUS)
def test_trained_again_all_bits_are_the_same(where, spec, digits, weights, monkeypatch):
    """Of convolutions and batch norm, whose kernels run beside the all-reduce."""
    monkeypatch.setattr(torch.backends.cudnn, "deterministic", False)  # put back: one GPU is here
    device_type = where.get("device_type", "cpu")
    cell = spec(
        model="resnet20", augmentation="crop_flip", learners=2, batch=8, momentum=0.9, mu=0.9,
        variant="released", epochs=EPOCHS[device_type], graph=device_type == "cuda", **where,
    )  # fmt: skip
    run = {"cell": cell, "records": digits, "weights": weights("resnet20")}
    on_devices(cell, functools.partial(twice, **run))
