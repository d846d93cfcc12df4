"""A full disk, a file that may not grow, a folder that can't be written: what was there stays."""

import os
import resource
import shutil
import subprocess
from contextlib import contextmanager

import pytest
from suite import checkpoints, log, numbers, run_process, status, wait_until

LONG = {"system": "crossbow", "model": "logistic", "epochs": 10, "batch": 64}
# In a namespace of its own, so that the trial leaves nothing.
TRIAL = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
MAY_MOUNT = subprocess.run(TRIAL, capture_output=True).returncode == 0


@pytest.fixture
def disk(finished):
    """The results on a disk of their own, of 4 MB."""
    if not MAY_MOUNT:
        pytest.skip("mounting a small disk is not allowed here")
    results = finished.results
    aside = results.rename(results.with_name("aside"))
    results.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", results], check=True)
    try:
        shutil.copytree(aside, results, dirs_exist_ok=True)
        yield finished
    finally:
        subprocess.run(["umount", "--lazy", results], check=True)


@contextmanager
def read_only(folder):
    """Within, nothing in `folder` can be changed: root may do so whatever the permissions are."""
    if os.geteuid() == 0 and not MAY_MOUNT:
        pytest.skip("root writes everywhere, and mounting read-only is not allowed here")
    if os.geteuid() == 0:
        subprocess.run(["mount", "--bind", folder, folder], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        undo = ["umount", "--lazy", folder]
    else:
        subprocess.run(["chmod", "-R", "a-w", folder], check=True)
        undo = ["chmod", "-R", "u+w", folder]
    try:
        yield
    finally:
        subprocess.run(undo, check=True)


@contextmanager
def smaller_files(size):
    """Within, this process and what it starts can make no file larger than `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk(disk):
    suite, results = disk.suite, disk.results
    (run,) = disk.more(LONG)
    before, ballast = disk.files(), results / "ballast"
    with suite.running(*disk.arguments) as process:
        wait_until(lambda: checkpoints(results / "state" / run), process)
        trainer = run_process(process, run)
        trainer.suspend()
        with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
            while True:
                file.write(bytes(4096))
        trainer.resume()
        process.wait(120)
    printed = suite.printed.read_text()
    assert "No space left on device" in printed
    assert "the same command resumes it from its last checkpoint" in printed
    assert disk.files() == before
    assert checkpoints(results / "state" / run)
    ballast.unlink()
    done = suite.snakemake(*disk.arguments)
    assert done.returncode == 0, done.stdout
    assert f"resuming {run} after epoch 1" in log(results, run)
    assert len(numbers(results, run)) == LONG["epochs"]
    assert disk.files() == before


def test_results_that_can_not_be_written(finished):
    suite = finished.suite
    (run,) = finished.more({**LONG, "epochs": 1})
    # Snakemake names what it may not replace, we the folder that takes nothing new.
    with read_only(finished.results):
        tables = suite.snakemake(*finished.arguments)
        status_json = f"results/base/runs/{run}/status.json"
        new = suite.snakemake(status_json, *finished.arguments[1:])
    assert tables.returncode != 0
    assert "Write-protected output files for rule collect:" in tables.stdout
    assert "results/base/summary.csv" in tables.stdout
    assert new.returncode != 0
    (sentence,) = (line for line in new.stdout.splitlines() if line.startswith("Error:"))
    assert "results/base can't be written (" in sentence
    assert "); make it writable, or use another folder" in sentence
    assert "Traceback" not in tables.stdout + new.stdout


def test_a_checkpoint_that_can_not_be_written(finished):
    suite, results = finished.suite, finished.results
    (run,) = finished.more({**LONG, "system": "crossbow", "learners": 32, "batch": 4, "epochs": 1})
    before = finished.files()
    with smaller_files(2**16), suite.running(*finished.arguments) as process:
        assert process.wait(120) == 0, suite.printed.read_text()
    assert status(results, run)["status"] == "failed"
    assert status(results, run)["reason"] == "OSError: [Errno 27] File too large"
    assert sorted(path.name for path in (results / "state" / run).iterdir()) == ["failures", "lock"]
    assert finished.files() == before
