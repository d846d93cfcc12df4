"""A profiler's trace of Crossbow: learners run at once, and an all-reduce while others compute."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from marks import needs_cuda

from bench import record
from benchmarks import timeline

ROOT = Path(timeline.__file__).parents[1]
CELL = {
    "system": "crossbow", "model": "resnet32", "dataset": "synthetic-32-10", "batch": 16,
    "learners": 4, "precision": "bf16", "channels_last": True, "graph": True,
}  # fmt: skip


def traced(cell, folder, *options):
    command = [sys.executable, "-m", "benchmarks.timeline", json.dumps(cell), "--out", str(folder)]
    command += options
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return record.read_json(folder / "overlap.json")


@pytest.mark.gpu
@needs_cuda
def test_learners_of_a_gpu_run_at_once(tmp_path):
    assert traced(CELL, tmp_path)["rank 0"]["kernels_at_once"] > 1.5
    lanes = {row["stream"] for row in record.read_table(tmp_path / "timeline.csv")}
    assert len(lanes) >= 4


@pytest.mark.gpu
@needs_cuda
@pytest.mark.parametrize("devices", [2, 4])
def test_all_reduce_overlaps_the_next_gradients(devices, tmp_path):
    if torch.cuda.device_count() < devices:
        pytest.skip(f"needs {devices} CUDA devices: run `make gpu-test` where there are")
    # On four, an epoch of 24 iterations: fewer than the warm-up would have.
    cell = CELL | {"devices": devices, "batch": 64, "learners": 2 * devices}
    found = traced(cell, tmp_path)
    ranks = [found[f"rank {rank}"] for rank in range(timeline.PROFILED)]
    # Of a rank that the others wait for, the all-reduce is short: look at the longest one. Tests
    # beside this one make ranks wait with nothing to compute; an all-reduce in turn would give 0.
    slower = max(ranks, key=lambda rank: rank["all_reduce_us"])
    assert slower["all_reduce_us"] > 0
    assert slower["all_reduce_overlapped"] > 0.1
    assert f"rank {timeline.PROFILED}" not in found


@pytest.mark.gpu
@needs_cuda
def test_one_gpu_of_several_is_enough(tmp_path):
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two CUDA devices: run `make gpu-test` where there are")
    found = traced(CELL | {"devices": 2, "batch": 64}, tmp_path, "--ranks", "1")
    assert found["rank 1"]["all_reduce_us"] > 0 and "rank 0" not in found
