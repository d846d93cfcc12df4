"""Beside the rows of a call are its machine and its code, which earlier results do not change."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="what they measure is trained: install requirements.lock")

from bench import environment, record
from benchmarks import all_reduce, engine, records_cost
from benchmarks.results import source_of, write_result

CELL = {
    "system": "crossbow", "model": "lenet", "dataset": "synthetic-28-10", "batch": 16,
    "device_type": "cpu",
}  # fmt: skip
OPTIONS = {
    "engine": ["plan.json"],
    "records_cost": [json.dumps(CELL), "--records", "16"],
    "all_reduce": ["--device-type", "cpu", "--devices", "2", "--sizes", "4096"],
}
CLEAN = {"commit": "abc", "dirty": False}


def summed(spec, work):
    times = {"seconds": "1", "least_s": "1", "most_s": "1"}
    rows = [{"bytes": size} | times for size in work.keywords["sizes"]]
    record.write_json(work.keywords["out"], {"rows": rows})


@pytest.fixture
def call(tmp_path, monkeypatch):
    """One visit of a command that measures nothing: the machine beside its rows."""
    record.write_json(tmp_path / "plan.json", [CELL])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(engine, "measured", lambda *_, **__: (row for row in [CELL]))
    monkeypatch.setattr(records_cost, "on_ranks", lambda spec, data, work: work(0, spec, data, ""))
    monkeypatch.setattr(records_cost, "measured", lambda *_: {"train_s": "1", "eval_s": "1"})
    monkeypatch.setattr(all_reduce, "on_devices", summed)

    def run(command, name, out="results", more=()):
        options = [*OPTIONS[command], "--out", out, "--call", name, *more]
        monkeypatch.setattr(sys, "argv", [command, *options])
        importlib.import_module(f"benchmarks.{command}").main()
        return record.read_json(tmp_path / out / f"{command}-{name}.json")

    return run


def calls_of(command):
    return [row["call"] for row in record.read_table(Path("results", f"{command}.csv"))]


@pytest.mark.parametrize("command", OPTIONS)
def test_a_call_is_of_the_machine_of_its_first_rows(command, call, monkeypatch):
    monkeypatch.setattr(environment, "code", lambda *_: CLEAN)
    call(command, "one")
    first = call(command, "one")
    monkeypatch.setattr(environment, "cpu_name", lambda: "another")
    with pytest.raises(SystemExit, match=f"{command}-one.json: .* differs .* in CPU; give it a"):
        call(command, "one")
    assert record.read_json(Path("results", f"{command}-one.json")) == first
    assert call(command, "two")["cpu"] == "another"
    assert calls_of(command) == ["one", "one", "two"]


@pytest.mark.parametrize("stopped_at", [2, 3], ids=["between devices", "within them"])
def test_sums_that_a_call_has_are_left_out_where_that_is_asked(stopped_at, call, monkeypatch):
    monkeypatch.setattr(environment, "code", lambda *_: CLEAN)
    table = Path("results/all_reduce.csv")
    asked = ["--devices", "2", "3", "--sizes", "4096", "8192", "--skip-measured"]
    call("all_reduce", "one", more=asked)
    whole = table.read_text().splitlines(keepends=True)
    begun = []
    monkeypatch.setattr(all_reduce, "on_devices", lambda *a: begun.append(a) or summed(*a))
    call("all_reduce", "one", more=asked)
    assert "".join(whole) == table.read_text() and not begun
    table.write_text("".join(whole[: 1 + stopped_at]))
    call("all_reduce", "one", more=asked)
    assert "".join(whole) == table.read_text()
    assert [(spec.devices, work.keywords["sizes"]) for spec, work in begun] == [
        (3, [4096, 8192] if stopped_at == 2 else [8192])
    ]
    call("all_reduce", "two", more=asked)
    call("all_reduce", "one", more=asked[:-1])
    assert calls_of("all_reduce") == 4 * ["one"] + 4 * ["two"] + 4 * ["one"]


OTHERS = "UUIDs of GPUs, which are others of the same kind"


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (["a"], ["a"], None),
        (["a"], ["b"], OTHERS),
        (["a", "b"], ["a", "c"], OTHERS),
        (["a", None], ["b", None], OTHERS),
        (["a", "b"], ["a"], "GPUs"),
        ([None], ["b"], None),
        (["a"], [None], None),
        (["MIG-a"], ["MIG-b"], OTHERS),
        ([], [], None),
    ],
)
def test_a_call_is_of_the_same_gpus_as_far_as_they_tell(before, now, said, call, monkeypatch):
    def seen(uuids):
        found = [{"name": "X", "uuid": uuid} for uuid in uuids]
        monkeypatch.setattr(environment, "gpus", lambda *_: found)

    monkeypatch.setattr(environment, "code", lambda *_: CLEAN)
    seen(before)
    first = call("all_reduce", "one")
    seen(now)
    if said:
        with pytest.raises(SystemExit, match=f"of this call in {said}; give it a --call of its"):
            call("all_reduce", "one")
    else:
        call("all_reduce", "one")
    assert record.read_json(Path("results/all_reduce-one.json")) == first
    assert calls_of("all_reduce") == ["one"] * (1 if said else 2)


@pytest.mark.parametrize(("name", "said"), [("X", None), ("Y", "GPUs")])
def test_a_call_from_before_uuids_is_held_to_the_kind_of_its_gpus(name, said, call, monkeypatch):
    monkeypatch.setattr(environment, "code", lambda *_: CLEAN)
    monkeypatch.setattr(environment, "gpus", lambda *_: [{"name": "X"}])
    first = call("all_reduce", "one")
    monkeypatch.setattr(environment, "gpus", lambda *_: [{"name": name, "uuid": "a"}])
    if said:
        with pytest.raises(SystemExit, match=f"of this call in {said}; give it a --call"):
            call("all_reduce", "one")
    else:
        assert call("all_reduce", "one") == first  # nobody knows which GPU the first rows are of


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (CLEAN, CLEAN | {"dirty": True}, "changes that no commit holds"),
        (CLEAN | {"dirty": True}, CLEAN, "changes that no commit holds"),
        (CLEAN, CLEAN | {"commit": "def"}, "commit"),
        (None, CLEAN, "commit, or has none: CODE_COMMIT names it"),
        ({"commit": "abc"}, CLEAN, None),
    ],
    ids=["changed", "no longer changed", "commit", "not recorded", "changes not recorded"],
)
def test_a_call_is_of_one_code(before, now, said, call, monkeypatch):
    monkeypatch.setattr(environment, "code", lambda *_: now)
    first = call("all_reduce", "one")
    path = Path("results/all_reduce-one.json")
    del first["code"]
    record.write_json(path, first if before is None else first | {"code": before})
    written = path.read_text()
    if said:
        with pytest.raises(SystemExit, match=f"rows of this call in {said}; give it a --call"):
            call("all_reduce", "one")
    else:
        call("all_reduce", "one")
    assert path.read_text() == written


@pytest.mark.parametrize("command", OPTIONS)
def test_half_a_row_is_cut_off_before_the_next_one(command, call):
    call(command, "one")
    table = Path("results", f"{command}.csv")
    whole = table.read_text()
    table.write_text(whole + whole.splitlines()[1][:5])
    call(command, "two")
    assert calls_of(command) == ["one", "two"] and table.read_text().startswith(whole)


@pytest.mark.parametrize("command", OPTIONS)
def test_what_is_damaged_is_left_as_it_is_and_named(command, call, monkeypatch):
    monkeypatch.setattr(environment, "code", lambda *_: CLEAN)
    call(command, "one")
    table, beside = Path("results", f"{command}.csv"), Path("results", f"{command}-one.json")
    whole, header = table.read_bytes(), table.read_bytes().splitlines(keepends=True)[0]
    for path, content, said in (
        (beside, b"", "is not readable as JSON (Expecting value"),
        (beside, b"[]", "is no JSON object: bring it from where the call began, or give another"),
        (table, b"\x89PNG\n\xff\n", "has other columns: move it away"),
        (table, header + b"\xff\n", "is not readable as CSV ('utf-8' codec can't decode"),
    ):
        table.write_bytes(whole)
        path.write_bytes(content)
        with pytest.raises(SystemExit, match=re.escape(f"{path} {said}")):
            call(command, "one")
        assert path.read_bytes() == content


@pytest.mark.parametrize("command", OPTIONS)
def test_a_call_on_cpus_is_called_by_them_also_where_gpus_are(command, call, monkeypatch):
    monkeypatch.setattr(environment, "gpus", lambda *_: [{"name": "X"}])
    made = call(command, "one")
    assert source_of(Path("results", f"{command}-one.json")).machine.endswith(f" x {made['cpu']}")
    assert ("interpreters" in made) is (command == "engine")


@pytest.mark.parametrize("command", OPTIONS)
@pytest.mark.parametrize(
    ("name", "out", "sentence"),
    [
        ("../x", "results", "--call: '../x' names a file; use letters"),
        ("one", "plan.json", "--out: plan.json is a file; name a folder"),
        ("one", "plan.json/below", "--out: plan.json is a file; name a folder"),
    ],
)
def test_a_call_that_names_a_file_is_refused(command, name, out, sentence, call, capsys):
    with pytest.raises(SystemExit):
        call(command, name, out)
    assert sentence in capsys.readouterr().err and not Path("results").exists()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """The code's, with a commit of all that is in the test's folder."""
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    (tmp_path / "code.py").write_text("")
    for command in (["init"], ["add", "."], ["commit", "-m", "first"]):
        name = ["-c", "user.name=x", "-c", "user.email=x"]
        subprocess.run(["git", *name, *command], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/timeline.csv").write_text("")
    return tmp_path


def test_results_of_other_benchmarks_are_no_change_of_the_code(repository):
    result = repository / "results/result.json"
    write_result(result, {})
    assert record.read_json(result)["code"]["dirty"] is False
    (repository / "other.py").write_text("")
    write_result(result, {})
    assert record.read_json(result)["code"]["dirty"] is True


@pytest.mark.parametrize("command", OPTIONS)
def test_results_of_other_calls_are_no_change_of_the_code(command, call, repository):
    assert call(command, "one")["code"]["dirty"] is False
    (repository / "other.py").write_text("")
    assert call(command, "two")["code"]["dirty"] is True
