"""The examples of docs/adding.md are complete: together they run, and nothing else is needed."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(\S+)`:\n\n```\w+\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
LINE = re.search(r"Its line in `SYSTEMS` of `(\S+)`:\n\n```python\n(.*?)^```$", TEXT, re.M | re.S)
NEW = {"models/small.py", "models/two_layers.py", "data_prep/parity.py"}
NEW |= {"baselines/pytorch_adam.py", "plots/loss_by_epoch.py"}
NEW |= {"workflows/config/parity.yaml"}


def test_there_is_an_example_of_each_kind_and_no_block_is_left_out():
    assert set(FILES) == NEW and LINE
    blocks = re.findall(r"^```(python|yaml)$", TEXT, re.MULTILINE)
    assert len(blocks) == len(FILES) + 1


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The repository as it is now, with the examples in it."""
    folder = tmp_path_factory.mktemp("adding") / "repository"
    listing = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"]
    for name in subprocess.check_output(listing, text=True).split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    if not (folder / "profiles").exists():
        (folder / "profiles").symlink_to("workflows/profiles")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    registry = folder / LINE[1]
    start = "SYSTEMS = {\n"
    assert start in registry.read_text()
    registry.write_text(registry.read_text().replace(start, start + LINE[2]))
    return folder


def run(folder, *command):
    binaries = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=250
    )


def test_examples_keep_to_the_style(copy):
    for check in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *check]
        done = run(copy, *command, *(name for name in FILES if name.endswith(".py")))
        assert done.returncode == 0, done.stdout + done.stderr


def test_examples_train_and_draw(copy):
    command = TEXT.rsplit("```console\n", 1)[1].splitlines()[0].split()
    done = run(copy, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    with (copy / "results-parity/summary.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["system"] for row in rows] == ["crossbow", "tensorflow", "pytorch-adam"]
    assert all(float(row["best_acc"]) > 0.8 for row in rows), rows
    assert "Training loss by epoch" in (copy / "results-parity/report.html").read_text()
    manifest = json.loads((copy / "data/parity/manifest.json").read_text())
    assert manifest["class_names"] == ["even", "odd"]
