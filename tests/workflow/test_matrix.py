"""A small matrix from end to end: what a run leaves behind, and what is made of all runs."""

import hashlib
import html
import json
import re
import shlex
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from suite import DATA, FIGURES, git, phases_sum_to_wall, rows, status

from bench.clock import PHASES
from bench.job import system_sources
from bench.spec import RunSpec
from bench.table_hashes import tables_sha256

EPOCH_COLUMNS = (
    "run,epoch,iteration,images,train_s,eval_s,wall_s,learners,lr,"
    "train_loss,test_loss,test_acc,test_top5,images_per_s"
)


def read_json(path):
    return json.loads(path.read_text())


def test_run_directories_hold_the_contract(matrix):
    for run in matrix.runs:
        expected = {"run.json", "epochs.csv", "telemetry.csv", "phases.csv", "status.json"}
        expected |= {"log.txt"} | ({"autotune.csv"} if "-mauto-" in run else set())
        found = {path.name for path in (matrix.results / "runs" / run).iterdir()}
        assert found == expected


def test_epochs(matrix):
    for run in matrix.runs:
        path = matrix.results / "runs" / run / "epochs.csv"
        assert path.read_text().splitlines()[0] == EPOCH_COLUMNS
        epochs = rows(path)
        assert [(row["run"], row["epoch"]) for row in epochs] == [(run, "1"), (run, "2")]
        for column in ("iteration", "images", "train_s", "eval_s", "wall_s"):
            first, second = (float(row[column]) for row in epochs)
            assert 0 < first < second
        for row in epochs:
            assert 0 <= float(row["test_acc"]) <= float(row["test_top5"]) <= 1


def bytes_sent(matrix, run):
    """S-SGD hands over every gradient once in each iteration."""
    (path,) = (matrix.results / "weights").rglob("seed-1.npz")
    gradients = sum(4 * array.size for array in np.load(path).values())
    epochs = rows(matrix.results / "runs" / run / "epochs.csv")
    return int(epochs[-1]["iteration"]) * gradients


def test_statuses(matrix):
    for run in matrix.runs:
        outcome = status(matrix.results, run)
        assert 2**25 < outcome.pop("memory_bytes") < 2**33
        assert outcome.pop("tables_sha256") == tables_sha256(matrix.results / "runs" / run)
        expected = {"status": "finished", "carried_s": 0.0, "staleness": None}
        expected["learner_memory_bytes"] = None  # of a GPU
        expected["sent_bytes"] = bytes_sent(matrix, run) if "cpu2" in run else 0
        assert outcome == expected | {"reason": outcome["reason"], "wall_s": outcome["wall_s"]}


def test_phases_sum_to_the_wall_time(matrix):
    for run in matrix.runs:
        folder = matrix.results / "runs" / run
        seconds = {row["phase"]: float(row["seconds"]) for row in rows(folder / "phases.csv")}
        assert list(seconds) == list(PHASES)
        assert min(seconds.values()) >= 0
        assert phases_sum_to_wall(matrix.results, run)
        # The two ledgers of a run tell the same: phases.csv and the last row of epochs.csv.
        last = rows(folder / "epochs.csv")[-1]
        for phase in ("train", "eval"):
            assert seconds[phase] == pytest.approx(float(last[f"{phase}_s"]), abs=1e-6)
        assert float(last["wall_s"]) <= status(matrix.results, run)["wall_s"]


def test_wall_time_lies_within_the_launchers_life(matrix, tmp_path):
    run = next(run for run in matrix.runs if run.startswith("crossbow"))
    state = tmp_path / "state" / run
    before = time.monotonic()
    command = matrix.suite.launch_command(matrix.config, run, state)
    subprocess.run(command, cwd=matrix.suite.folder, check=True, capture_output=True)
    around_s = time.monotonic() - before
    assert status(tmp_path, run)["wall_s"] <= around_s
    assert phases_sum_to_wall(tmp_path, run)


def test_provenance(matrix):
    suite = matrix.suite
    for run, spec in suite.runs(matrix.config).items():
        job = read_json(matrix.results / "runs" / run / "run.json")
        assert job["run"] == run
        assert RunSpec.from_dict(job["spec"]) == spec  # seeds and all
        assert job["code"]["commit"] == git(suite.folder, "rev-parse", "HEAD").strip()
        assert job["code"]["dirty"] is False
        digest = hashlib.sha256()
        for path in system_sources(spec):
            content = (suite.folder / path).read_bytes()
            digest.update(path.encode() + b"\0" + content + b"\0")
        assert job["code"]["sources_sha256"] == digest.hexdigest()
        model = (suite.folder / f"models/{spec.model}.py").read_bytes()
        assert job["code"]["model_sha256"] == hashlib.sha256(model).hexdigest()
        for name, sha256 in job["inputs"]["records_sha256"].items():
            content = (suite.folder / DATA / spec.dataset / name).read_bytes()
            assert hashlib.sha256(content).hexdigest() == sha256
        assert len(job["inputs"]["records_sha256"]) == 4
        weights = suite.folder / job["inputs"]["weights"]
        assert hashlib.sha256(weights.read_bytes()).hexdigest() == job["inputs"]["weights_sha256"]
        environment = job["environment"]
        assert environment["packages"]["torch"] and environment["packages"]["numpy"]
        assert environment["cores"] and environment["memory_bytes"] and environment["python"]
        assert environment["gpus"] == [] or environment["gpus"][0]["driver"]
        assert job["machine"]


def test_a_run_by_hand_is_of_its_own_system_and_from_a_run_json(matrix, tmp_path):
    (run,) = (run for run in matrix.runs if run.startswith("pytorch"))
    other = tmp_path / "other.json"
    other.write_text("{}")
    for request, reason in (
        (matrix.results / "runs" / run / "run.json", "use python -m baselines.pytorch_ssgd"),
        (other, "not the run.json of a run"),
        (tmp_path / "missing.json", "missing.json: No such file or directory; name the run.json"),
    ):
        command = [sys.executable, "-m", "crossbow_impl", request, tmp_path / "out"]
        done = subprocess.run(command, cwd=matrix.suite.folder, capture_output=True, text=True)
        assert done.returncode == 1
        (said,) = done.stderr.splitlines()
        assert said.startswith("Error: ") and reason in said
        assert not (tmp_path / "out").exists()


def test_code_that_no_commit_holds_is_recorded(suite):
    def code():
        ask = "import json; from bench.environment import code; print(json.dumps(code()))"
        command = [sys.executable, "-c", ask]
        done = subprocess.run(command, cwd=suite.folder, check=True, capture_output=True)
        return json.loads(done.stdout)

    commit = git(suite.folder, "rev-parse", "HEAD").strip()
    assert code() == {"commit": commit, "dirty": False}
    suite.append("models/lenet.py", "# edited\n")
    assert code() == {"commit": commit, "dirty": True}
    shutil.rmtree(suite.folder / ".git")
    assert code() == {"commit": "", "dirty": True}


def test_tables_join_all_runs(matrix):
    summary = rows(matrix.results / "summary.csv")
    assert [row["run"] for row in summary] == matrix.runs
    epochs = rows(matrix.results / "epochs.csv")
    assert list(epochs[0]) == EPOCH_COLUMNS.split(",")
    for row in summary:
        own = [epoch for epoch in epochs if epoch["run"] == row["run"]]
        assert own == rows(matrix.results / "runs" / row["run"] / "epochs.csv")
        accuracies = [float(epoch["test_acc"]) for epoch in own]
        assert float(row["final_acc"]) == accuracies[-1]
        assert float(row["best_acc"]) == max(accuracies)
        met = [n for n, accuracy in enumerate(accuracies, 1) if accuracy >= float(row["target"])]
        assert row["first_epochs"] == (str(met[0]) if met else "")
        assert row["median5_epochs"] == ""  # five epochs are needed, and a run has two
        assert row["epochs_run"] == "2"
        assert row["status"] == "finished"
    (machine,) = read_json(matrix.results / "machines.json")
    assert machine["runs"] == matrix.runs


def test_figures_and_report(matrix):
    page = (matrix.results / "report.html").read_text()
    figures = {path.name for path in (matrix.results / "figures").iterdir()}
    assert figures == {
        f"{name}.{form}" for name in FIGURES for form in ("svg", "pdf", "png", "csv", "txt")
    }
    for run in matrix.runs:
        assert run in page
    assert page.count("<svg") >= len(FIGURES)


def test_report_repeats_a_run_by_the_config_that_planned_it(matrix):
    page = html.unescape((matrix.results / "report.html").read_text())
    prefix = f"snakemake --cores all --configfile {matrix.config} --forcerun"
    commands = [f"{prefix} 'results/small matrix'/runs/{run}/status.json" for run in matrix.runs]
    assert [command for command in commands if command not in page] == []
    planned = matrix.suite.planned(*shlex.split(commands[0])[3:])
    assert [run for run in planned if run in matrix.runs] == [matrix.runs[0]]
    assert "report" in planned  # the page follows the run


def test_second_invocation_has_nothing_to_do(matrix):
    done = matrix.suite.snakemake("--configfile", matrix.config)
    assert done.returncode == 0
    assert "Nothing to be done" in done.stdout


def test_progress_counts_runs(matrix):
    counted = re.findall(r"^\[(\d)/3 runs done\] (\S+)  finished: ", matrix.printed, re.M)
    assert counted == [(str(n), run) for n, run in enumerate(matrix.runs, 1)]


def test_weights_are_drawn_once_for_all_systems(matrix):
    (weights,) = (matrix.results / "weights").rglob("seed-*.npz")
    with np.load(weights) as arrays:
        assert sum(arrays[name].size for name in arrays.files) > 0
    used = {read_json(path)["inputs"]["weights"] for path in matrix.results.rglob("run.json")}
    assert used == {str(weights.relative_to(matrix.suite.folder))}
