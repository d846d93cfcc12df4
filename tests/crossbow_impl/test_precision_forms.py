"""Stronger forms train convolutions and batch norm as the plain one does, but for rounding."""

import numpy as np
import pytest
from marks import needs_cuda
from torch import nn

from bench.clock import Ledger
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.records import open_records
from models.weights import export

SETTINGS = {"learners": 2, "batch": 8, "epochs": 1, "lr": 0.02, "weight_decay": 1e-3}
ITERATIONS = 8
GRAPH = {"device_type": "cuda", "graph": True}
FASTEST = {**GRAPH, "compile": True, "channels_last": True, "precision": "bf16"}
# How far losses and statistics may be from those of fp32 on a CPU, and have to be, by rounding.
EXACT, TF32, BF16 = (1e-4, 0.0), (5e-3, 1e-5), (2e-2, 1e-3)
FORMS = [
    pytest.param({"precision": "bf16"}, BF16, id="bf16-cpu"),
    *(
        pytest.param(form, rounding, id=name, marks=[pytest.mark.gpu, needs_cuda])
        for name, form, rounding in [
            ("streams", {"device_type": "cuda"}, EXACT),
            ("graph", GRAPH, EXACT),
            ("shared-statistics", {**GRAPH, "batch_norm": "shared"}, EXACT),
            ("unrolled", {**GRAPH, "unroll": 4}, EXACT),
            ("channels-last", {**GRAPH, "channels_last": True}, EXACT),
            ("tf32", {**GRAPH, "precision": "tf32"}, TF32),
            ("bf16", {**GRAPH, "precision": "bf16"}, BF16),
            ("fastest", FASTEST, BF16),
        ]
    ),
]


def network(shape, classes):
    return nn.Sequential(  # wide enough for tensor cores
        *(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()),
        *(nn.Conv2d(16, 16, 3), nn.BatchNorm2d(16), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(576, 64), nn.ReLU(), nn.Linear(64, classes)),
    )


@pytest.fixture
def trained(spec, digits, first, tmp_path, only_model):
    """A function that trains a form: its losses, and a row of each learner's statistics."""
    only_model(network)
    records = first(open_records(digits), ITERATIONS * SETTINGS["learners"] * SETTINGS["batch"])
    weights = tmp_path / "weights.npz"
    export("small", records.shape, records.classes, 1, weights)

    def train(**form):
        cell = spec(**SETTINGS, **form)
        system = Crossbow(Context(spec=cell, records=records, weights=weights, out=tmp_path))
        system.prepare(Ledger())
        losses = system.train_epoch(0).losses
        state = system.state()
        names = [n for n in sorted(state) if "running_" in n]
        rows = np.concatenate([state[n] for n in names]).reshape(SETTINGS["learners"], -1)
        return losses, rows

    return train


@pytest.mark.parametrize(("form", "rounding"), FORMS)
def test_form_is_the_plain_one_but_for_rounding(form, rounding, trained):
    within, by = rounding
    losses, statistics = trained(**form)
    # The plain one last: torch's settings of a precision are the process's, and other tests follow.
    plain = trained(batch_norm=form.get("batch_norm", "averaged"))
    assert len(losses) == ITERATIONS
    np.testing.assert_allclose(losses, plain[0], rtol=within)
    np.testing.assert_allclose(statistics, plain[1], rtol=within, atol=within)
    assert by == 0 or np.abs(losses / plain[0] - 1).max() > by
