"""Runs come in rounds: every configuration once, the systems in turn, before any comes again."""

from workflows.plan import plan

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


def test_systems_take_turns():
    systems = [system for system, *_ in order()]
    turns = ["crossbow", "pytorch", "tensorflow", "crossbow", "pytorch", "crossbow"]
    assert systems[:12] == turns * 2


def test_seeds_come_before_repeats():
    rounds = [(seed, repeat) for system, batch, seed, repeat in order() if batch == 32]
    assert rounds == [(1, 1), (1, 1), (2, 1), (2, 1), (1, 2), (2, 2)]
