"""Dropout: every learner draws masks of its own, the same whenever a run is repeated or resumed."""

import dataclasses

import numpy as np
import pytest
import torch
from marks import needs_cuda
from torch import nn

from bench import random_state
from bench.clock import Ledger
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.records import open_records
from models.weights import export

CUDA = {"device_type": "cuda"}
ENGINES = [
    pytest.param({}, id="cpu"),
    *(
        pytest.param({**CUDA, **options}, id=name, marks=[pytest.mark.gpu, needs_cuda])
        for name, options in {
            "streams": {},
            "graph": {"graph": True},
            "unrolled": {"graph": True, "unroll": 3},
            "compiled-graph": {"graph": True, "compile": True},
        }.items()
    ),
]


def with_dropout(shape, classes):
    size = int(np.prod(shape))
    return nn.Sequential(
        nn.Flatten(), nn.Linear(size, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, classes)
    )


@pytest.fixture
def crossbow(spec, digits, tmp_path, only_model):
    """A function that makes a system whose model has dropout, on 60 images that are all alike."""
    only_model(with_dropout)
    records = open_records(digits)
    image = np.repeat(records.train_images[:1], 60, axis=0)
    records = dataclasses.replace(records, train_images=image, train_labels=np.full(60, 3))
    export("dropout", records.shape, records.classes, 1, tmp_path / "weights.npz")

    def make(rank=0, **fields):
        cell = spec(learners=2, batch=5, **fields)
        random_state.seed(cell.seed, rank)
        context = Context(
            spec=cell, records=records, weights=tmp_path / "weights.npz", out=tmp_path
        )
        system = Crossbow(context)
        system.prepare(Ledger())
        return system

    return make


@pytest.mark.parametrize("engine", ENGINES)
def test_learners_and_iterations_draw_different_masks(engine, crossbow):
    system = crossbow(lr=1e-12, **engine)  # the learners stay alike, and only masks differ
    seen = []
    for i in range(3):
        system.begin(system.feed.plan(0), 0, 0)
        system.run(0, 0, 1 + i)
        seen += [row.cpu().numpy().copy() for row in system.learners.g]
    assert len({row.tobytes() for row in seen}) == len(seen)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_seed_draws_the_same_masks(engine, crossbow):
    runs = [crossbow(rank, **engine) for rank in (0, 0, 1)]
    losses = []
    for rank, system in zip((0, 0, 1), runs, strict=True):
        random_state.seed(system.spec.seed, rank)
        losses.append(system.train_epoch(0).losses)
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)
    assert abs(losses[0] - losses[2]).max() > 1e-3  # another device's are its own


@pytest.mark.parametrize("engine", ENGINES)
def test_masks_go_on_after_a_restart(engine, crossbow):
    whole = crossbow(**engine)
    whole.train_epoch(0)
    state = {name: array.copy() for name, array in whole.state().items()}
    expected = whole.train_epoch(1).losses
    again = crossbow(**engine)
    again.load_state(state)
    np.testing.assert_allclose(again.train_epoch(1).losses, expected, rtol=1e-6)
    torch.testing.assert_close(again.iteration.z, whole.iteration.z, rtol=1e-4, atol=1e-6)
