"""Sharded systems take the steps of S-SGD, with a part of what it keeps on each device."""

import numpy as np
import pytest
from marks import GPUS, needs_cuda
from two_epochs import two_epochs

from data_prep.records import open_records

BATCH, PER_EPOCH = 8, 5
SYSTEMS = {
    "pytorch": "baselines.pytorch_ssgd:PyTorchSSGD",
    "zero": "baselines.zero:Zero",
    "fsdp": "baselines.fsdp:FSDP",
}
FIELDS = {
    "batch": BATCH, "momentum": 0.9, "weight_decay": 1e-3,
    "schedule": {"kind": "one-cycle", "warmup": 0.3},
}  # fmt: skip
KEEP, GATHER = {"reshard_after_forward": False}, {"reshard_after_forward": True}
LENET, LOGISTIC = ("lenet", 2), ("logistic", 3)  # 10 rows are 4, 4 and 2
LOGISTIC_BYTES, ITS_PARTS = 4 * (64 * 10 + 10), [4 * 65 * rows for rows in (4, 4, 2)]


@pytest.fixture(scope="module")
def train(digits, weights, tmp_path_factory):
    """What each rank has after two epochs of a spec, and once more resumed; computed once."""
    known = {}

    def of(spec, first):
        if spec.id not in known:
            records = first(open_records(digits), spec.devices * BATCH * PER_EPOCH)
            folder = tmp_path_factory.mktemp("sharded") / "run"
            arguments = SYSTEMS[spec.system], spec, records, weights(spec.model), folder
            known[spec.id] = two_epochs(*arguments)
        return known[spec.id]

    return of


def size(rank, kind):
    return sum(array.size for name, array in rank.items() if name.startswith(f"{kind}."))


def check(ranks, plain):
    """The steps of S-SGD, and the whole of its momentum once, over all ranks."""
    for rank in ranks:
        np.testing.assert_allclose(rank["losses"], plain[0]["losses"], rtol=1e-5)
    logits = plain[0]["logits"]
    np.testing.assert_allclose(ranks[0]["logits"], logits, rtol=1e-4, atol=1e-5)
    momentum = [size(rank, "optimizer") for rank in ranks]
    assert sum(momentum) == size(plain[0], "optimizer")
    assert len(ranks) == 1 or max(momentum) < sum(momentum)


@pytest.mark.parametrize(
    ("system", "method", "model", "devices"),
    [
        ("zero", {}, *LENET),
        *(("fsdp", method, *LENET) for method in ({}, KEEP, {"chunk_mb": 2})),
        ("fsdp", {}, *LOGISTIC),
    ],
)
def test_devices_share_the_state_of_ssgd(system, method, model, devices, spec, first, train):
    fields = {"model": model, "devices": devices, **FIELDS}
    plain = train(spec("pytorch", **fields), first)
    ranks = train(spec(system, method=method, **fields), first)
    check(ranks, plain)
    weights = [size(rank, "model") for rank in ranks]
    whole = size(plain[0], "model")
    assert (sum(weights) == whole) if system == "fsdp" else (weights == [whole] * devices)


@pytest.mark.parametrize(("method", "gathers"), [(GATHER, 2), (KEEP, 1)])
def test_parts_are_sent_as_often_as_they_are_gathered(method, gathers, spec, first, train):
    model, devices = LOGISTIC
    cell = spec("fsdp", model=model, devices=devices, method=method, **FIELDS)
    sent = [int(rank["sent_bytes"]) for rank in train(cell, first)]
    steps = 2 * PER_EPOCH
    assert sent == [steps * (LOGISTIC_BYTES + gathers * part) for part in ITS_PARTS]


def test_zero_sends_what_it_updates(spec, first, train):
    fields = {"model": LENET[0], "devices": LENET[1], **FIELDS}
    plain = train(spec("pytorch", **fields), first)
    for rank in train(spec("zero", **fields), first):
        more = rank["sent_bytes"] - plain[0]["sent_bytes"]
        assert more == 2 * PER_EPOCH * 4 * size(rank, "optimizer")


@pytest.mark.parametrize("system", ["zero", "fsdp"])
def test_one_device_is_plain_sgd(system, spec, first, train):
    (plain,) = train(spec("pytorch", **FIELDS), first)
    (alone,) = train(spec(system, **FIELDS), first)
    assert alone.keys() == plain.keys()
    for name, array in alone.items():
        np.testing.assert_array_equal(array, plain[name], name)


@pytest.mark.gpu
@needs_cuda
@pytest.mark.parametrize(
    ("system", "method"),
    [
        ("zero", {}),
        *(("fsdp", method) for method in ({}, KEEP, {"chunk_mb": 2}, {"offload": True})),
    ],
)
def test_so_do_gpus(system, method, spec, first, train):
    fields = {"model": "lenet", "devices": GPUS, "device_type": "cuda", **FIELDS}
    plain = train(spec("pytorch", **fields), first)
    check(train(spec(system, method=method, **fields), first), plain)
