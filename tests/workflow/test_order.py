"""Runs come in rounds: every configuration once, the systems mixed, before any comes again."""

from itertools import groupby

import pytest
from suite import REPOSITORY

from workflows.plan import plan
from workflows.read_config import read_config

CELL = {"model": "lenet", "dataset": "digits", "epochs": 1, "target": 0.5, "lr": 0.1}
MATRIX = [
    {"system": "crossbow", "batch": [16, 32, 64], "seed": [1, 2]},
    {"system": "pytorch", "batch": [16, 32], "seed": [1, 2], "repeat": [1, 2]},
    {"system": "tensorflow", "batch": 16, "seed": [7, 9]},
]


def order():
    planned = plan({"name": "order", "defaults": CELL, "matrix": MATRIX})
    return [(s.system, s.batch, s.seed, s.repeat) for s in planned.runs.values()]


def test_every_configuration_runs_once_before_any_runs_again():
    configurations = [(system, batch) for system, batch, *_ in order()]
    first, second = configurations[:6], configurations[6:12]
    assert set(first) == set(second) and len(set(first)) == 6
    # Only PyTorch is repeated.
    assert {system for system, _ in configurations[12:]} == {"pytorch"}


def test_systems_are_spread_over_a_round_and_each_begins_one():
    systems = [system for system, *_ in order()]
    assert systems[:6] == ["crossbow", "tensorflow", "pytorch", "crossbow", "crossbow", "pytorch"]
    assert systems[6:12] == ["pytorch", "crossbow", "crossbow", "pytorch", "crossbow", "tensorflow"]


def test_runs_of_one_system_keep_their_order():
    assert [batch for system, batch, *_ in order() if system == "crossbow"] == [16, 32, 64] * 2


# Of the system with the most runs; gpu-1-averaging has one of PyTorch for ten of Crossbow's.
LONGEST = {"paper": 3, "smoke": 1, "quickstart": 4, "gpu-1": 3, "gpu-1-averaging": 11, "gpu-2": 4}
LONGEST |= {"gpu-1-large-batches": 3, "gpu-1-lenet": 3, "gpu-4": 3, "gpu-8": 3, "queue": 2}


@pytest.mark.parametrize("name", LONGEST)
def test_no_system_runs_long_without_the_others(name):
    runs = plan(read_config(REPOSITORY / f"workflows/config/{name}.yaml")).runs.values()
    stretches = [list(own) for _, own in groupby(spec.system for spec in runs)]
    assert max(map(len, stretches)) <= LONGEST[name]


def test_seeds_come_before_repeats():
    rounds = [(seed, repeat) for system, batch, seed, repeat in order() if batch == 32]
    assert rounds == [(1, 1), (1, 1), (2, 1), (2, 1), (1, 2), (2, 2)]
