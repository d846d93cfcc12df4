"""Asynchronous methods do what their papers say, and go on where they were.

Their runs are not the same twice. Here devices take turns (`in_turns.py`), so that there is one
order to compare with; in `test_without_turns_all_updates_add_up` they do not.
"""

import functools

import asynchronous_oracles as oracles
import numpy as np
import pytest
import torch
import torch.distributed as dist
from in_turns import two_epochs_in_turns
from marks import ON_CPUS_AND_GPUS
from softmax import flat, problem
from steps import steps

from baselines.hogwild import Hogwild
from baselines.parameter_server import ParameterServer
from bench.system import Context
from bench.systems import CPU_ONLY
from data_prep.records import open_records

DEVICES, BATCH, PER_EPOCH = 2, 8, 10
COMMON = {"batch": BATCH, "weight_decay": 1e-3, "momentum": 0.9, "lr": 0.02}
CHANGING = {"schedule": {"kind": "one-cycle", "warmup": 0.3}}
WEIGHTS = 4 * 650  # bytes
SYSTEMS = {
    "downpour": "baselines.downpour:Downpour",
    "ssp": "baselines.ssp:StaleSynchronous",
    "hogwild": "baselines.hogwild:Hogwild",
}
SGD = functools.partial(oracles.downpour, push=1, fetch=1)  # of one device
# System, options, oracle, and how often in 20 iterations device 1 pushes or, where that is more,
# the server sends it weights; at an epoch's end it pushes the rest.
CASES = [
    ("downpour", {"push": 1, "fetch": 8}, oracles.downpour, 20),
    ("downpour", {"push": 3, "fetch": 4}, oracles.downpour, 8),
    ("downpour", {"push": 5, "fetch": 2}, oracles.downpour, 10),
    ("ssp", {"slack": 2}, oracles.ssp, 20),
    ("hogwild", {}, oracles.hogwild, 0),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request):
    return request.param


def check(case, cell, digits, weights, first, folder):
    system, method, oracle, sendings = case
    records = first(open_records(digits), cell.devices * BATCH * PER_EPOCH)
    expected = problem(cell, records, weights("logistic"))
    w, losses, stale = oracle(expected, cell.devices, cell.momentum, PER_EPOCH, **method)
    ranks = two_epochs_in_turns(SYSTEMS[system], cell, records, weights("logistic"), folder)
    for rank in ranks:
        np.testing.assert_allclose(rank["losses"], losses, rtol=1e-5)
        np.testing.assert_allclose(flat(rank, "model."), w, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ranks[0]["logits"], expected.logits(w), rtol=1e-3, atol=1e-4)
    if cell.devices > 1:
        assert ranks[0]["staleness"] == pytest.approx(stale)
        assert ranks[0]["sent_bytes"] == sendings * WEIGHTS


@pytest.mark.parametrize("form", ON_CPUS_AND_GPUS)
def test_devices_in_turns_compute_the_papers_update(
    case, form, spec, digits, weights, first, tmp_path
):
    if "device_type" in form and case[0] in CPU_ONLY:
        pytest.skip(f"{case[0]} is for CPUs")
    cell = spec(case[0], method=case[1], **COMMON, **CHANGING, **form)
    if cell.devices == 1:
        case = case[0], {}, SGD, 0
    check(case, cell, digits, weights, first, tmp_path / "run")


def test_one_device_is_plain_sgd(case, spec, digits, weights, first, tmp_path):
    cell = spec(case[0], method=case[1], **COMMON, **CHANGING)
    check((case[0], {}, SGD, 0), cell, digits, weights, first, tmp_path / "run")


def test_bytes_are_those_of_one_of_three_devices(spec, digits, weights, first, tmp_path):
    cell = spec(CASES[0][0], method=CASES[0][1], devices=3, **COMMON, **CHANGING)
    check(CASES[0], cell, digits, weights, first, tmp_path / "run")


def test_a_slack_of_zero_is_ssgd_at_a_rate_per_device(spec, digits, weights, tmp_path):
    """Nobody takes turns here: with no slack there is one order only, but for rounding."""
    fields = {"model": "lenet", "devices": DEVICES, "epochs": 1, **CHANGING}
    ssgd = spec("pytorch", **fields, **COMMON | {"lr": 2 * COMMON["lr"]})
    ssp = spec("ssp", method={"slack": 0}, **fields, **COMMON)
    samples, initial = DEVICES * BATCH * PER_EPOCH, weights("lenet")
    expected, actual = (
        steps(system, cell, digits, initial, samples, tmp_path / cell.system)[0]
        for system, cell in [
            ("baselines.pytorch_ssgd:PyTorchSSGD", ssgd),
            (SYSTEMS["ssp"], ssp),
        ]
    )
    np.testing.assert_allclose(actual["losses"], expected["losses"], rtol=1e-4)
    np.testing.assert_allclose(actual["logits"], expected["logits"], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("system", "method"),
    [("downpour", {"push": 2, "fetch": 3}), ("ssp", {"slack": 1}), ("hogwild", {})],
)
def test_without_turns_all_updates_add_up(system, method, spec, digits, weights, first, tmp_path):
    """At a tiny rate gradients hardly change, and the order of updates does not matter.

    S-SGD, which takes means, would go half as far.
    """
    fields = {"batch": BATCH, "devices": DEVICES, "epochs": 1, "momentum": 0.0, "lr": 1e-4}
    cell = spec(system, method=method, **fields)
    samples, initial = DEVICES * BATCH * PER_EPOCH, weights("logistic")
    rank, other = steps(SYSTEMS[system], cell, digits, initial, samples, tmp_path / "run")
    np.testing.assert_array_equal(flat(rank, "model."), flat(other, "model."))
    p = problem(cell, first(open_records(digits), samples), initial)
    steps_there = [(i, k) for i in range(PER_EPOCH) for k in range(DEVICES)]
    expected = -cell.lr * sum(p.gradient(i, k, p.start)[0] for i, k in steps_there)
    moved = flat(rank, "model.") - p.start
    assert np.linalg.norm(moved - expected) < 0.1 * np.linalg.norm(expected)


def test_a_server_answers_when_the_slowest_is_there():
    server = ParameterServer(torch.zeros(2), workers=3)
    one = torch.ones(2)
    early = server.exchange(0, one, 1)
    server.exchange(1, one, None)
    assert not early.done()
    late = server.exchange(2, one, 1)
    server.exchange(2, one, None)
    for answer in (early, late):  # both as of the push they waited for, not of the one after it
        weights, slowest = answer.value()
        assert weights.tolist() == [3, 3]
        assert slowest == 1
    assert server.weights.tolist() == [4, 4]
    # Worker 1 pushed after one of worker 0, worker 2 after two, and then had seen them.
    assert server.staleness == pytest.approx((0 + 1 + 2 + 0) / 4)
    assert server.sent_bytes == 8


def test_a_fetch_keeps_what_was_not_pushed():
    server = ParameterServer(torch.zeros(1), workers=2)
    server.exchange(1, torch.ones(1), None)
    assert server.exchange(0, None, 0).value()[0].tolist() == [1]
    assert server.clocks == [0, 1]


def test_staleness_is_of_updates_that_come_while_a_worker_of_hogwild_computes(
    spec, digits, weights, first, tmp_path, monkeypatch
):
    records = first(open_records(digits), DEVICES * BATCH * 2)
    context = Context(
        spec=spec("hogwild", devices=DEVICES), records=records, weights=weights("logistic"),
        out=tmp_path, ranks=DEVICES,
    )  # fmt: skip
    worker = Hogwild(context)
    worker.updates = torch.tensor([0, 5])
    monkeypatch.setattr(dist, "all_reduce", lambda of: of.mul_(DEVICES))  # the other's is the same
    compute = worker.backward

    def while_another_updates(images, labels):
        worker.updates[1] += 3
        return compute(images, labels)

    worker.backward = while_another_updates
    assert worker.train_epoch(0).staleness == 3
    assert worker.updates.tolist() == [2, 11]
