"""Methods that average weights do what their papers say, on two devices, and go on where they were.

Twenty iterations over two epochs, with momentum and weight decay, mostly at a rate that always
changes. A period of 3 does not divide the ten of an epoch: the checkpoint falls into a block.
"""

import dataclasses

import averaging_oracles as oracles
import numpy as np
import pytest
from marks import ON_CPUS_AND_GPUS, needs_cuda
from softmax import flat, problem
from two_epochs import two_epochs

from data_prep.records import open_records

BATCH, PER_EPOCH = 8, 10
RUN = {"batch": BATCH, "lr": 0.05, "weight_decay": 1e-3}
RUN |= {"schedule": {"kind": "one-cycle", "warmup": 0.3}}
WEIGHTS = 4 * 650  # bytes of the model
SYSTEMS = {
    "local-sgd": "baselines.local_sgd:LocalSGD",
    "post-local-sgd": "baselines.post_local_sgd:PostLocalSGD",
    "eamsgd": "baselines.eamsgd:EAMSGD",
    "polyak": "baselines.polyak:Polyak",
    "bmuf": "baselines.bmuf:BlockMomentum",
    "diloco": "baselines.diloco:DiLoCo",
}
OUTER = {"period": 3, "rate": 0.7, "momentum": 0.9, "nesterov": True}
ADAMW = {"lr": 3e-3, "weight_decay": 0.1, "momentum": 0.8}
# System, its options, other settings, how often a run sends its weights, the oracle.
CASES = [
    ("local-sgd", {"period": 3}, {}, 6, lambda *run: oracles.local_sgd(*run, period=3)),
    (
        *("post-local-sgd", {"period": 3, "start": 0.35}, {}, 7 + 4),
        lambda *run: oracles.local_sgd(*run, period=3, start=7),
    ),
    (
        *("eamsgd", {"period": 3, "beta": 0.8}, {"schedule": {"kind": "constant"}}, 6),
        lambda *run: oracles.eamsgd(*run, period=3, beta=0.8),
    ),
    # Without momentum it is elastic averaging SGD.
    (
        *("eamsgd", {"period": 4, "beta": 0.8}, {"momentum": 0.0}, 4),
        lambda *run: oracles.eamsgd(*run, period=4, beta=0.8),
    ),
    # The centre is met in the iteration after the checkpoint, with the rate from before it.
    ("eamsgd", {"period": 5}, {}, 3, lambda *run: oracles.eamsgd(*run, period=5, beta=0.9)),
    ("polyak", {"start": 0.35}, {}, 20, lambda *run: oracles.polyak(*run, start=7, decay=0)),
    (
        *("polyak", {"start": 0.35, "decay": 0.7}, {}, 20),
        lambda *run: oracles.polyak(*run, start=7, decay=0.7),
    ),
    (
        *("bmuf", {"period": 3, "block_lr": 0.9}, {}, 6),
        lambda *run: oracles.block_momentum(*run, period=3, rate=0.9, momentum=0.5),
    ),
    (
        *("diloco", {"period": 3, "inner": "sgd"}, {}, 6),
        lambda *run: oracles.block_momentum(*run, **OUTER),
    ),
    (
        *("diloco", {"period": 3}, ADAMW, 6),
        lambda *run: oracles.block_momentum(*run, **OUTER, inner=oracles.adamw(0.8, 0.1)),
    ),
]
EVERY = pytest.mark.parametrize(
    ("system", "method", "fields", "sendings", "oracle"),
    CASES,
    ids=["-".join([case[0], *map(str, case[1].values())]) for case in CASES],
)


def few(first, digits, spec):
    return first(open_records(digits), PER_EPOCH * spec.devices * spec.batch)


def problem_of(spec, records, path):
    """With weight decay in the gradient, unless the optimiser has it elsewhere."""
    adamw = spec.method.get("inner") == "adamw"
    return problem(dataclasses.replace(spec, weight_decay=0.0) if adamw else spec, records, path)


def compare(ranks, problem, weights, counted, losses):
    for actual, w in zip(ranks, weights, strict=True):
        np.testing.assert_allclose(flat(actual, "model."), w, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(actual["losses"], losses, rtol=1e-5)
    np.testing.assert_allclose(ranks[0]["logits"], problem.logits(counted), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("form", ON_CPUS_AND_GPUS)
@EVERY
def test_steps_are_the_papers(
    system, method, fields, sendings, oracle, form, spec, digits, weights, first, tmp_path
):
    cell = spec(system, **{**RUN, **fields, **form, "method": method})
    records, path = few(first, digits, cell), weights("logistic")
    ranks = two_epochs(SYSTEMS[system], cell, records, path, tmp_path / "run")
    task = problem_of(cell, records, path)
    expected = oracle(task, cell)
    compare(ranks, task, *expected)
    if cell.devices == 1:
        return
    assert [rank["sent_bytes"] for rank in ranks] == [sendings * WEIGHTS] * cell.devices
    _, ssgd, _ = oracles.local_sgd(task, cell, start=2 * PER_EPOCH)
    assert np.abs(task.logits(expected[1]) - task.logits(ssgd)).max() > 1e-2  # it is not S-SGD


@pytest.mark.gpu
@needs_cuda
@pytest.mark.parametrize("decay", [0.0, 0.7])
def test_iterates_of_a_captured_step_are_averaged(decay, spec, digits, weights, first, tmp_path):
    method = {"start": 0.35, "decay": decay}
    cell = spec("polyak", **RUN, device_type="cuda", graph=True, method=method)
    records, path = few(first, digits, cell), weights("logistic")
    ranks = two_epochs(SYSTEMS["polyak"], cell, records, path, tmp_path / "run")
    task = problem_of(cell, records, path)
    compare(ranks, task, *oracles.polyak(task, cell, start=7, decay=decay))


@pytest.mark.parametrize(
    ("system", "method"),
    [
        ("local-sgd", {"period": 3}),
        ("post-local-sgd", {"period": 3}),
        ("bmuf", {"period": 3, "block_momentum": 0.0}),  # 1 - 1/N
        ("diloco", {"period": 3, "inner": "sgd", "outer_lr": 1.0, "outer_momentum": 0.0}),
        ("polyak", {}),
    ],
)
def test_one_device_trains_by_sgd(system, method, spec, digits, weights, first, tmp_path):
    cell = spec(system, **RUN, method=method)
    records, path = few(first, digits, cell), weights("logistic")
    (actual,) = two_epochs(SYSTEMS[system], cell, records, path, tmp_path / "run")
    (w,), _, losses = oracles.local_sgd(problem(cell, records, path), cell)
    np.testing.assert_allclose(flat(actual, "model."), w, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(actual["losses"], losses, rtol=1e-5)
    assert actual["sent_bytes"] == 0
