"""Methods that offer torch.compile have all of a network compiled, and train it the same."""

import functools
from pathlib import Path

import numpy as np
import pytest
import torch
from every_system import DEVICES, NAMES, cell_of, counted, on_each
from in_turns import in_turns
from torch._dynamo.utils import counters

from baselines.hogwild import Hogwild
from baselines.served_training import ServedTraining
from bench.systems import STEP_OPTIONS
from data_prep.records import open_records
from models.weights import export

OFFERED = [name for name in NAMES if "compile" in STEP_OPTIONS[name]]
FIELDS = {"model": "normed", "model_source": str(Path(__file__).parent / "normed.py")}
# Gradients come in another order, and torch draws the first Q in that: it has one matrix alone.
ONE_MATRIX = {"method": {"rank": 3}}


def train(system):
    """What an epoch makes, and how torch took the network."""
    losses = system.train_epoch(0).losses
    graphs, breaks = counters["stats"]["unique_graphs"], len(counters["graph_break"])
    forget_compiled()
    return {"losses": losses, "graphs": graphs, "breaks": breaks, **counted(system)}


def forget_compiled():
    torch.compiler.reset()
    counters.clear()


def repeatable(build):
    return in_turns(build) if issubclass(build, (ServedTraining, Hogwild)) else build


@pytest.fixture(scope="module")
def results(digits, tmp_path_factory):
    """A function from a system, a rank and whether it is compiled to what `train` returned there.

    No code is generated, which is what takes longest.
    """
    records, folder = open_records(digits), tmp_path_factory.mktemp("compiled")
    export("normed", records.shape, records.classes, 1, folder / "w.npz", FIELDS["model_source"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "compile", functools.partial(torch.compile, backend="aot_eager"))
        forget_compiled()  # what tests before this one did, which ranks, as forks, would count
        for compiled in (False, True):
            (folder / str(compiled)).mkdir()
            fields = FIELDS | {"compile": compiled}
            cells = [
                cell_of(name, **fields, **(ONE_MATRIX if name == "powersgd" else {}))
                for name in OFFERED
            ]
            on_each(cells, records, folder / "w.npz", folder / str(compiled), train, repeatable)
    return lambda system, rank, compiled: np.load(folder / str(compiled) / f"{system}-{rank}.npz")


@pytest.mark.parametrize("system", OFFERED)
def test_a_compiled_network_is_trained_the_same(system, results):
    for rank in range(DEVICES):
        plain, compiled = (dict(results(system, rank, of)) for of in (False, True))
        found = [(of.pop("graphs") > 0, of.pop("breaks") > 0) for of in (plain, compiled)]
        # Between its hooks are torch's own layers, which torch does not compile one by one.
        assert found == [(False, False), (False, True) if system == "fsdp" else (True, False)]
        for name, expected in plain.items():
            np.testing.assert_allclose(
                compiled[name], expected, rtol=1e-5, atol=1e-6, err_msg=f"{name} of rank {rank}"
            )
