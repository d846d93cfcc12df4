"""Every system in torch trains a network that is in part frozen, and that part stays as it was."""

import dataclasses
import functools
import importlib
from pathlib import Path

import numpy as np
import pytest
from frozen import FROZEN
from steps import steps

from baselines.served_training import connected
from bench.clock import Ledger
from bench.spec import RELEASED, RunSpec
from bench.system import Context
from bench.systems import KERAS, SYSTEMS
from data_prep.records import open_records
from models.weights import COUNTER, TORCH_TO_KERAS, export, read, save

NETWORK = str(Path(__file__).parent / "frozen.py")
DEVICES, ITERATIONS = 2, 12
FIELDS = {
    **{"model": "frozen", "model_source": NETWORK, "dataset": "digits", "devices": DEVICES},
    **{"batch": 8, "seed": 1, "epochs": 1, "target": 0.9, "lr": 0.05},
    **{"momentum": 0.9, "weight_decay": 1e-3},  # which moves even weights without a gradient
}
AVERAGING = {"crossbow": {"variant": RELEASED, "mu": 0.9, "learners": 2}}
TRAINED = sorted(set(SYSTEMS) - KERAS)
# Several messages and moves of what is meant to be moved, in few iterations.
PERIODIC = ("local-sgd", "post-local-sgd", "eamsgd", "bmuf", "diloco")
METHODS = {system: {"period": 3} for system in PERIODIC}
METHODS |= {"ones": {"population": 2}, "topk": {"density": 0.1, "warmup_epochs": 0}}
# They take the steps of S-SGD, each in a way of its own.
AS_SSGD = ("sufficient-factors", "zero", "fsdp", "noise-scale")
# How often what is trained is sent, each time whole.
SENDINGS = {"pytorch": 12, "lars": 12, "lamb": 12, "polyak": 12, "post-local-sgd": 6 + 2}
SENDINGS |= {"local-sgd": 4, "bmuf": 4, "diloco": 4, "eamsgd": 3, "downpour": 12, "ssp": 12}
SENDINGS |= {"hogwild": 0}


def build_of(system):
    """The class of a system, which its module defines beside others."""
    module = importlib.import_module(
        "crossbow_impl.train" if system == "crossbow" else SYSTEMS[system]
    )
    own = [of for of in vars(module).values() if getattr(of, "__module__", "") == module.__name__]
    (build,) = [of for of in own if hasattr(of, "train_epoch")]
    return build


def train(rank, cells, context):
    """All systems in one group of processes, which is what takes long to start."""
    for cell in cells:
        system = build_of(cell.system)(context(spec=cell, rank=rank))
        system.prepare(Ledger())
        told = system.train_epoch(0).sent_bytes
        counts = system.center.network if cell.system == "crossbow" else system.tested
        network = getattr(counts, "module", counts)
        arrays = {name: t.numpy() for name, t in network.state_dict().items()}
        np.savez(context.keywords["out"] / f"{cell.system}-{rank}.npz", sent_bytes=told, **arrays)


@pytest.fixture(scope="module")
def results(digits, tmp_path_factory):
    """A function from a system and a rank to what is evaluated; of rank -1, the initial weights."""
    folder, whole = tmp_path_factory.mktemp("frozen"), open_records(digits)
    n = DEVICES * FIELDS["batch"] * ITERATIONS
    few = {"train_images": whole.train_images[:n], "train_labels": whole.train_labels[:n]}
    records, weights = dataclasses.replace(whole, **few), folder / "weights.npz"
    export("frozen", records.shape, records.classes, 1, weights, NETWORK)
    cells = [
        RunSpec(system=name, method=METHODS.get(name, {}), **FIELDS, **AVERAGING.get(name, {}))
        for name in TRAINED
    ]
    context = functools.partial(
        Context, records=records, weights=weights, out=folder, ranks=DEVICES
    )
    connected(cells[0], functools.partial(train, cells=cells, context=context))
    return lambda name, rank: read(weights if rank < 0 else folder / f"{name}-{rank}.npz")


@pytest.mark.parametrize("system", TRAINED)
def test_frozen_weights_stay_and_others_are_trained(system, results):
    before = results(system, -1)
    for after in (results(system, rank) for rank in range(DEVICES)):
        for name in (name for name in before if not name.endswith(COUNTER)):
            assert np.array_equal(after[name], before[name]) == (name in FROZEN), name


@pytest.mark.parametrize("system", AS_SSGD)
def test_the_others_are_trained_as_by_ssgd(system, results):
    after, expected = results(system, 0), results("pytorch", 0)
    for name in set(expected) - {"sent_bytes"}:
        np.testing.assert_allclose(after[name], expected[name], rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("system", SENDINGS)
def test_nothing_is_sent_of_what_is_frozen(system, results):
    before = results(system, -1)
    parameters = {name for name in before if name.endswith((".weight", ".bias"))}
    size = sum(4 * before[name].size for name in parameters - FROZEN)
    sent = max(results(system, rank)["sent_bytes"] for rank in range(DEVICES))
    assert sent == SENDINGS[system] * size


def test_tensorflow_trains_as_pytorch_does(digits, results, tmp_path, monkeypatch):
    """Of tensors that are frozen: a batch norm of Keras that is not trainable is no longer one."""
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")  # its batch norm rounds by more
    before, weights = results("pytorch", -1), tmp_path / "weights.npz"
    save(before, weights)
    fields = {**FIELDS, "devices": 1, "lr": 0.01}
    samples = FIELDS["batch"] * ITERATIONS
    (plain,), (keras,) = (
        steps(system, RunSpec(system=name, **fields), digits, weights, samples, tmp_path / name)
        for name, system in (
            ("pytorch", "baselines.pytorch_ssgd:PyTorchSSGD"),
            ("tensorflow", "baselines.tensorflow_ssgd:TensorFlowSSGD"),
        )
    )
    np.testing.assert_allclose(keras["losses"], plain["losses"], rtol=1e-4)
    names = [name for name in before if not name.endswith(COUNTER)]
    for i, name in enumerate(names):
        there, here = (
            keras[f"model.{i}"],
            before[name].transpose(TORCH_TO_KERAS.get(before[name].ndim)),
        )
        assert np.array_equal(there, here) == (name in FROZEN), name
