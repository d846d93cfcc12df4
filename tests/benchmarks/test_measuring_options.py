"""What commands that measure one cell are asked for besides, and that nothing outlives them."""

import importlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

pytest.importorskip("torch", reason="what they measure is trained: install requirements.lock")

from bench import stop
from benchmarks import overhead, systems, tuning
from benchmarks.systems import spec_of

ROOT = Path(tuning.__file__).parents[1]
CELL = {
    "system": "crossbow", "model": "logistic", "dataset": "digits", "device_type": "cpu",
    "batch": 8, "augmentation": "none",
}  # fmt: skip
STRETCHES = "nan", "inf", "-1", "0", "soon"


@pytest.fixture
def refusal(tmp_path, monkeypatch, capsys):
    """What a command says when it refuses options, before it has written anything."""

    def run(command, options, cell=CELL, out="out"):
        text = cell if isinstance(cell, str) else json.dumps(cell)
        monkeypatch.setattr(sys, "argv", [command, text, "--out", str(tmp_path / out), *options])
        with pytest.raises(SystemExit) as refused:
            importlib.import_module(f"benchmarks.{command}").main()
        assert refused.value.code == 2 and not (tmp_path / "out").exists()
        return capsys.readouterr().err

    return run


@pytest.mark.parametrize("command", ["tuning", "overhead", "tf_data"])
@pytest.mark.parametrize("stretch", STRETCHES)
def test_a_stretch_has_an_end(command, stretch, refusal):
    said = refusal(command, ["--stretch", stretch])
    assert f"argument --stretch: '{stretch}' is no number of seconds above 0" in said


@pytest.mark.parametrize("command", ["tuning", "overhead", "tf_data", "timeline"])
@pytest.mark.parametrize("out", ["file", "file/below"])
def test_a_file_is_no_folder(command, out, refusal, tmp_path):
    (tmp_path / "file").touch()
    said = refusal(command, [], out=out)
    assert f"argument --out: {tmp_path / 'file'} is a file; name a folder" in said


@pytest.mark.parametrize("pairs", ["0", "1", "-3"])
def test_less_than_two_pairs_are_refused(pairs, refusal):
    said = refusal("overhead", ["--pairs", pairs])
    assert f"--pairs {pairs}: of less than two there are no quartiles" in said


@pytest.mark.parametrize(
    ("cell", "learners", "sentence"),
    [
        ("{", "[1]", "argument cell: no JSON, Expecting property name"),
        (CELL | {"device_type": "cuda", "devices": 64}, "[1]", "cell asks for 64 x cuda, and"),
        (CELL | {"tau": 0}, "[1]", "CELL.tau: learners that never meet can neither"),
        (CELL, "[1", "argument --learners: no JSON, Expecting"),
        (CELL, "4", "argument --learners: the sweep: 4 is not a list"),
        (CELL, "[]", "argument --learners: the sweep: an empty list; give it"),
        (CELL, "[1, 0]", "argument --learners: the sweep[1]: 0 is out of range; use at least 1"),
        (CELL, '["auto"]', "argument --learners: the sweep[0]: 'auto' is not a whole number"),
        (CELL, "[1, NaN]", "argument --learners: the sweep[1]: nan is not a whole number"),
    ],
    ids=["cell", "GPUs", "never tuned", "no JSON", "number", "empty", "0", "auto", "NaN"],
)
def test_what_can_not_be_swept_or_tuned_is_refused(cell, learners, sentence, refusal):
    assert sentence in refusal("tuning", ["--learners", learners], cell=cell)


def test_a_sweep_goes_from_the_least_to_the_most():
    assert tuning.numbers("[4, 1.0, 2, 4]") == [1, 2, 4]


def test_sigterm_leaves_no_process_of_a_sweep(digits, tmp_path):
    options = ["--data", digits.parent, "--out", tmp_path / "out", "--stretch", "60"]
    begin = [sys.executable, "-m", "benchmarks.tuning", json.dumps(CELL), *options]
    with subprocess.Popen(begin, cwd=ROOT) as process:
        deadline = time.monotonic() + 60
        while not (begun := psutil.Process(process.pid).children(recursive=True)):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(0.5)  # a process that has just been started is not known as the cell's yet
        process.terminate()
        assert process.wait(timeout=10) == stop.RESUME
    alive = psutil.wait_procs(begun, timeout=5)[1]
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []


def test_a_sampler_does_not_outlive_what_it_samples(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    sampling, (here, there) = spawn.Event(), spawn.Pipe()
    sampling.set()
    with subprocess.Popen(["sleep", "60"]) as sampled:
        arguments = (spec_of(CELL), sampled.pid, tmp_path / "telemetry.csv", sampling, there)
        sampler = spawn.Process(target=overhead.watch, args=arguments, daemon=True)
        sampler.start()
        assert here.recv() == "ready"
        sampled.kill()
    sampler.join(10)
    assert sampler.exitcode == -signal.SIGKILL


def test_a_sampler_that_dies_ends_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(systems, "prepared", lambda *_: None)
    monkeypatch.setattr(overhead, "watch", os.abort)  # which takes none of its arguments
    with pytest.raises(EOFError):
        overhead.alternate(0, spec_of(CELL), 2, 0.1, tmp_path, tmp_path, tmp_path / "weights.npz")
