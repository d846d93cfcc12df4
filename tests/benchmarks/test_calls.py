"""Beside the rows of a call are its machine and its code, which earlier results do not change."""

import importlib
import json
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="what they measure is trained: install requirements.lock")

from bench import environment, record
from benchmarks import all_reduce, records_cost
from benchmarks.results import write_result

CELL = {"system": "crossbow", "model": "lenet", "dataset": "synthetic-28-10", "batch": 16}
OPTIONS = {
    "records_cost": [json.dumps(CELL | {"device_type": "cpu"}), "--records", "16"],
    "all_reduce": ["--device-type", "cpu", "--devices", "2", "--sizes", "4096"],
}


def summed(spec, work):
    row = {"bytes": 4096, "seconds": "1", "least_s": "1", "most_s": "1"}
    record.write_json(work.keywords["out"], {"rows": [row]})


@pytest.fixture
def call(tmp_path, monkeypatch):
    """One visit of a command that measures nothing: the machine beside its rows."""
    monkeypatch.setattr(records_cost, "on_ranks", lambda spec, data, work: work(0, spec, data, ""))
    monkeypatch.setattr(records_cost, "measured", lambda *_: {"train_s": "1", "eval_s": "1"})
    monkeypatch.setattr(all_reduce, "on_devices", summed)

    def run(command, name):
        options = [*OPTIONS[command], "--out", str(tmp_path), "--call", name]
        monkeypatch.setattr(sys, "argv", [command, *options])
        importlib.import_module(f"benchmarks.{command}").main()
        return record.read_json(tmp_path / f"{command}-{name}.json")

    return run


@pytest.mark.parametrize("command", OPTIONS)
def test_a_call_is_of_the_machine_of_its_first_rows(command, call, tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "code", lambda *_: {"commit": "abc", "dirty": False})
    call(command, "one")
    first = call(command, "one")
    monkeypatch.setattr(environment, "cpu_name", lambda: "another")
    with pytest.raises(SystemExit, match=f"{command}-one.json: .* differs .* in CPU; give it a"):
        call(command, "one")
    assert record.read_json(tmp_path / f"{command}-one.json") == first
    assert call(command, "two")["cpu"] == "another"
    rows = record.read_table(tmp_path / f"{command}.csv")
    assert [row["call"] for row in rows] == ["one", "one", "two"]


def test_results_of_other_benchmarks_are_no_change_of_the_code(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    (tmp_path / "code.py").write_text("")
    for command in (["init"], ["add", "."], ["commit", "-m", "first"]):
        name = ["-c", "user.name=x", "-c", "user.email=x"]
        subprocess.run(["git", *name, *command], cwd=tmp_path, check=True, capture_output=True)
    result = tmp_path / "results/reference/here/result.json"
    for path, dirty in (("results/reference/here/timeline.csv", False), ("other.py", True)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
        write_result(result, {})
        assert record.read_json(result)["code"]["dirty"] is dirty
