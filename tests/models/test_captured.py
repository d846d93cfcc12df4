"""A training step of every kind of network, dropout included, fits into a CUDA graph."""

import numpy as np
import pytest
import torch
from kinds import KINDS
from marks import needs_cuda

import models
from bench import random_state
from bench.clock import Ledger
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.records import Records
from models.weights import export

GPU = [pytest.mark.gpu, needs_cuda]
CAPTURED = {"device_type": "cuda", "graph": True}
CASES = [
    pytest.param("lenet", {}, id="lenet-cpu"),
    *(pytest.param(name, CAPTURED, id=name, marks=GPU) for name in KINDS),
    *(
        pytest.param(name, CAPTURED | {"compile": True}, id=f"{name}-compiled", marks=GPU)
        for name in ("convnet", "resnet20", "googlenet_bn")
    ),
]


def synthetic(shape):
    """24 images of noise, for three iterations of two learners with batches of four."""
    rng = np.random.default_rng(0)
    images, labels = rng.integers(0, 256, (24, *shape), np.uint8), rng.integers(0, 10, 24)
    half = np.full(shape[2], 0.5, np.float32)
    return Records(
        name="noise", train_images=images, train_labels=labels, test_images=images[:8],
        test_labels=labels[:8], classes=10, shape=shape, mean=half, std=half, hashes={},
    )  # fmt: skip


@pytest.fixture
def losses(spec, tmp_path, monkeypatch):
    """A function that trains for three iterations."""
    # Or sums in any order, which a batch norm over four images makes a hundredth of the third loss.
    monkeypatch.setattr(torch.backends.cudnn, "deterministic", True)

    def train(name, **options):
        shape = KINDS[name]
        cell = spec(model=name, learners=2, batch=4, lr=1e-5, momentum=0.0, mu=0.0, **options)
        path = tmp_path / "weights.npz"
        export(name, shape, 10, 1, path)
        random_state.seed(cell.seed, 0)
        context = Context(spec=cell, records=synthetic(shape), weights=path, out=tmp_path)
        system = Crossbow(context)
        system.prepare(Ledger())
        before = system.iteration.z.clone()
        found = system.train_epoch(0).losses
        assert not torch.equal(before, system.iteration.z)
        return found

    return train


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_training_step_can_be_captured(name, options, losses):
    found = losses(name, **options)
    assert len(found) == 3 and np.isfinite(found).all()
    module = models.load(name).torch_model(KINDS[name], 10)
    if not any(isinstance(layer, torch.nn.Dropout) for layer in module.modules()):
        expected = losses(name, **{**options, "graph": False, "compile": False})
        np.testing.assert_allclose(found, expected, rtol=1e-2)
