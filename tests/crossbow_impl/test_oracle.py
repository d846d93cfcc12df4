"""Every engine, variant and number of learners and devices computes what the NumPy oracle does."""

import dataclasses

import numpy as np
import pytest
import torch
from oracle import train as oracle
from steps import steps

from bench.schedules import learning_rate
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.feed import Feed
from data_prep.records import open_records
from models.weights import read

ITERATIONS = 12
STEP = {"kind": "step", "at": [0.5], "factor": 0.1}


def expectation(spec, records, weights, k):
    """z, learners and losses by the oracle, on the batches that the feed gives."""
    feed = Feed(records, spec.augmentation, spec.seed)
    plan = feed.plan(0)

    def batches(i, j):
        start = (i * k + j) * spec.batch
        return feed.batch(plan[start : start + spec.batch])

    positions = [i * k * spec.batch / feed.samples for i in range(ITERATIONS)]
    rates = [learning_rate(spec.schedule, spec.lr, p, spec.epochs) for p in positions]
    restarts = [i for i in range(1, ITERATIONS) if rates[i] < rates[i - 1]]
    if spec.schedule["kind"] == "step":
        assert len(restarts) == 1  # the restart from z is part of what is compared
    alpha = 1 / k if spec.alpha is None else spec.alpha
    return oracle(
        read(weights), batches, k, spec.variant, rates, alpha, spec.mu, spec.momentum,
        spec.weight_decay, restarts,
    )  # fmt: skip


def compare(actual, expected_w, expected_z, expected_losses):
    np.testing.assert_allclose(actual["losses"], expected_losses, rtol=2e-5, atol=1e-6)
    np.testing.assert_allclose(actual["w"], expected_w, rtol=2e-4, atol=2e-6)
    np.testing.assert_allclose(actual["z"], expected_z, rtol=2e-4, atol=2e-6)


@pytest.fixture(autouse=True)
def full_precision():
    """float32 matrix products, not TF32, whatever the machine's default."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False


@pytest.mark.parametrize("m", [1, 2, 4, 8])
@pytest.mark.parametrize(
    ("variant", "momentum", "alpha", "mu"),
    [
        ("algorithm-1", 0.0, None, 0.9),
        ("algorithm-1", 0.0, 0.05, 0.3),
        ("released", 0.9, 0.1, 0.9),
        ("kungfu", 0.0, 0.1, 0.0),
    ],
)
def test_one_device(device_type, m, variant, momentum, alpha, mu, spec, digits, weights, tmp_path):
    samples = ITERATIONS * m * 8
    records = open_records(digits)
    records = dataclasses.replace(
        records,
        train_images=records.train_images[:samples],
        train_labels=records.train_labels[:samples],
    )
    cell = spec(
        variant=variant,
        momentum=momentum,
        alpha=alpha,
        mu=mu,
        learners=m,
        device_type=device_type,
        weight_decay=1e-3,
        epochs=1,
        schedule=STEP,
    )
    path = weights("logistic")
    system = Crossbow(Context(spec=cell, records=records, weights=path, out=tmp_path))
    losses = system.train_epoch(0).losses
    z, w, expected_losses = expectation(cell, records, path, m)
    compare({"losses": losses, **system.state()}, w, z, expected_losses)


@pytest.mark.parametrize("variant", ["algorithm-1", "released", "kungfu"])
def test_two_devices(device_type, variant, spec, digits, weights, first, tmp_path):
    if device_type == "cuda" and torch.cuda.device_count() < 2:
        pytest.skip("needs two CUDA devices")
    m, devices, b = 2, 2, 8
    samples = ITERATIONS * m * devices * b
    momentum = 0.9 if variant == "released" else 0.0
    cell = spec(
        variant=variant,
        momentum=momentum,
        alpha=0.1,
        mu=0.5,
        learners=m,
        devices=devices,
        device_type=device_type,
        epochs=1,
        augmentation="crop_flip",
        schedule=STEP,
    )
    path = weights("logistic")
    ranks = steps("crossbow_impl.train:Crossbow", cell, digits, path, samples, tmp_path / "run")
    z, w, losses = expectation(cell, first(open_records(digits), samples), path, m * devices)
    for rank, actual in enumerate(ranks):
        compare(actual, w[rank * m : (rank + 1) * m], z, losses)
    assert np.array_equal(ranks[0]["z"], ranks[1]["z"])  # both devices have the same z, to the bit
