"""Layers that are one chunk are gathered and scattered together, and train as they would alone."""

import functools
import importlib

import numpy as np
import pytest
from torch.profiler import ProfilerActivity, profile

from baselines.fsdp import chunks
from bench.clock import Ledger
from bench.ranks import on_devices
from bench.system import Context
from data_prep.records import open_records
from models.resnet_cifar import NETWORKS

SYSTEMS = {"pytorch": ("pytorch_ssgd", "PyTorchSSGD"), "fsdp": ("fsdp", "FSDP")}
STEPS = 3
GATHERS, SCATTERS = "c10d::_allgather_base_", "c10d::_reduce_scatter_base_"


def train(rank, context):
    """A few steps; how often the last gathers and scatters."""
    context = context(rank=rank)
    module, name = SYSTEMS[context.spec.system]
    system = getattr(importlib.import_module(f"baselines.{module}"), name)(context)
    system.prepare(Ledger())
    system.model.train()
    system.begin(0)
    system.run(STEPS - 1)
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        system.run(1)
    counts = {of.key: of.count for of in profiled.key_averages()}
    operations = [counts.get(operation, 0) for operation in (GATHERS, SCATTERS)]
    np.savez(context.out / f"{rank}.npz", losses=system.losses[:STEPS], operations=operations)


@pytest.fixture
def of_two(spec, digits, weights, tmp_path):
    """What each of two ranks has done, by system, model and options."""

    def trained(system, model, method):
        cell = spec(system, model=model, devices=2, method=method, lr=0.002)
        folder = tmp_path / system
        folder.mkdir()
        context = functools.partial(
            Context, spec=cell, records=open_records(digits), weights=weights(model), out=folder,
            ranks=2,
        )  # fmt: skip
        on_devices(cell, functools.partial(train, context=context))
        return [dict(np.load(folder / f"{rank}.npz")) for rank in range(2)]

    return trained


@pytest.mark.parametrize(
    ("model", "method", "gathers", "scatters"),
    [
        # Two convolutions, a linear layer of 1 MiB and its bias, and a small one: 1.2 MiB.
        ("lenet", {}, 2 * 4, 4),
        ("lenet", {"reshard_after_forward": False}, 4, 4),
        ("lenet", {"chunk_mb": 1}, 2 * 3, 3),
        ("lenet", {"chunk_mb": 2}, 2 * 1, 1),
        ("lenet", {"chunk_mb": 2, "reshard_after_forward": False}, 1, 1),
        # 1.05 MiB: a convolution, its norm, nine residual units, and the linear layer.
        ("resnet20", {}, 2 * 12, 12),
        ("resnet20", {"chunk_mb": 1}, 2 * 2, 2),
    ],
    ids=str,
)
def test_a_chunk_is_gathered_at_once_and_the_steps_are_those_of_ssgd(
    model, method, gathers, scatters, of_two
):
    plain, ranks = of_two("pytorch", model, {}), of_two("fsdp", model, method)
    for expected, actual in zip(plain, ranks, strict=True):
        np.testing.assert_allclose(actual["losses"], expected["losses"], rtol=1e-4)
        assert actual["operations"].tolist() == [gathers, scatters]


def test_chunks_are_consecutive_and_no_larger_than_asked_for():
    (network,) = (network for network in NETWORKS if network.name == "resnet32")
    layers = list(network.torch_model((32, 32, 3), 10).children())
    for most in (0, 1, 2):
        found = chunks(layers, most)
        together = [layer for chunk in found for layer in chunk]
        assert together == [layer for layer in layers if list(layer.parameters())]
        for chunk in found:
            size = sum(parameter.nbytes for layer in chunk for parameter in layer.parameters())
            assert len(chunk) == 1 or size <= most * 2**20
    assert len(chunks(layers, 1)) == 2
