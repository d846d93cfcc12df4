"""A file that a command of the benchmarks reads and that is missing or damaged is one sentence."""

import importlib
import shutil
import sys
from pathlib import Path

import pytest

from bench import record
from benchmarks import scaling_measured

REFERENCE = Path(__file__).resolve().parents[2] / "results/reference"
FOLDERS = (REFERENCE / "nvidia-h200", REFERENCE / "2-core-epyc/scaling")  # the latter's win
RUN = "runs/pytorch-1"
COMMANDS = {
    "predict": "scaling_model predict {} {}/plan.json",
    "predict by a trace": "scaling_model predict {} {}/plan.json",
    "check": "scaling_model check {}/engine.csv",
    "curves": "cost_curves {}",
    "engine": "draw {} engine",
    "timeline": "draw {} timeline",
    "tuning": "draw {} tuning",
    "prediction": "draw {} scaling_prediction",
    "costs": "draw {} cost_curves",
    "queue": "queue_check check {}",
    "forecast": "queue_check forecast {}/summary.csv --out {}",
    "runs": "queue_check timeline {} --slots 1 --call x --out {}/queue",
}
READ = {
    "predict": "engine.csv engine-one.json all_reduce.csv",
    "predict by a trace": "timeline.csv overlap.json",
    "check": "engine.csv engine-one.json scaling_prediction.csv",
    "curves": "engine.csv records_cost.csv all_reduce.csv all_reduce-one.json",
    "engine": "engine.csv",
    "timeline": "timeline.csv overlap.json",
    "tuning": "tuning.csv tuning.json",
    "prediction": "engine.csv engine-one.json scaling_prediction.csv all_reduce.csv "
    "all_reduce-one.json",
    "costs": "cost_curves.csv records_cost-one.json",
    "queue": "queue.csv",
    "forecast": "summary.csv",
    "runs": f"{RUN}/status.json {RUN}/run.json",
}
# The command goes on, or reads another file.
NOT_MISSED = {
    ("curves", "engine.csv"), ("curves", "records_cost.csv"), ("curves", "all_reduce.csv"),
    ("predict", "all_reduce.csv"), ("predict by a trace", "timeline.csv"),
    ("prediction", "all_reduce.csv"),
    ("check", "engine-one.json"), ("prediction", "engine-one.json"),
    ("prediction", "all_reduce-one.json"), ("costs", "records_cost-one.json"),
    ("runs", f"{RUN}/status.json"),
}  # fmt: skip
DAMAGES = {
    "missing": lambda content, is_json: None,
    "empty": lambda content, is_json: b"",
    "truncated": lambda content, is_json: content[: len(content) // 2 if is_json else 7],
    "binary": lambda content, is_json: b"\x89PNG\r\n\x1a\n\x00\xff\n" + bytes(20),
}


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Runs a command on a folder of measurements that `change` has damaged; what it says."""
    for folder in FOLDERS:
        for name in {name for names in READ.values() for name in names.split()}:
            if (folder / name).exists():
                shutil.copy2(folder / name, tmp_path / name)
    (tmp_path / RUN).mkdir(parents=True)
    spec = dict.fromkeys(("system", "model", "devices", "learners", "batch", "seed"), 1)
    record.write_json(tmp_path / RUN / record.RUN, {"spec": spec})
    record.write_json(tmp_path / RUN / record.STATUS, {"wall_s": 9.0})

    def run(command, change):
        if command == "predict by a trace":
            (tmp_path / "all_reduce.csv").unlink()
        change(tmp_path)
        module, *arguments = COMMANDS[command].replace("{}", str(tmp_path)).split()
        monkeypatch.setattr(sys, "argv", [module, *arguments])
        with pytest.raises(SystemExit) as ended:
            importlib.import_module(f"benchmarks.{module}").main()
        said = str(ended.value.code)
        assert "Errno" not in said and len(said.splitlines()) == 1
        return said.replace(f"{tmp_path}/", "")

    return run


@pytest.mark.parametrize(
    ("command", "name", "damage"),
    [
        (command, name, damage)
        for command, names in READ.items()
        for name in names.split()
        for damage in DAMAGES
        if damage != "missing" or (command, name) not in NOT_MISSED
    ],
)
def test_a_damaged_file_is_named(command, name, damage, refused):
    def change(folder):
        path = folder / name
        content = DAMAGES[damage](path.read_bytes(), path.suffix == ".json")
        path.unlink() if content is None else path.write_bytes(content)

    assert name in refused(command, change)


@pytest.mark.parametrize("cell", ["x", "inf"])
@pytest.mark.parametrize(
    ("command", "name", "column"),
    [
        ("check", "scaling_prediction.csv", "speed_up_low"),
        ("curves", "records_cost.csv", "least_s"),
        ("curves", "all_reduce.csv", "seconds"),
        ("predict by a trace", "timeline.csv", "end_us"),
        ("timeline", "timeline.csv", "end_us"),
        ("tuning", "tuning.csv", "images_per_s"),
        ("prediction", "scaling_prediction.csv", "speed_up"),
        ("costs", "cost_curves.csv", "law_s"),
        ("queue", "queue.csv", "slots"),
        ("forecast", "summary.csv", "wall_s"),
    ],
)
def test_a_cell_that_is_no_number_is_named(command, name, column, cell, refused):
    def change(folder):
        rows = record.read_table(folder / name)
        changed = [row | {column: cell} if row[column] else row for row in rows]
        record.write_table(folder / name, list(rows[0]), changed)

    said = refused(command, change)
    assert f": {column} is {cell!r}, no number" in said and name in said


@pytest.mark.parametrize(
    ("command", "name", "said"),
    [
        ("predict", "all_reduce.csv", "has no whole row: measure again, or move it away"),
        ("curves", "all_reduce.csv", "has no whole row: measure again, or move it away"),
        ("timeline", "timeline.csv", "has no whole row: measure again, or move it away"),
        ("prediction", "scaling_prediction.csv", "has no whole row: `python -m benchmarks.sca"),
        ("costs", "cost_curves.csv", "has no whole row: `python -m benchmarks.cost_curves"),
        ("engine", "engine.csv", "has no sweep of Crossbow's learners"),
        ("check", "engine.csv", "has none of the cells of more than two devices"),
        ("forecast", "summary.csv", "has no whole row: name a summary.csv of joined runs"),
    ],
)
def test_a_table_without_rows_is_named(command, name, said, refused):
    def change(folder):
        path = folder / name
        path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])

    assert f"{name} {said}" in refused(command, change)


@pytest.mark.parametrize(
    ("command", "name"),
    [(c, name) for c, names in READ.items() for name in names.split() if name.endswith("csv")],
)
def test_a_table_of_something_else_is_named(command, name, refused):
    said = refused(command, lambda folder: (folder / name).write_text("a,b\n1,2\n"))
    assert f"{name} lacks the columns " in said


@pytest.mark.parametrize(
    ("command", "name", "lacks"),
    [
        ("predict", "engine-one.json", "gpus, cores"),
        ("curves", "all_reduce-one.json", "gpus, cores"),
        ("predict by a trace", "overlap.json", "run"),
        ("timeline", "overlap.json", "run"),
        ("tuning", "tuning.json", "run, chosen, chosen_images_per_s, best, "),
        ("runs", f"{RUN}/status.json", "wall_s: train that run again, or move it away"),
    ],
)
def test_an_object_of_something_else_is_named(command, name, lacks, refused):
    said = refused(command, lambda folder: (folder / name).write_text("{}"))
    assert f"{name} lacks {lacks}" in said


def test_a_call_without_its_machine_says_what_to_do(refused):
    said = refused("predict", lambda folder: (folder / "engine-one.json").unlink())
    assert said == (
        "Error: engine-one.json is missing: it says whether the devices of the call were GPUs, or "
        "cores that take turns; bring it from where its measurement was made, or measure again"
    )


def test_half_a_row_is_no_measurement(tmp_path):
    table = tmp_path / "engine.csv"
    whole = (FOLDERS[1] / "engine.csv").read_text()
    table.write_text(whole + whole.splitlines()[-1][:60])
    assert len(scaling_measured.measured_in(table)) == len(record.read_table(table)) > 1
