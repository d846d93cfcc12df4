"""Methods and variants that would come to nothing, or to another, are refused by name."""

import pytest
from suite import CELL

from workflows.plan import plan
from workflows.validate import ConfigError

TWO = {"devices": 2, "batch": 16, "epochs": 2}  # 88 iterations of 1437 digits


def config(group, **defaults):
    return {"name": "refused", "defaults": defaults, "matrix": [CELL | group]}


KUNGFU = {"system": "crossbow", "variant": "kungfu"}
REFUSED = {
    "kungfu that skips": (KUNGFU | {"tau": 2}, "matrix[0].tau", "kungfu", "set it to 1"),
    "kungfu that never meets": (KUNGFU | {"tau": 0}, "matrix[0].tau", "kungfu", "set it to 1"),
    "momentum of z in kungfu": (KUNGFU | {"mu": 0.5}, "matrix[0].mu", "KungFu", "set it to 0"),
    "values of an option": (
        {"system": "local-sgd", **TWO, "method": {"period": [4, 8]}},
        "matrix[0].method.period",
        "method: [{period: 4}, {period: 8}]",
    ),
    "an option of another system in the list": (
        {"system": ["local-sgd", "polyak"], **TWO, "method": {"period": 4}},
        "matrix[0].method: polyak has no option 'period'",
        "start, decay",
    ),
    "a batch that can't grow by default": (
        {"system": "noise-scale", "devices": 2, "batch": 300},
        "matrix[0].method.max_batch",
        "600 images",
        "1024",
        "at least 1200",
    ),
    "nor by evolution": (
        {"system": "ones", "batch": 300, "method": {"population": 2, "max_batch": 512}},
        "matrix[0].method.max_batch",
        "at least 600",
    ),
    "a batch without another epoch to grow in": (
        {"system": ["noise-scale", "ones"], **TWO, "epochs": 1},
        "matrix[0].epochs",
        "at least 2",
    ),
    "a batch too large for the images of an epoch": (
        {"system": "noise-scale", "devices": 2, "batch": 400, "method": {"max_batch": 2048}},
        "matrix[0].batch: an iteration begins with 800 images",
        "1437",
        "at most 359",
    ),
    "a batch too large for a member's": (
        {"system": "ones", "devices": 2, "batch": 100},
        "matrix[0].method.population: an iteration begins with 200 images",
        "359",
        "at most 3, or a smaller batch",
    ),
    "a batch too large for any member's": (
        {"system": "ones", "batch": 600, "method": {"population": 2, "max_batch": 4096}},
        "matrix[0].batch: an iteration begins with 600 images",
        "718",
        "at most 359",
    ),
    "a population of one": (
        {"system": "ones", "method": {"population": 1}},
        "matrix[0].method.population",
        "at least 2",
    ),
    "an average of none": (
        {"system": "polyak", **TWO, "method": {"start": 0.999}},
        "matrix[0].method.start: of a run of 88 iterations",
        "at most 0.977,",
    ),
    "an average of one": (
        {"system": "polyak", **TWO, "method": {"start": 0.99}},
        "matrix[0].method.start",
        "at most 0.977,",
    ),
    "an average of the only iteration": (
        {"system": "polyak", "batch": 1000, "epochs": 1},
        "matrix[0].method.start",
        "use more epochs",
    ),
    "a slack of an epoch": (
        {"system": "ssp", **TWO, "method": {"slack": 44}},
        "matrix[0].method.slack",
        "at most 43",
    ),
    "pushes after the end": (
        {"system": "downpour", **TWO, "method": {"push": 89}},
        "matrix[0].method.push: a run of 88 iterations",
        "at most 88",
    ),
    "fetches after the end": (
        {"system": "downpour", **TWO, "method": {"fetch": 89}},
        "matrix[0].method.fetch",
        "at most 88",
    ),
    "momentum that could go on, were there any": (
        {"system": "topk", **TWO, "method": {"masking": False, "warmup_epochs": 1}},
        "matrix[0].method.masking",
        "set momentum",
    ),
    "devices that never meet": (
        {"system": "local-sgd", **TWO, "method": {"period": 89}},
        "matrix[0].method.period",
        "at most 88",
    ),
    "devices that never meet before the end": (
        {"system": "eamsgd", **TWO, "method": {"period": 88}},
        "matrix[0].method.period",
        "at most 87",
    ),
    "devices that never meet once local": (
        {"system": "post-local-sgd", **TWO, "method": {"period": 45}},
        "matrix[0].method.period",
        "at most 44",
    ),
    "devices that are never alone": (
        {"system": "post-local-sgd", **TWO, "method": {"start": 0.999}},
        "matrix[0].method.start",
        "at most 0.909,",
    ),
    "devices of a single iteration": (
        {"system": "eamsgd", "devices": 2, "batch": 600, "epochs": 1},
        "matrix[0].method.period",
        "; use more epochs",
    ),
    "a block of one device that never ends": (
        {"system": "bmuf", "batch": 32, "method": {"period": 89}},
        "matrix[0].method.period",
        "at most 88",
    ),
    "nothing but warm-up, by default": (
        {"system": "topk", **TWO},
        "matrix[0].method.warmup_epochs",
        "2 epochs are all warm-up",
        "at most 1",
    ),
    "a warm-up that is no denser": (
        {"system": "topk", **TWO, "method": {"density": 0.25, "warmup_epochs": 1}},
        "matrix[0].method.warmup_epochs",
        "0.25 is not less",
        "remove it",
        "smaller density",
    ),
    "nothing compressed before the end": (
        {"system": "powersgd", **TWO, "method": {"start": 88}},
        "matrix[0].method.start",
        "88 iterations",
    ),
}
OF_SEVERAL = {
    "pytorch": {"bucket_mb": 1, "static_graph": True},
    "local-sgd": {"period": 4},
    "post-local-sgd": {"period": 4, "start": 0.25},
    "topk": {"density": 0.1, "warmup_epochs": 1, "masking": False},
    "powersgd": {"rank": 4, "start": 3},
    "downpour": {"push": 2, "fetch": 2},
    "ssp": {"slack": 1},
    "fsdp": {"reshard_after_forward": False, "chunk_mb": 4},
    "noise-scale": {"max_batch": 512, "lr_rule": "sqrt", "decay": 0.9},
}


@pytest.mark.parametrize("case", REFUSED)
def test_message_names_the_key_the_system_and_what_to_do(case):
    group, *words = REFUSED[case]
    with pytest.raises(ConfigError) as refusal:
        plan(config(group))
    message = str(refusal.value)
    assert [word for word in words if word not in message] == []


@pytest.mark.parametrize(
    ("system", "key", "value"),
    [(system, key, value) for system, of in OF_SEVERAL.items() for key, value in of.items()],
)
def test_options_of_what_devices_send_need_several(system, key, value):
    group = {"system": system, "method": {key: value}, "epochs": 5, "momentum": 0.9}
    with pytest.raises(ConfigError, match=rf"method\.{key}: it does nothing on one device"):
        plan(config(group))
    assert plan(config(group | {"devices": 2})).runs


@pytest.mark.parametrize(
    "group",
    [
        {"system": "noise-scale", "batch": 700},  # one device never grows, and has no say in it
        {"system": "noise-scale", "devices": 2, "batch": 359, "method": {"max_batch": 1436}},
        {"system": "ones", "devices": 2, "batch": 100, "method": {"population": 3}},
        {"system": "ones", "batch": 359, "method": {"population": 2}},
        {"system": "topk", "epochs": 1},
        {"system": "topk", **TWO, "method": {"density": 0.25}},  # the warm-up is the default's
        {"system": "topk", **TWO, "method": {"density": 0.25, "warmup_epochs": 0}},
        {"system": "topk", **TWO, "method": {"density": 0.24, "warmup_epochs": 1}},
        {"system": "pytorch", "method": {"accumulate": 4}},
        {"system": "topk", **TWO, "method": {"warmup_epochs": 1}},
        {"system": "topk", **TWO, "method": {"density": 0.1}},  # sparser than 1/16
        {
            "system": "topk",
            **TWO,
            "momentum": 0.9,
            "method": {"masking": False, "warmup_epochs": 1},
        },
        {"system": "polyak", **TWO, "method": {"start": 0.977}},
        {"system": "post-local-sgd", **TWO, "method": {"start": 0.909}},
        {"system": "ssp", **TWO, "method": {"slack": 43}},
        {"system": "downpour", **TWO, "method": {"push": 88, "fetch": 88}},
        {"system": "local-sgd", **TWO, "method": {"period": 88}},
        {"system": "local-sgd", "batch": 700},
        {"system": "polyak", "method": [{"start": 0.25}, {"decay": 0.9}]},
    ],
    ids=str,
)
def test_allowed(group):
    assert plan(config(group)).runs


def test_kungfu_has_no_momentum_of_z_and_the_others_have_their_default():
    group = {"system": "crossbow", "learners": 2, "variant": ["kungfu", "ea-sgd", "algorithm-1"]}
    runs = plan(config(group)).runs.values()
    assert {spec.variant: spec.mu for spec in runs} == {
        "kungfu": 0.0, "ea-sgd": 0.0, "algorithm-1": 0.9,
    }  # fmt: skip
