"""Ids of runs name folders of the results, and nothing else."""

import json
import subprocess
import sys

import pytest

from bench import record
from bench.progress import MATRIX
from workflows.report.runs import describe, split_columns

ROW = {"run": "../../elsewhere", "status": "reached", "reason": "", "system": "x", "commit": ""}
ROW |= {"dirty": "", "learners_final": "", "seed": "1"}
ROW |= dict.fromkeys(("median5_s", "median5_epochs", "best_acc", "images_per_s"), "")
ROW |= dict.fromkeys(("epochs_run", "train_s"), "")


@pytest.mark.parametrize("run", ["../outside", "/etc", "..", "a/b"])
def test_a_list_of_runs_leads_nowhere_else(run, tmp_path):
    results = tmp_path / "results"
    (results / "state").mkdir(parents=True)
    (results / "state" / MATRIX).write_text(run)
    command = [sys.executable, "-m", "bench.summary", str(results)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode and f"{run!r} is no id of a run" in done.stderr
    assert "Traceback" not in done.stderr and not (results / "summary.csv").exists()


def test_the_report_links_to_runs_alone(tmp_path):
    runs, elsewhere = tmp_path / "results/runs", tmp_path / "elsewhere"
    (runs / "one").mkdir(parents=True)
    elsewhere.mkdir()
    for folder in (runs / "one", elsewhere):
        record.write_json(folder / record.RUN, {})
    columns, _ = split_columns([ROW])

    def links(run):
        found = describe(ROW | {"run": run}, columns, runs, tmp_path / "results", "{run}")["files"]
        return [address for _, address in found if address]

    assert (runs / ROW["run"] / record.RUN).exists() and links(ROW["run"]) == []
    assert links("one") == ["runs/one/run.json"]


def test_a_request_of_someone_elses_leads_nowhere_else(spec, tmp_path):
    fields = spec("pytorch").to_dict() | {"model": "../../outside"}
    names = {"records_sha256": {}, "weights_sha256": "", "records": "", "weights": "", "state": ""}
    request = {"run": "x", "spec": fields, "inputs": names, "code": {"sources_sha256": ""}}
    (tmp_path / "run.json").write_text(json.dumps(request))
    out = tmp_path / "out"
    command = [sys.executable, "-m", "baselines.pytorch_ssgd", str(tmp_path / "run.json"), str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode and "model: '../../outside' is no part of a run's id" in done.stderr
    assert not out.exists()
