"""Methods that compress gradients do what their papers say, and go on where they were.

Twenty iterations over two epochs on two devices, with momentum, weight decay and a rate that always
changes; the resumed run has to be the same to the bit.
"""

import dataclasses

import compressed_oracles as oracles
import numpy as np
import pytest
from marks import ON_CPUS_AND_GPUS
from softmax import flat, problem
from two_epochs import two_epochs

from data_prep.records import open_records

BATCH, PER_EPOCH = 8, 10
STEPS = 2 * PER_EPOCH
SYSTEMS = {
    "one-bit": "baselines.one_bit:OneBitSGD",
    "topk": "baselines.topk:TopK",
    "powersgd": "baselines.powersgd:PowerSGD",
    "sufficient-factors": "baselines.sufficient_factors:SufficientFactors",
    "pytorch": "baselines.pytorch_ssgd:PyTorchSSGD",
}
COMMON = {"batch": BATCH, "weight_decay": 1e-3, "momentum": 0.9}
CHANGING = {"schedule": {"kind": "one-cycle", "warmup": 0.3}}
WARMUP = [0.25] * PER_EPOCH + [0.05] * PER_EPOCH
LONGER = [0.25] * PER_EPOCH + [0.0625] * PER_EPOCH
# System, options, the oracle and its arguments, and the bytes that a device sends in the run.
CASES = [
    # Two means per column of the matrix and of the bias, and a bit per weight.
    ("one-bit", {}, oracles.one_bit, {}, STEPS * (8 * (64 + 1) + 82)),
    # A place and a value of each element sent.
    (
        *("topk", {"density": 0.05, "warmup_epochs": 1, "masking": True}),
        *(oracles.topk, {"densities": WARMUP, "masking": True}),
        8 * PER_EPOCH * ((160 + 3) + (32 + 1)),
    ),
    (
        *("topk", {"density": 0.05}, oracles.topk, {"densities": LONGER, "masking": True}),
        8 * PER_EPOCH * ((160 + 3) + (40 + 1)),
    ),
    (
        *("topk", {"density": 0.05, "warmup_epochs": 0, "masking": False}),
        *(oracles.topk, {"densities": [0.05] * STEPS, "masking": False}, 8 * STEPS * (32 + 1)),
    ),
    *(
        (
            *("powersgd", {"rank": rank, "start": 3}, oracles.powersgd, {"rank": rank, "start": 3}),
            4 * (3 * 650 + (STEPS - 3) * (rank * (64 + 10) + 10)),
        )
        for rank in (1, 3)
    ),
    # Fewer than S-SGD's 650 numbers, with a batch of 8.
    ("sufficient-factors", {}, oracles.ssgd, {}, 4 * STEPS * BATCH * (64 + 10)),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request):
    return request.param


def check(case, cell, digits, weights, first, folder):
    system, _, oracle, arguments, sent = case
    devices = cell.devices
    records = first(open_records(digits), devices * BATCH * PER_EPOCH)
    plain = problem(dataclasses.replace(cell, weight_decay=0.0), records, weights("logistic"))
    w, losses = oracle(plain, devices, cell.weight_decay, cell.momentum, **arguments)
    ranks = two_epochs(SYSTEMS[system], cell, records, weights("logistic"), folder)
    for rank in ranks:
        np.testing.assert_allclose(rank["losses"], losses, rtol=1e-5)
        np.testing.assert_allclose(flat(rank, "model."), w, rtol=1e-4, atol=1e-5)
        assert rank["sent_bytes"] == sent
    ssgd, _ = oracles.ssgd(plain, devices, cell.weight_decay, cell.momentum)
    assert np.allclose(w, ssgd, atol=1e-3) == (oracle is oracles.ssgd)


def test_factors_and_gradients_make_the_step_of_ssgd(spec, digits, weights, first, tmp_path):
    """LeNet has convolutions, whose gradients are sent as they are, and two linear layers."""
    records, fields = first(open_records(digits), 2 * BATCH * PER_EPOCH), {"devices": 2, **COMMON}
    ssgd, factors = (
        two_epochs(
            *(SYSTEMS[name], spec(name, model="lenet", **fields, **CHANGING), records),
            *(weights("lenet"), tmp_path / name),
        )[0]
        for name in ("pytorch", "sufficient-factors")
    )
    np.testing.assert_allclose(factors["losses"], ssgd["losses"], rtol=1e-5)
    np.testing.assert_allclose(factors["logits"], ssgd["logits"], rtol=1e-3, atol=1e-4)
    assert factors["sent_bytes"] < 0.3 * ssgd["sent_bytes"]


@pytest.mark.parametrize("form", ON_CPUS_AND_GPUS)
def test_steps_are_the_papers(case, form, spec, digits, weights, first, tmp_path):
    cell = spec(case[0], method=case[1], **COMMON, **CHANGING, **form)
    if cell.devices == 1:
        case = case[0], {}, oracles.ssgd, {}, 0
    check(case, cell, digits, weights, first, tmp_path / "run")


@pytest.mark.parametrize("system", ["one-bit", "topk", "powersgd", "sufficient-factors"])
def test_one_device_has_nobody_to_send_to(system, spec, digits, weights, first, tmp_path):
    cell = spec(system, **COMMON, **CHANGING)
    records = first(open_records(digits), BATCH * PER_EPOCH)
    plain = problem(dataclasses.replace(cell, weight_decay=0.0), records, weights("logistic"))
    w, _ = oracles.ssgd(plain, 1, cell.weight_decay, cell.momentum)
    (rank,) = two_epochs(SYSTEMS[system], cell, records, weights("logistic"), tmp_path / "run")
    np.testing.assert_allclose(flat(rank, "model."), w, rtol=1e-4, atol=1e-5)
    assert rank["sent_bytes"] == 0
