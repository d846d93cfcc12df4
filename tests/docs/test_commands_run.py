"""Every command of the pages runs, one after the other, in a copy of the repository."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import fenced, files, lines_of_systems, outputs
from not_run import NOT_RUN
from photos import photo
from suite import FIGURES, Suite

RUN = [command for command in fenced() if command.text not in NOT_RUN]
REGISTRY = "SYSTEMS = {\n"
FIGURE = "time_to_accuracy"  # which the pages draw; the others would take minutes


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The repository with what the pages say to write, with one figure, and photos at home.

    Runs that pages keep in a folder of their own are the same in both, and trained once.
    """
    home = tmp_path_factory.mktemp("home")
    suite = Suite.create(home / "repository")
    for figure in FIGURES - {FIGURE}:
        (suite.folder / f"plots/{figure}.py").unlink()
    for name, text in files().items():
        path = suite.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    suite.edit("bench/systems.py", REGISTRY, REGISTRY + "".join(lines_of_systems()))
    for path in suite.folder.glob("results/reference/*/figures/*"):
        if path.stem != FIGURE:
            path.unlink()
    (suite.folder / "results-smoke").symlink_to("results")
    for name in ("cats/1.jpg", "cats/2.jpg", "dogs/1.jpg", "dogs/2.jpg"):
        path = home / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(photo("420", 40, 50, seed=len(name)))
    return suite.folder


def run(folder, command):
    binaries = Path(sys.executable).parent
    environment = os.environ | {
        "HOME": str(folder.parent),
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def filled_in(command, folder):
    """The command with a run of CROSSBOW in place of ID."""
    if "/ID/" not in command:
        return command
    (trained,) = (folder / "results/runs").glob("crossbow-*")
    return command.replace("/ID/", f"/{trained.name}/")


@pytest.mark.parametrize("command", RUN, ids=lambda command: f"{command.page}: {command.text}")
def test_command_runs(command, copy):
    printed = run(copy, filled_in(command.text, copy)).splitlines()
    shown = [re.escape(line).replace("…", ".+") for line in outputs().get(command.text, ())]
    for line in printed if shown else ():
        if "loss_by_epoch" in line:  # the example of another page, in the same copy
            continue
        assert any(re.fullmatch(pattern, line) for pattern in shown), line
    for pattern in shown:
        assert any(re.fullmatch(pattern, line) for line in printed), (pattern, printed)


def test_outputs_are_compared():
    assert set(outputs()) <= {command.text for command in RUN} and outputs()


def test_examples_of_adding_train_and_draw(copy):
    with (copy / "results-parity/summary.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["system"] for row in rows] == ["crossbow", "tensorflow", "pytorch-adam"]
    assert all(float(row["best_acc"]) > 0.8 for row in rows), rows
    assert "Training loss by epoch" in (copy / "results-parity/report.html").read_text()
    manifest = json.loads((copy / "data/parity/manifest.json").read_text())
    assert manifest["class_names"] == ["even", "odd"]
