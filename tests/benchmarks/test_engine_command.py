"""`python -m benchmarks.engine` with real processes: what it ends with, and what it leaves."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch

from bench import record
from benchmarks import engine

ROOT = Path(engine.__file__).parents[1]
CELL = {
    "system": "crossbow", "model": "logistic", "dataset": "digits", "device_type": "cpu",
    "batch": 8, "augmentation": "none",
}  # fmt: skip


@pytest.fixture
def started(digits, tmp_path):
    """Starts the command on a plan; it writes into the test's folder."""

    def start(plan, data=digits.parent):
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        command = [sys.executable, "-m", "benchmarks.engine", tmp_path / "plan.json"]
        command += ["--out", tmp_path, "--call", "one", "--data", data]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=ROOT, text=True, stdout=pipe, stderr=pipe)

    return start


def test_cells_that_all_fail_end_the_command_with_code_1(started, tmp_path):
    process = started([CELL | {"dataset": "none"}])
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "ended with code 1: " in output
    plan = tmp_path / "plan.json"
    assert errors.endswith(f"{plan}: 1 of 1 cells failed, or took more than 240 s\n")
    assert record.read_table(tmp_path / "engine.csv") == []


@pytest.mark.parametrize("devices", [1, 2])
def test_a_cell_ruled_out_by_its_records_fails_in_one_line(started, digits, devices, tmp_path):
    """Records of one's own, of which the plan does not say how many there are."""
    (tmp_path / "own").symlink_to(digits)
    cell = CELL | {"dataset": "own", "batch": 1000, "devices": devices, "learners": 2}
    process = started([cell], data=tmp_path)
    _, errors = process.communicate(timeout=120)
    said = f"ValueError: one iteration takes {2000 * devices} images and digits has 1437: use fewer"
    assert errors.startswith(said) and len(errors.splitlines()) == 2


def test_sigterm_ends_the_ranks_at_once(started):
    process = started([CELL | {"devices": 2}])
    deadline = time.monotonic() + 60
    while len(begun := psutil.Process(process.pid).children(recursive=True)) < 3:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=10)
    assert process.returncode == 75  # as whatever can go on, docs/faults.md
    alive = psutil.wait_procs(begun, timeout=0.5)[1]
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []


@pytest.mark.skipif(torch.backends.cuda.is_built(), reason="this torch is a build for GPUs")
def test_a_torch_for_cpus_says_so_where_a_gpu_is_asked_for(digits):
    cell = json.dumps(CELL | {"device_type": "cuda"})
    command = [sys.executable, "-m", "benchmarks.cell", cell, "--data", str(digits.parent)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and done.stderr.startswith("the torch here is a build for CPUs")
