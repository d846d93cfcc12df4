"""A system that is not what `bench.system.System` says is refused, and told where."""

import functools
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bench.contract import built, refuse_epoch
from bench.system import EpochResult, System

HERE = "tests/bench/test_contract.py, line "
RESULT = {"losses": np.ones(2), "images": 8, "learners": 1, "lr": 0.1}


class Whole:
    def __init__(self, context):
        self.agree = lambda stop: stop  # a method may also be the object's own

    def prepare(self, ledger): ...

    def train_epoch(self, epoch, *, fast=False): ...

    def logits(self): ...

    def drain(self): ...

    def state(self): ...

    def load_state(self, state): ...


class WithoutContext(Whole):
    def __init__(self):
        super().__init__(None)


class WithMore(Whole):
    def __init__(self, spec, records):
        super().__init__(None)


class WithoutSome(Whole):
    drain = state = None


class Otherwise(Whole):
    def train_epoch(self): ...


class Inherits(System):
    def __init__(self, context): ...

    def drain(self): ...


def test_a_whole_system_is_built_by_a_class_a_function_or_a_partial():
    def build(context):
        return Whole(context)

    for way in (Whole, build, functools.partial(Whole)):
        assert isinstance(built(way, SimpleNamespace()), Whole)


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (
            WithoutContext,
            "WithoutContext takes no context alone; write def __init__(self, context)",
        ),
        (WithMore, "WithMore takes no context alone; write def __init__(self, context)"),
        (WithoutSome, "WithoutSome lacks drain(), state(); write what System in bench/system.py"),
        (Otherwise, "Otherwise lacks train_epoch(epoch); write what System in bench/system.py"),
        (
            Inherits,
            "Inherits lacks prepare(ledger), train_epoch(epoch), logits(), agree(stop), state(), "
            "load_state(state); write",
        ),
    ],
)
def test_what_is_missing_is_told_with_file_and_line(build, expected):
    before, _, _ = Path(__file__).read_text().partition(f"\nclass {build.__name__}(")
    line = before.count("\n") + 2
    with pytest.raises(TypeError) as refusal:
        built(build, SimpleNamespace())
    assert str(refusal.value).startswith(f"{HERE}{line}: {expected}")
    assert "\n" not in str(refusal.value)


def test_an_error_of_the_systems_own_is_left_as_it_is():
    def build(context):
        raise TypeError("own words")

    with pytest.raises(TypeError, match="own words"):
        built(build, SimpleNamespace())


@pytest.mark.parametrize("images", [1, 8, 9, np.int64(9)])
def test_an_epoch_has_at_most_the_samples_of_its_plan(images):
    refuse_epoch(Whole(None), EpochResult(**RESULT | {"images": images}), 9)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (None, "NoneType; return an EpochResult of bench/system.py"),
        (RESULT, "dict; return an EpochResult of bench/system.py"),
        *(
            (
                EpochResult(**RESULT | {"images": images}),
                f"images={images!r}, of an epoch that has 9",
            )
            for images in (10, 80, 0, -8, 8.0, None, float("nan"))
        ),
        (EpochResult(**RESULT | {"losses": [1.0]}), "losses that are no NumPy array"),
        (EpochResult(**RESULT | {"losses": np.ones((2, 2))}), "losses that are no NumPy array"),
        (EpochResult(**RESULT | {"losses": np.ones(0)}), "no losses; return one mean loss"),
    ],
)
def test_what_cannot_be_of_one_epoch_is_told_with_file_and_line(result, expected):
    with pytest.raises(ValueError) as refusal:
        refuse_epoch(Whole(None), result, 9)
    place, _, said = str(refusal.value).partition(": train_epoch returned ")
    assert place == f"{HERE}{Whole.train_epoch.__code__.co_firstlineno}"
    assert said.startswith(expected) and "\n" not in said
