"""The table that visits add their rows to, and the machine beside it."""

from pathlib import Path

import pytest

from bench import environment, record
from benchmarks import engine

TABLES = sorted((Path(engine.__file__).parents[1] / "results/reference").glob("*/engine.csv"))
CELL = {"system": "crossbow", "model": "lenet", "dataset": "digits", "batch": 16}


def test_table_has_the_settings_of_each_row(benchmark):
    (row,), _ = benchmark(
        [CELL | {"graph": True, "unroll": 4, "channels_last": True}], "--call", "one"
    )
    assert list(row) == engine.COLUMNS
    expected = {"learners": "1", "unroll": "4", "channels_last": "True", "spread": "0.01"}
    assert row | expected == row


def test_table_of_other_columns_is_refused(benchmark, tmp_path):
    for rows in ("lenet,one\n", ""):
        (tmp_path / "engine.csv").write_text("model,call\n" + rows)
        with pytest.raises(SystemExit, match="other columns"):
            benchmark([CELL], "--call", "one")


def test_a_visit_without_rows_leaves_one_header(benchmark, tmp_path):
    for _ in range(2):
        benchmark([CELL], "--call", "one", "--budget", "1")
    assert (tmp_path / "engine.csv").read_text() == ",".join(engine.COLUMNS) + "\n"


def test_half_a_row_is_cut_off_before_the_next_one(benchmark, tmp_path):
    benchmark([CELL], "--call", "one")
    table = tmp_path / "engine.csv"
    whole = table.read_text()
    table.write_text(whole + "lenet,digits,16,1,8,cross")
    rows, _ = benchmark([CELL], "--call", "two")
    assert [row["call"] for row in rows] == ["one", "two"]
    table.write_text(whole[:20])  # of the header
    assert len(benchmark([CELL], "--call", "one")[0]) == 1


def test_machine_and_commit_are_beside_the_table(benchmark, tmp_path):
    benchmark([CELL], "--call", "one")
    machine = record.read_json(tmp_path / "engine-one.json")
    assert machine["code"] == {"commit": "abc", "dirty": False}
    assert machine["variables"]["CUDA_DEVICE_MAX_CONNECTIONS"] == "32"


def test_a_call_is_of_one_machine_and_one_commit(benchmark, tmp_path, monkeypatch):
    def another_commit():
        monkeypatch.setenv("CODE_COMMIT", "def")

    benchmark([CELL], "--call", "one", "--budget", "1")
    another_commit()  # which nothing was measured with
    benchmark([CELL], "--call", "one")
    written = (tmp_path / "engine-one.json").read_text()
    assert '"def"' in written
    monkeypatch.setenv("CODE_COMMIT", "ghi")
    monkeypatch.setattr(environment, "cpu_name", lambda: "another")
    refused = "engine-one.json: this visit differs from .* in CPU, commit; give it a --call"
    with pytest.raises(SystemExit, match=refused):
        benchmark([CELL | {"batch": 32}], "--call", "one", "--skip-measured")
    assert (tmp_path / "engine-one.json").read_text() == written
    assert len(benchmark([CELL], "--call", "two")[0]) == 2


def test_a_call_lists_all_gpus_that_its_cells_used(benchmark, tmp_path, monkeypatch):
    """Call nine of the H200, by an older commit, lists one and has cells of two."""
    two = CELL | {"devices": 2}
    monkeypatch.setattr(environment, "gpus", lambda variables: [{"name": "X"}])
    rows, begun = benchmark([CELL, two], "--call", "one")
    assert len(rows) == len(begun) == 1
    monkeypatch.setattr(environment, "gpus", lambda variables: [{"name": "X"}] * 2)
    with pytest.raises(SystemExit, match="differs from the rows of this call in GPUs"):
        benchmark([two], "--call", "one")
    benchmark([CELL, two], "--call", "two")
    files = {call: tmp_path / f"engine-{call}.json" for call in ("one", "two")}
    listed = {call: len(record.read_json(path)["gpus"]) for call, path in files.items()}
    assert listed == {"one": 1, "two": 2}


def test_rows_of_a_call_are_of_one_type_of_devices_as_the_table_has_none(benchmark, tmp_path):
    cpu = CELL | {"batch": 32, "device_type": "cpu"}
    with pytest.raises(SystemExit, match=r"plan.json: cells of cpu and of cuda, which the table"):
        benchmark([CELL, cpu], "--call", "one")
    benchmark([CELL], "--call", "one")
    with pytest.raises(SystemExit, match="differs from the rows of this call in device type; give"):
        benchmark([cpu], "--call", "one")
    benchmark([cpu], "--call", "two")
    files = {call: tmp_path / f"engine-{call}.json" for call in ("one", "two")}
    found = {call: record.read_json(path)["device_type"] for call, path in files.items()}
    assert found == {"one": "cuda", "two": "cpu"}


@pytest.mark.parametrize("table", TABLES, ids=[table.parent.name for table in TABLES])
def test_reference_has_a_machine_for_each_call(table):
    rows = record.read_table(table)
    assert list(rows[0]) == engine.COLUMNS
    for call in {row["call"] for row in rows}:
        assert record.read_json(table.parent / f"engine-{call}.json")["gpus"]
