"""Every engine, variant and number of learners and devices computes what the NumPy oracle does."""

import numpy as np
import pytest
import torch
from marks import needs_cuda
from oracle import train as oracle
from steps import steps

import models
from bench.clock import Ledger
from bench.schedules import learning_rate
from bench.system import Context
from crossbow_impl.layout import Layout
from crossbow_impl.train import Crossbow
from data_prep.feed import Feed
from data_prep.records import open_records
from models.weights import read

ITERATIONS = 12
# Every way to run the same algorithm; fp32 alone is exact enough to compare.
CUDA = {"device_type": "cuda"}
ENGINES = [
    pytest.param({}, id="cpu"),
    pytest.param({"compile": True}, id="compiled-cpu"),
    *(
        pytest.param(options, id=name, marks=[pytest.mark.gpu, needs_cuda])
        for name, options in {
            "streams": CUDA,
            "graph": {**CUDA, "graph": True},
            "compiled-streams": {**CUDA, "compile": True},
            "compiled-graph": {**CUDA, "compile": True, "graph": True},
            "channels-last-graph": {**CUDA, "channels_last": True, "graph": True},
        }.items()
    ),
]
UNROLLED = [
    pytest.param({"unroll": 4}, id="unrolled-cpu"),
    pytest.param(
        {**CUDA, "graph": True, "unroll": 4}, id="unrolled", marks=[pytest.mark.gpu, needs_cuda]
    ),
]
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
        spec.weight_decay, spec.tau, restarts,
    )  # fmt: skip


def compare(actual, expected_w, expected_z, expected_losses):
    layout = Layout(models.load("logistic").torch_model((8, 8, 1), 10))
    dense = {name: layout.dense(torch.from_numpy(actual[name])).numpy() for name in ("w", "z")}
    np.testing.assert_allclose(actual["losses"], expected_losses, rtol=2e-5, atol=1e-6)
    np.testing.assert_allclose(dense["w"], expected_w, rtol=2e-4, atol=2e-6)
    np.testing.assert_allclose(dense["z"], expected_z, rtol=2e-4, atol=2e-6)


@pytest.mark.parametrize("m", [1, 2, 4, 8])
@pytest.mark.parametrize(
    ("variant", "momentum", "alpha", "mu"),
    [
        ("algorithm-1", 0.0, None, 0.9),
        ("algorithm-1", 0.0, 0.05, 0.3),
        ("released", 0.9, 0.1, 0.9),
        ("kungfu", 0.0, 0.1, 0.0),
        ("ea-sgd", 0.0, 0.1, 0.0),
        ("ea-sgd", 0.9, 0.05, 0.0),
        ("ssgd", 0.9, None, 0.0),
    ],
)
@pytest.mark.parametrize("engine", ENGINES + UNROLLED)
def test_one_device(
    engine, m, variant, momentum, alpha, mu, spec, digits, weights, first, tmp_path
):
    records = first(open_records(digits), ITERATIONS * m * 8)
    cell = spec(
        variant=variant,
        momentum=momentum,
        alpha=alpha,
        mu=mu,
        learners=m,
        weight_decay=1e-3,
        epochs=1,
        schedule=STEP,
        **engine,
    )
    path = weights("logistic")
    system = Crossbow(Context(spec=cell, records=records, weights=path, out=tmp_path))
    system.prepare(Ledger())
    losses = system.train_epoch(0).losses
    z, w, expected_losses = expectation(cell, records, path, m)
    compare({"losses": losses, **system.state()}, w, z, expected_losses)


@pytest.mark.parametrize(
    ("variant", "mu", "tau"),
    [("released", 0.9, 2), ("released", 0.9, 3), ("algorithm-1", 0.5, 3), ("ea-sgd", 0.0, 2)],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_synchronising_less_often(engine, variant, mu, tau, spec, digits, weights, first, tmp_path):
    m, momentum = 2, 0.0 if variant == "algorithm-1" else 0.9
    records = first(open_records(digits), ITERATIONS * m * 8)
    averaging = {"variant": variant, "mu": mu, "momentum": momentum, "tau": tau}
    cell = spec(learners=m, alpha=0.2, epochs=1, **averaging, **engine)
    system = Crossbow(
        Context(spec=cell, records=records, weights=weights("logistic"), out=tmp_path)
    )
    system.prepare(Ledger())
    losses = system.train_epoch(0).losses
    z, w, expected_losses = expectation(cell, records, weights("logistic"), m)
    compare({"losses": losses, **system.state()}, w, z, expected_losses)


# A process per device starts slowly: every engine once, and two of them in more ways.
# Variant, devices, learners of each, iterations from one synchronisation to the next.
ONCE = ("released", 2, 2, 1)
MORE = [
    *((variant, 2, 2, 1) for variant in ("algorithm-1", "kungfu", "ea-sgd", "ssgd")),
    *(("released", devices, 2, 1) for devices in (4, 8)),
    *(("released", 2, m, tau) for m, tau in ((1, 1), (4, 3), (8, 1))),
]
CASES = [
    (engine, *case)
    for engine in ENGINES
    for case in [ONCE, *(MORE if engine.id in ("cpu", "graph") else [])]
]


@pytest.mark.parametrize(
    ("engine", "variant", "devices", "m", "tau"),
    [
        pytest.param(
            *engine.values, *case, marks=engine.marks, id="-".join((engine.id, *map(str, case)))
        )
        for engine, *case in CASES
    ],
)
def test_several_devices(engine, variant, devices, m, tau, spec, digits, weights, first, tmp_path):
    if "device_type" in engine and torch.cuda.device_count() < devices:
        pytest.skip(f"needs {devices} CUDA devices: run `make gpu-test` where there are")
    images = 32  # of an iteration
    samples = ITERATIONS * images
    momentum = 0.9 if variant in ("released", "ea-sgd", "ssgd") else 0.0
    cell = spec(
        variant=variant,
        momentum=momentum,
        alpha=0.1,
        mu=0.0 if variant == "ea-sgd" else 0.5,
        tau=tau,
        learners=m,
        batch=images // (m * devices),
        devices=devices,
        epochs=1,
        augmentation="crop_flip",
        schedule=STEP,
        **engine,
    )
    path = weights("logistic")
    ranks = steps("crossbow_impl.train:Crossbow", cell, digits, path, samples, tmp_path / "run")
    z, w, losses = expectation(cell, first(open_records(digits), samples), path, m * devices)
    for rank, actual in enumerate(ranks):
        compare(actual, w[rank * m : (rank + 1) * m], z, losses)
    for rank in ranks:  # all devices have the same z, to the bit
        assert np.array_equal(rank["z"], ranks[0]["z"])
