"""`python -m workflows.train`: a config's runs without Snakemake."""

import os
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from PIL import Image
from suite import CELL, REPOSITORY, rows

import workflows.train
from bench import record, stop
from bench.stop import RESUME
from models.weights import read
from workflows.pipeline import ResultsRefused
from workflows.plan import plan
from workflows.validate import ConfigError

TICK = 0.02  # seconds, after which a file's time differs


def command(module, *words):
    words = [sys.executable, "-m", f"workflows.{module}", *map(str, words)]
    return subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True)


def train(folder, *options):
    """Train the config in a folder, of two runs; returns what ended."""
    folders = ("--results", folder / "results", "--data", folder / "data")
    return command("train", folder / "two.yaml", *folders, *options)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder in which they have been trained, after a call that had no time for any."""
    folder = tmp_path_factory.mktemp("trained")
    matrix = [{"system": ["crossbow", "pytorch"], "model": "logistic", "epochs": 1}]
    content = {"name": "two", "defaults": CELL, "matrix": matrix}
    (folder / "two.yaml").write_text(yaml.safe_dump(content))
    assert train(folder, "--budget", "1e-9").returncode == 0
    assert not list((folder / "results").glob("runs/*"))
    done = train(folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def copy(trained, tmp_path):
    """That folder, for one test alone."""
    return shutil.copytree(trained, tmp_path / "copy")


def test_trains_what_has_no_result_yet(trained):
    statuses = sorted((trained / "results").glob("runs/*/status.json"))
    assert [record.read_json(path)["status"] for path in statuses] == ["finished"] * 2
    assert (trained / "results/weights/logistic/digits/seed-1.npz").exists()  # Snakemake's place
    times = [path.stat().st_mtime_ns for path in statuses]
    assert "nothing to do: all 2 runs have a result" in train(trained).stdout
    assert [path.stat().st_mtime_ns for path in statuses] == times


def test_a_model_that_changed_draws_weights_anew(digits, spec, tmp_path):
    source = tmp_path / "own.py"
    linear = "nn.Sequential(nn.Flatten(), nn.Linear(64, classes, bias={}))"
    content = "from torch import nn\n\ndef torch_model(shape, classes):\n    return " + linear
    cell = spec("pytorch", model="mine", model_source=str(source))
    for bias, size in ((True, 650), (False, 640)):
        time.sleep(TICK)
        source.write_text(content.format(bias))
        time.sleep(TICK)
        path = workflows.train.initial_weights(cell, digits, tmp_path)
        assert sum(array.size for array in read(path).values()) == size
    drawn = path.stat().st_mtime_ns
    assert workflows.train.initial_weights(cell, digits, tmp_path) == path
    assert path.stat().st_mtime_ns == drawn
    time.sleep(TICK)
    source.write_text(f"{content.format(True)}.weight")
    assert workflows.train.initial_weights(cell, digits, tmp_path) == path
    with pytest.raises(
        ValueError, match=r"own\.py: the .* fails, AttributeError.*; mend line 4, or"
    ):
        read(path)
    time.sleep(TICK)
    source.write_text("1 +")
    with pytest.raises(ConfigError, match=r"^mine on digits: .*own\.py: can't be imported, Syntax"):
        workflows.train.initial_weights(cell, digits, tmp_path)


def test_weights_are_drawn_anew_for_other_records(digits, spec, tmp_path):
    records, cell = shutil.copytree(digits, tmp_path / "records"), spec("pytorch", model="logistic")
    drawn = workflows.train.initial_weights(cell, records, tmp_path).stat().st_mtime
    for later in (-1, 1):
        os.utime(records / "manifest.json", (drawn + later, drawn + later))
        again = workflows.train.initial_weights(cell, records, tmp_path).stat().st_mtime
        assert (again > drawn) == (later > 0)


OWN = """
import torch
from torch import nn


def torch_model(shape, classes):
    module = nn.Sequential(nn.Flatten(), nn.Linear(64, classes))
    module[1].weight.data += torch.inf if torch.initial_seed() == 2 else 0
    return module
"""


def test_one_seed_of_inf_stops_no_other_and_a_changed_model_makes_its_runs_due(tmp_path):
    source = tmp_path / "own.py"
    source.write_text(OWN)
    group = {"system": "pytorch", "model": "mine", "epochs": 1, "seed": [1, 2, 3]}
    content = {"name": "two", "models": {"mine": str(source)}, "defaults": CELL, "matrix": [group]}
    (tmp_path / "two.yaml").write_text(yaml.safe_dump(content))
    done = train(tmp_path)
    assert done.returncode == 0, done.stderr
    statuses = sorted((tmp_path / "results").glob("runs/*/status.json"))
    ends = [record.read_json(path)["status"] for path in statuses]
    assert ends == [record.FINISHED, record.DIVERGED, record.FINISHED]
    assert "nothing to do: all 3 runs have a result" in train(tmp_path).stdout
    source.write_text(OWN.replace("nn.Flatten()", "nn.Flatten(), nn.ReLU()").replace("[1]", "[2]"))
    said = train(tmp_path, "--budget", "1e-9").stdout
    assert "3 runs are trained again" in said and "3 runs are still due" in said


def test_a_changed_file_in_models_makes_its_runs_due_and_the_rest_of_the_suite_does_not(
    copy, tmp_path, monkeypatch
):
    runs = plan(yaml.safe_load((copy / "two.yaml").read_text())).runs
    source = tmp_path / "models/logistic.py"
    source.parent.mkdir()
    shutil.copy(REPOSITORY / "models/logistic.py", source)
    monkeypatch.setattr("bench.job.ROOT", tmp_path)
    assert workflows.train.due_runs(copy / "results", runs) == []
    source.write_text(source.read_text() + "# changed\n")
    assert workflows.train.due_runs(copy / "results", runs) == list(runs)
    for path in (copy / "results").glob("runs/*/run.json"):  # as before there was a hash of it
        request = record.read_json(path)
        del request["code"]["model_sha256"]
        record.write_json(path, request)
    assert workflows.train.due_runs(copy / "results", runs) == []
    for damage in ("", "{}"):
        path.write_text(damage)
        with pytest.raises(ResultsRefused, match=r"run\.json is not readable .*; remove .*/runs/"):
            workflows.train.due_runs(copy / "results", runs)


def test_a_seed_for_which_no_model_can_be_made_fails_alone(tmp_path):
    source = tmp_path / "own.py"
    source.write_text(
        OWN.replace("module[1].", "assert torch.initial_seed() != 2\n    module[1].", 1)
    )
    group = {"system": "pytorch", "model": "mine", "epochs": 1, "seed": [1, 2, 3]}
    content = {"name": "two", "models": {"mine": str(source)}, "defaults": CELL, "matrix": [group]}
    (tmp_path / "two.yaml").write_text(yaml.safe_dump(content))
    done = train(tmp_path)
    assert done.returncode == 1
    assert "1 of 3 runs failed" in done.stderr
    assert f"{source}: the torch model for shape (8, 8, 1) and 10 classes fails, Ass" in done.stderr
    statuses = sorted((tmp_path / "results").glob("runs/*/status.json"))
    ends = [record.read_json(path)["status"] for path in statuses]
    assert ends == [record.FINISHED, record.FAILED, record.FINISHED]


def test_an_interrupt_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("workflows.train.hold_results", interrupt)
    monkeypatch.setattr(sys, "argv", ["train", str(REPOSITORY / "workflows/config/smoke.yaml")])
    with pytest.raises(SystemExit) as ended:
        workflows.train.main()
    assert ended.value.code == 130
    assert (
        capsys.readouterr().err == "stopped: the same command resumes it from its last checkpoint\n"
    )


@pytest.mark.parametrize("step", ["hold_results", "prepare", "launch"])
def test_sigterm_between_runs_means_resume(step, tmp_path, monkeypatch, capsys):
    """While runs are planned, while data are made, and as a run ends that it comes too late for."""
    steps = []

    def terminate(*_, **__):
        if step == "launch":
            stop.listen()  # as a run does
        os.kill(os.getpid(), signal.SIGTERM)

    for name in ("hold_results", "prepare", "open_records", "export", "launch"):
        monkeypatch.setattr(f"workflows.train.{name}", lambda *_, of=name, **__: steps.append(of))
    monkeypatch.setattr(
        "workflows.train.open_records", lambda _: SimpleNamespace(shape=0, classes=0)
    )
    monkeypatch.setattr(f"workflows.train.{step}", terminate)
    monkeypatch.setattr("bench.stop._requested", False)
    folders = ("--results", str(tmp_path), "--data", str(tmp_path))
    config = str(REPOSITORY / "workflows/config/smoke.yaml")
    monkeypatch.setattr(sys, "argv", ["train", config, *folders])
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with pytest.raises(SystemExit) as ended:
            workflows.train.main()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.value.code == RESUME
    assert capsys.readouterr().err == "Stopped by SIGTERM; the same command goes on.\n"
    assert steps.count("prepare") == (step == "launch")


def test_failed_runs_end_the_command_with_1_and_are_tried_again_after_the_others(copy):
    (failed,) = (copy / "results").glob("runs/crossbow-*/status.json")  # the first one planned
    (missing,) = (copy / "results").glob("runs/pytorch-*/status.json")
    outcome = {"status": "failed", "reason": "killed by SIGKILL"}
    record.write_json(failed, record.read_json(failed) | outcome)
    missing.unlink()
    none = train(copy, "--budget", "1e-9")
    assert none.returncode == 1 and "2 runs are still due" in none.stdout
    assert "1 of 2 runs failed; the same command tries them again:\n  crossbow-" in none.stderr
    assert none.stderr.endswith(": killed by SIGKILL\n")
    again = train(copy)
    assert again.returncode == 0, again.stderr
    assert missing.stat().st_mtime_ns < failed.stat().st_mtime_ns


def test_a_budget_below_0_is_refused(copy):
    done = train(copy, "--budget", "-5")
    assert done.returncode == 2
    assert "argument --budget: '-5' is no number of seconds above 0; leave" in done.stderr


def join(folder, *options, results="results"):
    """Join the runs of the config in a folder."""
    return command("join", folder / "two.yaml", "--results", folder / results, *options)


def test_what_was_not_run_is_named_where_runs_are_joined(copy):
    assert "none of the 2 planned runs is there" in join(copy, results="none").stderr
    (killed,) = (copy / "results").glob("runs/pytorch-*/status.json")
    killed.unlink()
    assert "1 of 2 planned runs joined" in join(copy).stdout
    summary = rows(copy / "results/summary.csv")
    assert [(row["system"], row["status"]) for row in summary] == [
        ("crossbow", "finished"),
        ("pytorch", "not_run"),
    ]
    assert len(rows(copy / "results/epochs.csv")) == 1


def test_runs_whose_directories_are_gone_come_from_earlier_tables(copy):
    assert "2 of 2" in join(copy).stdout
    results, earlier = copy / "results", copy / "earlier"
    earlier.mkdir()
    names = ("summary.csv", "epochs.csv", "autotune.csv", "machines.json")
    for name in names:
        shutil.copy(results / name, earlier / name)
    (gone,) = results.glob("runs/crossbow-*")  # the first one planned
    shutil.rmtree(gone)
    assert "1 of 2" in join(copy).stdout
    assert "2 of 2" in join(copy, "--earlier", earlier).stdout
    assert rows(results / "summary.csv") == rows(earlier / "summary.csv")
    for name in names[1:3]:
        here, before = ([tuple(r.values()) for r in rows(f / name)] for f in (results, earlier))
        assert sorted(here) == sorted(before)
    machines = record.read_json(results / "machines.json")
    assert sorted(run for machine in machines for run in machine["runs"]) == sorted(
        row["run"] for row in rows(results / "summary.csv")
    )
    again = earlier / "summary.csv"
    again.write_text(again.read_text().replace("wall_s", "wall_seconds"))
    refused = join(copy, "--earlier", earlier).stderr
    assert f"{again}: has other columns" in refused and "wall_seconds" in refused
    again.unlink()
    refused = join(copy, "--earlier", earlier).stderr
    assert "summary.csv" in refused and "Traceback" not in refused


def test_folders_are_those_of_the_config_unless_they_are_given(tmp_path):
    config, photos = tmp_path / "own.yaml", tmp_path / "photos"
    for name in ("cat", "dog"):
        for split in ("train", "val"):
            (photos / split / name).mkdir(parents=True)
            pixels = np.random.default_rng(0).integers(0, 256, (9, 9, 3), np.uint8)
            Image.fromarray(pixels).save(photos / split / name / "1.jpg")
    group = {"system": "crossbow", "model": "logistic", "epochs": 1, "batch": 1, "dataset": "p-8"}
    folders = {key: str(tmp_path / key) for key in ("data", "results", "archives")}
    content = {"name": "own", "defaults": CELL, "matrix": [group], "datasets": {"p": str(photos)}}
    config.write_text(yaml.safe_dump(content | folders))
    for given in ([], ["--data", tmp_path / "others", "--archives", tmp_path]):
        done = command("train", config, *given)
        assert done.returncode == 0, done.stderr
        (status,) = (tmp_path / "results").glob("runs/*/status.json")
        assert record.read_json(status)["status"] == "finished"
        assert (tmp_path / "data/p-8/manifest.json").exists()
        status.unlink()
    assert (tmp_path / "others/p-8/manifest.json").exists()


def test_a_config_that_does_not_do_is_one_sentence(tmp_path):
    done = command("train", tmp_path / "absent.yaml")
    assert done.returncode == 1
    assert done.stderr == f"Error: {tmp_path / 'absent.yaml'}: No such file or directory; " + (
        "name a file that is there\n"
    )
