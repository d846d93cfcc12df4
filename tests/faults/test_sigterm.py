"""SIGTERM, as a batch scheduler sends it: a checkpoint, a code that means resume, and a resume."""

import os
import re
import signal

from suite import checkpoints, log, numbers, status, wait_until

from bench.stop import RESUME

LONG = {"system": "crossbow", "model": "logistic", "devices": 2, "epochs": 60, "batch": 16}


def test_sigterm_to_snakemake_or_to_all_of_it(finished):
    suite, results = finished.suite, finished.results
    (run,) = finished.more(LONG)
    before = finished.files()
    state = results / "state" / run
    epochs = []
    for send in (os.kill, os.killpg):
        with suite.running(*finished.arguments) as process:
            wait_until(lambda: begun(results, run, epochs), process)
            send(process.pid, signal.SIGTERM)
            assert process.wait(60) == RESUME, suite.printed.read_text()
        assert "Stopped by SIGTERM; the same command goes on." in suite.printed.read_text()
        (stopped,) = re.findall(rf"stopped {run} after epoch (\d+)", log(results, run))
        assert checkpoints(state, ranks=2)[-1] == int(stopped) < LONG["epochs"]
        assert not (results / "runs" / run / "status.json").exists()
        epochs.append(int(stopped))
    assert 1 < epochs[0] < epochs[1]

    done = suite.snakemake(*finished.arguments)
    assert done.returncode == 0, done.stdout
    assert f"resuming {run} after epoch {epochs[1]}" in log(results, run)
    assert status(results, run)["status"] in ("finished", "reached")
    assert len(numbers(results, run)) == LONG["epochs"]
    assert finished.files() == before


def begun(results, run, stopped):
    """Whether the run is past the epochs with which it began, and another."""
    path = results / "runs" / run / "epochs.csv"
    return path.exists() and len(path.read_text().splitlines()) > max(stopped, default=0) + 2
