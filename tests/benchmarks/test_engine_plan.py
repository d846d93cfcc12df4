"""Which cells of a plan are measured, and what is left when one fails."""

import json
import sys
from pathlib import Path

import pytest

from bench import record
from benchmarks import engine
from benchmarks.engine_table import key
from benchmarks.plan import points, read_plan
from benchmarks.systems import on_ranks, records_of, spec_of

PLANS = sorted((Path(engine.__file__).parent / "plans").glob("*.json"))
CELL = {"system": "crossbow", "model": "lenet", "dataset": "digits", "batch": 16}


def test_the_call_ends_with_its_budget_and_goes_on_with_what_was_cut_short(benchmark, capsys):
    cells = [CELL | {"batch": batch} for batch in (1, 2, 3, 4)]
    rows, begun = benchmark(cells, "--call", "one", "--budget", "250")
    assert (len(begun), len(rows)) == (3, 2)
    assert "250 s are over; --skip-measured goes on with 2 cells" in capsys.readouterr().out
    rows, begun = benchmark(cells, "--call", "one", "--skip-measured")
    assert [cell["batch"] for cell in begun] == [3, 4] and len(rows) == 4
    assert len(benchmark(cells, "--call", "two", "--budget", "200")[1]) == 2


def test_skip_measured_leaves_out_the_rows_of_the_same_call_alone(benchmark):
    plan = [CELL | {"learners": [1, 2]}, CELL | {"batch": 64}]
    benchmark(plan, "--call", "one")
    assert benchmark(plan, "--call", "one", "--skip-measured")[1] == []
    wider = [CELL | {"learners": [1, 2, 4]}, CELL | {"batch": 64, "graph": True}]
    rows, begun = benchmark(wider, "--call", "one", "--skip-measured")
    assert [(cell["batch"], cell["learners"]) for cell in begun] == [(16, [4]), (64, [1])]
    assert len(rows) == 3 + 2
    assert len(benchmark(plan, "--call", "two", "--skip-measured")[1]) == 2


def test_failed_cells_are_counted_and_come_last_another_time(benchmark):
    cells = [CELL | {"batch": batch} for batch in (1, 2, 3, 4)]
    benchmark.failing |= {1, 3}
    with pytest.raises(SystemExit, match="2 of 4 cells failed"):
        benchmark(cells, "--call", "one")
    assert len(benchmark.begun) == 4
    benchmark.failing.clear()
    rows, begun = benchmark([*cells, CELL | {"batch": 5}], "--call", "one", "--skip-measured")
    assert [cell["batch"] for cell in begun] == [5, 1, 3] and len(rows) == 5


def test_cells_of_more_gpus_than_are_here_are_left_out(benchmark, capsys):
    cells = [CELL | {"devices": devices} for devices in (8, 4)]
    _, begun = benchmark(cells, "--call", "one")
    assert [cell["devices"] for cell in begun] == [4]
    assert "1 of 2 cells need more GPUs than the 4 here" in capsys.readouterr().out
    _, begun = benchmark([cells[0] | {"device_type": "cpu"}], "--call", "three")
    assert [cell["devices"] for cell in begun] == [8]
    with pytest.raises(SystemExit, match=r"plan\.json: all cells need more GPUs than the 4 here"):
        benchmark(cells[:1], "--call", "two")


def test_a_system_may_have_a_python_of_its_own(benchmark, tmp_path):
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    cells = [CELL, CELL | {"system": "tensorflow"}]
    named = json.dumps({"tensorflow": str(other)})
    _, begun = benchmark(cells, "--call", "one", "--interpreters", named)
    assert [cell["python"] for cell in begun] == [sys.executable, str(other)]
    benchmark(cells[:1], "--call", "one")  # a visit without it keeps what it had
    described = record.read_json(tmp_path / "engine-one.json")
    assert "numpy" in described["interpreters"]["tensorflow"]
    described["interpreters"]["tensorflow"]["numpy"] = "0"
    record.write_json(tmp_path / "engine-one.json", described)
    with pytest.raises(SystemExit, match="in packages of tensorflow; give it"):
        benchmark(cells, "--call", "one", "--interpreters", named)
    with pytest.raises(SystemExit, match="tensorflow: there is no 'missing' here"):
        benchmark(cells, "--call", "one", "--interpreters", '{"tensorflow": "missing"}')


@pytest.mark.parametrize("plan", PLANS, ids=[plan.stem for plan in PLANS])
def test_every_cell_of_a_plan_is_a_run_and_is_there_once(plan):
    keys = [key(point) for point in points(read_plan(plan))]
    assert len(set(keys)) == len(keys)


def test_averaging_is_for_crossbow_alone():
    assert (spec_of(CELL).variant, spec_of(CELL).mu) == ("released", 0.9)
    assert spec_of(CELL | {"system": "pytorch"}).variant is None
    assert spec_of(CELL | {"mu": 0.5, "device_type": "cpu"}).mu == 0.5


def test_records_that_are_missing_are_named(tmp_path):
    with pytest.raises(SystemExit, match="no finished records are here; run `python -m data_prep"):
        on_ranks(spec_of(CELL), tmp_path, lambda rank: None)


def test_synthetic_records_have_the_side_and_the_classes_of_their_name(tmp_path):
    records = records_of("synthetic-16-7", tmp_path)
    assert records.train_images.shape[1:] == records.shape == (16, 16, 3)
    assert set(records.train_labels) == set(range(7))
