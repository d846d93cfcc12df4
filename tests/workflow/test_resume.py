"""A run that was broken off ends, by the same command, exactly as one that never was."""

import json
import os
import re
import shutil
import signal
import subprocess
from types import SimpleNamespace

import pytest
from suite import (
    checkpoints,
    ended,
    family,
    launcher_process,
    log,
    numbers,
    phases_sum_to_wall,
    run_process,
    status,
    wait_until,
)

EPOCHS = 6  # the paper's rule needs five, of which one is before a run is broken off
# Momentum, a drop of the learning rate and augmentation: all of it has to survive. In the order in
# which they run, the systems in turn.
GROUPS = {
    "crossbow": {
        "system": "crossbow",
        "variant": "released",
        "learners": 2,
        "momentum": 0.9,
        "schedule": {"kind": "step", "at": [3], "factor": 0.1},
    },
    "pytorch": {"system": "pytorch", "momentum": 0.9, "augmentation": "crop_flip"},
    "tensorflow": {"system": "tensorflow", "momentum": 0.9},
    "crossbow on two devices": {"system": "crossbow", "devices": 2},
}
# A run waits within an epoch, whose row is written and whose checkpoint is not, until it is let go.
HOLD = """
        history.append(row)
        while (job.state / f"hold-{epoch + 1}").exists():
            import time

            time.sleep(0.01)
"""
DEFAULTS = {
    "defaults": {
        "model": "lenet",
        "dataset": "digits",
        "batch": 64,
        "seed": 1,
        "epochs": EPOCHS,
        "target": 0.5,
        "lr": 0.02,
    }
}


@pytest.fixture(scope="module")
def unbroken(module_suite):
    """All runs, each once from start to end, with a line about every epoch that is seen."""
    suite = module_suite
    suite.edit("bench/progress.py", "QUIET_S = 5.0", "QUIET_S = 0.0")
    suite.edit("bench/runner.py", "CHECKPOINT_SHARE = 0.05", "CHECKPOINT_SHARE = 1.0")
    suite.edit("bench/runner.py", "\n        history.append(row)\n", HOLD)
    config = suite.config("unbroken", *GROUPS.values(), **DEFAULTS)
    results = suite.results(config)
    done = suite.snakemake("collect", "--configfile", config)
    assert done.returncode == 0, done.stdout
    runs = dict(zip(GROUPS, suite.runs(config), strict=True))
    return SimpleNamespace(
        suite=suite, config=config, results=results, runs=runs, printed=done.stdout
    )


@pytest.fixture
def again(unbroken):
    """A function that plans the runs of some groups anew, in a results folder of that name."""

    def plan(name, *groups):
        suite = unbroken.suite
        config = suite.config(name, *(GROUPS[group] for group in groups), **DEFAULTS)
        results = suite.results(config)
        suite.give_weights(config, unbroken.results)
        arguments = ("collect", "--configfile", config)
        runs = list(suite.runs(config))
        assert set(runs) <= set(unbroken.runs.values())
        return SimpleNamespace(
            suite=suite, results=results, arguments=arguments, runs=runs, state=results / "state"
        )

    return plan


def hold(state, epoch):
    """Let the run with this state folder wait within an epoch; returns what lets it go."""
    state.mkdir(parents=True)
    path = state / f"hold-{epoch}"
    path.touch()
    return path.unlink


def is_held(results, run, epoch):
    """Whether a run that had to wait within an epoch does so."""
    path = results / "runs" / run / "epochs.csv"
    return path.exists() and len(path.read_text().splitlines()) == 1 + epoch


def has_checkpoint(job, run):
    ranks = 2 if "-cpu2-" in run else 1
    return checkpoints(job.state / run, ranks) == [1]


def assert_resumed_like_unbroken(unbroken, results, run):
    assert f"resuming {run} after epoch 1\n" in log(results, run)
    assert len(numbers(results, run)) == EPOCHS
    assert numbers(results, run) == numbers(unbroken.results, run)
    for name in ("status", "reason"):
        assert status(results, run)[name] == status(unbroken.results, run)[name]
    assert phases_sum_to_wall(results, run)


def test_progress_tells_epoch_and_accuracy(unbroken):
    names = "|".join(unbroken.runs.values())
    form = rf"^\[([0-4])/4 runs done\] ({names})  epoch (\d+)/{EPOCHS}  accuracy (0\.\d\d\d)$"
    lines = re.findall(form, unbroken.printed, re.M)
    assert lines
    for done, run, epoch, accuracy in lines:
        assert int(done) == list(unbroken.runs.values()).index(run)
        row = numbers(unbroken.results, run)[int(epoch) - 1]
        assert float(row["test_acc"]) == pytest.approx(float(accuracy), abs=5e-4)


def test_killed_runs(unbroken, again):
    """Those of the two other groups resume in the next tests."""
    job = again("killed-runs", "crossbow", "tensorflow")
    let_go = [hold(job.state / run, 2) for run in job.runs]
    with job.suite.running(*job.arguments) as process:
        for run in job.runs:
            wait_until(lambda run=run: is_held(job.results, run, 2), process)
            run_process(process, run).kill()
        assert process.wait(120) == 0
    for run in job.runs:
        assert status(job.results, run)["reason"].startswith("killed by SIGKILL")
        assert has_checkpoint(job, run)
    for each in let_go:
        each()
    done = job.suite.snakemake(*job.arguments)
    assert done.returncode == 0, done.stdout
    for run in job.runs:
        assert_resumed_like_unbroken(unbroken, job.results, run)
        # What there was to resume from is not kept.
        assert checkpoints(job.state / run) == []


def test_killed_snakemake(unbroken, again):
    job = again("killed-snakemake", "crossbow on two devices")
    (run,) = job.runs
    let_go = hold(job.state / run, 2)
    with job.suite.running(*job.arguments) as process:
        wait_until(lambda: is_held(job.results, run, 2), process)
        orphans = family(process)
        assert len(orphans) >= 4  # launcher, its process, two ranks
        process.kill()
        process.wait()
        wait_until(lambda: ended(orphans))
        assert not (job.results / "runs" / run / "status.json").exists()
        assert has_checkpoint(job, run)
    let_go()
    done = job.suite.snakemake(*job.arguments)
    assert done.returncode == 0, done.stdout
    assert_resumed_like_unbroken(unbroken, job.results, run)


def test_killed_launcher_is_started_again_at_once(unbroken, again):
    job = again("killed-launcher", "pytorch")
    (run,) = job.runs
    let_go = hold(job.state / run, 2)
    with job.suite.running(*job.arguments) as process:
        wait_until(lambda: is_held(job.results, run, 2), process)
        launcher, trainer = launcher_process(process, run), run_process(process, run)
        launcher.kill()
        wait_until(lambda: ended([trainer]))
        let_go()
        assert process.wait(120) == 0
    assert_resumed_like_unbroken(unbroken, job.results, run)


def test_interrupt_ends_everything_and_nothing_looks_finished(again):
    job = again("interrupted", "crossbow")
    (run,) = job.runs
    hold(job.state / run, 2)
    with job.suite.running(*job.arguments) as process:
        wait_until(lambda: is_held(job.results, run, 2), process)
        members = family(process)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(120) != 0
        wait_until(lambda: ended(members))
    assert not (job.results / "runs" / run / "status.json").exists()
    assert not (job.results / "summary.csv").exists()
    assert job.suite.planned(*job.arguments) == sorted([run, "collect"])
    assert has_checkpoint(job, run)


@pytest.fixture(scope="module")
def broken_off(unbroken, tmp_path_factory):
    """The state of a killed run that left two checkpoints."""
    suite, run = unbroken.suite, unbroken.runs["pytorch"]
    folder = tmp_path_factory.mktemp("broken-off")
    state = folder / "state" / run
    let_go = hold(state, 3)
    with suite.started(suite.launch_command(unbroken.config, run, state)) as process:
        wait_until(lambda: is_held(folder, run, 3), process)
        members = family(process)
        process.kill()
        wait_until(lambda: ended(members))
    let_go()
    assert len(checkpoints(state)) == 2
    return state


def launch(suite, config, run, state):
    command = suite.launch_command(config, run, state)
    subprocess.run(command, cwd=suite.folder, check=True, capture_output=True)
    return state.parent.parent


def test_a_truncated_checkpoint_falls_back_to_the_one_before(unbroken, broken_off, tmp_path):
    run = unbroken.runs["pytorch"]
    state = tmp_path / "state" / run
    shutil.copytree(broken_off, state)
    before, newest = checkpoints(state)
    path = state / f"epoch-{newest:06d}-rank-0.npz"
    os.truncate(path, path.stat().st_size // 2)
    results = launch(unbroken.suite, unbroken.config, run, state)
    assert before == 1
    assert_resumed_like_unbroken(unbroken, results, run)


def test_checkpoints_of_other_code_are_not_used(unbroken, broken_off, tmp_path):
    run = unbroken.runs["pytorch"]
    state = tmp_path / "state" / run
    shutil.copytree(broken_off, state)
    suite = unbroken.suite.clone(tmp_path / "copy")
    suite.append("baselines/pytorch_ssgd.py", "# edited\n")
    results = launch(suite, unbroken.config, run, state)
    assert "resuming" not in log(results, run)
    assert numbers(results, run) == numbers(unbroken.results, run)
    job = json.loads((results / "runs" / run / "run.json").read_text())
    assert job["code"]["dirty"] is True
