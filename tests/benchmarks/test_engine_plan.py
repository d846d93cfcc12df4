"""Which cells of a plan are measured, and what is left when one fails."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import environment, record
from benchmarks import engine
from benchmarks.systems import on_ranks, records_of, spec_of

PLANS = sorted((Path(engine.__file__).parent / "plans").glob("*.json"))
TABLES = sorted((Path(engine.__file__).parents[1] / "results/reference").glob("*/engine.csv"))
CELL = {"system": "crossbow", "model": "lenet", "dataset": "digits", "batch": 16}


@pytest.fixture
def benchmark(monkeypatch, tmp_path):
    """Calls the command on a plan, with cells that take 100 s each; returns the table's rows."""
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    begun = []

    def measured(cell, data, python):
        begun.append(cell | {"python": python})
        clock.now += 100
        for m in engine._learners(cell):
            yield engine.DEFAULTS | cell | {"learners": m, "images_per_s": 1.0, "spread": 0.01}

    monkeypatch.setattr(engine, "time", clock)
    monkeypatch.setattr(engine, "measured", measured)

    def run(plan, *options):
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        command = ["engine", str(tmp_path / "plan.json"), "--out", str(tmp_path), *options]
        monkeypatch.setattr(sys, "argv", command)
        begun.clear()
        engine.main()
        return record.read_table(tmp_path / "engine.csv"), list(begun)

    return run


def test_no_cell_begins_after_the_budget(benchmark):
    rows, begun = benchmark([CELL] * 4, "--call", "one", "--budget", "150")
    assert len(begun) == len(rows) == 2


def test_skip_measured_leaves_out_the_rows_of_the_same_call_alone(benchmark):
    plan = [CELL | {"learners": [1, 2]}, CELL | {"batch": 64}]
    benchmark(plan, "--call", "one")
    assert benchmark(plan, "--call", "one", "--skip-measured")[1] == []
    wider = [CELL | {"learners": [1, 2, 4]}, CELL | {"batch": 64, "graph": True}]
    rows, begun = benchmark(wider, "--call", "one", "--skip-measured")
    assert [(cell["batch"], cell["learners"]) for cell in begun] == [(16, [4]), (64, [1])]
    assert len(rows) == 3 + 2
    assert len(benchmark(plan, "--call", "two", "--skip-measured")[1]) == 2


def test_table_has_the_settings_of_each_row(benchmark):
    (row,), _ = benchmark([CELL | {"unroll": 4, "channels_last": True}], "--call", "one")
    assert list(row) == engine.COLUMNS
    expected = {"learners": "1", "unroll": "4", "channels_last": "True", "spread": "0.01"}
    assert row | expected == row


def test_table_of_other_columns_is_refused(benchmark, tmp_path):
    (tmp_path / "engine.csv").write_text("model,call\nlenet,one\n")
    with pytest.raises(SystemExit, match="other columns"):
        benchmark([CELL], "--call", "one")


def test_what_is_missing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["engine", "none.json", "--out", str(tmp_path), "--call", "x"])
    with pytest.raises(SystemExit, match="no such plan"):
        engine.main()
    with pytest.raises(SystemExit, match="no finished records are here; run `python -m data_prep"):
        on_ranks(spec_of(CELL), tmp_path, lambda rank: None)


def test_a_system_may_have_a_python_of_its_own(benchmark, tmp_path):
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    cells = [CELL, CELL | {"system": "tensorflow"}]
    named = json.dumps({"tensorflow": str(other)})
    _, begun = benchmark(cells, "--call", "one", "--interpreters", named)
    assert [cell["python"] for cell in begun] == [sys.executable, str(other)]
    described = record.read_json(tmp_path / "engine-one.json")["interpreters"]
    assert "numpy" in described["tensorflow"]
    with pytest.raises(SystemExit, match="tensorflow: there is no 'missing' here"):
        benchmark(cells, "--call", "one", "--interpreters", '{"tensorflow": "missing"}')


def test_machine_and_commit_are_beside_the_table(benchmark, tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "ROOT", tmp_path)  # where there is no repository
    monkeypatch.setenv("CODE_COMMIT", "abc")
    benchmark([CELL], "--call", "one")
    machine = record.read_json(tmp_path / "engine-one.json")
    assert machine["code"] == {"commit": "abc", "dirty": False}
    assert machine["variables"]["CUDA_DEVICE_MAX_CONNECTIONS"] == "32"


@pytest.mark.parametrize("plan", PLANS, ids=[plan.stem for plan in PLANS])
def test_every_cell_of_a_plan_is_a_run_and_is_there_once(plan):
    cells = json.loads(plan.read_text())
    keys = set()
    for one in [cell | {"learners": m} for cell in cells for m in engine._learners(cell)]:
        spec_of(one)
        assert engine._key(one) not in keys, one
        keys.add(engine._key(one))


def test_averaging_is_for_crossbow_alone():
    assert (spec_of(CELL).variant, spec_of(CELL).mu) == ("released", 0.9)
    assert spec_of(CELL | {"system": "pytorch"}).variant is None
    assert spec_of(CELL | {"mu": 0.5, "device_type": "cpu"}).mu == 0.5


def test_synthetic_records_have_the_side_and_the_classes_of_their_name(tmp_path):
    records = records_of("synthetic-16-7", tmp_path)
    assert records.train_images.shape[1:] == records.shape == (16, 16, 3)
    assert set(records.train_labels) == set(range(7))


@pytest.mark.parametrize("table", TABLES, ids=[table.parent.name for table in TABLES])
def test_reference_has_a_machine_for_each_call(table):
    rows = record.read_table(table)
    assert list(rows[0]) == engine.COLUMNS
    for call in {row["call"] for row in rows}:
        assert record.read_json(table.parent / f"engine-{call}.json")["gpus"]
