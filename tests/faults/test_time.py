"""A clock that goes backwards, and results of an older version: what is finished stays so."""

import json
import os
import subprocess
import sys

from suite import REPOSITORY, numbers, phases_sum_to_wall, rows, status

HOUR_S = 3600
GROUP = {"system": "crossbow", "model": "logistic", "epochs": 2}
# Every process has a calendar clock that loses a second whenever it is read.
BACKWARDS = """
import itertools, time
_start, _lost = time.time(), itertools.count()
time.time = lambda: _start - next(_lost)
"""
# What results had no word of, before: keys of status.json, and settings in run.json.
NEW_IN_STATUS = ["memory_bytes", "learner_memory_bytes", "sent_bytes", "staleness", "carried_s"]
NEW_IN_SPEC = ["model_source", "repeat", "unroll", "cudnn_benchmark", "method", "nodes"]


def test_a_clock_that_was_set_back(finished, tmp_path):
    suite, results = finished.suite, finished.results
    # All that there is has been written an hour from now.
    for path in suite.folder.rglob("*"):
        seconds = path.lstat().st_mtime + HOUR_S
        os.utime(path, (seconds, seconds), follow_symlinks=False)
    before = finished.files()
    (run,) = finished.more(GROUP)
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(BACKWARDS)
    with suite.running(*finished.arguments, PYTHONPATH=str(hook)) as process:
        assert process.wait(120) == 0, suite.printed.read_text()
    assert len(numbers(results, run)) == GROUP["epochs"]
    assert phases_sum_to_wall(results, run)
    walls = [float(row["wall_s"]) for row in rows(results / "runs" / run / "epochs.csv")]
    assert 0 < walls[0] < walls[1] < status(results, run)["wall_s"] < HOUR_S
    after = finished.files()
    assert {name: content for name, (content, _) in after.items()} == {
        name: content for name, (content, _) in before.items()
    }
    assert suite.planned(*finished.arguments) == []


def test_results_of_an_older_version(finished):
    suite, results = finished.suite, finished.results
    folder = results / "runs" / finished.run
    for name, keys in (("status.json", NEW_IN_STATUS), ("run.json", NEW_IN_SPEC)):
        content = json.loads((folder / name).read_text())
        part = content["spec"] if name == "run.json" else content
        for key in keys:
            del part[key]
        times = (folder / name).stat().st_mtime_ns
        (folder / name).write_text(json.dumps(content))
        os.utime(folder / name, ns=(times, times))
    before = finished.files()
    # Not even Snakemake's notes are there.
    for note in (suite.folder / ".snakemake/metadata").iterdir():
        note.unlink()
    assert suite.planned(*finished.arguments) == []
    done = suite.snakemake(*finished.arguments, "--forcerun", "collect")
    assert done.returncode == 0, done.stdout
    (row,) = rows(results / "summary.csv")
    assert (row["run"], row["status"]) == (finished.run, status(results, finished.run)["status"])
    assert row["epochs_run"] == "5" and float(row["wall_s"]) > 0
    assert finished.files() == before


def said(module, *words):
    command = [sys.executable, "-m", module, *map(str, words)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr


def test_a_finished_run_that_lost_rows_is_refused(finished):
    suite, results = finished.suite, finished.results
    path = results / "runs" / finished.run / "epochs.csv"
    path.write_bytes(path.read_bytes()[:-20])
    # Nobody looks into it while the tables are up to date, but for the command that looks at all.
    assert suite.planned(*finished.arguments) == []
    found = said("bench.verify", results)
    assert f"{path} differ: status is reached in the one, which is after 5 epochs, and 4" in found
    joined = said("workflows.join", finished.config, "--results", results)
    assert joined.startswith(f"Error: {path}: 4 whole rows, and status.json"), joined
    assert (results / "summary.csv").exists()
    done = suite.snakemake(*finished.arguments, "--forcerun", "collect")
    assert done.returncode != 0
    assert f"Error: {path.relative_to(suite.folder)}: 4 whole rows, and status.json" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (results / "summary.csv").exists()
