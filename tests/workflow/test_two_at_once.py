"""Two of a kind on the same results: the second steps back, the first is left alone."""

import subprocess
import sys

from suite import checkpoints, numbers, rows, run_process, status, wait_until

BUSY = {"system": "pytorch", "epochs": 3}


def test_second_pipeline_and_second_launcher_are_refused(suite, matrix):
    config = suite.config("busy", BUSY)
    suite.give_weights(config, matrix.results)
    (run,) = suite.runs(config)
    results = suite.results(config)
    arguments = ("collect", "--configfile", config)
    with suite.running(*arguments) as first:
        wait_until(lambda: checkpoints(results / "state" / run), first)
        trainer = run_process(first, run)
        trainer.suspend()  # it is in the way for as long as it takes
        second = suite.snakemake(*arguments)
        assert first.poll() is None
        launcher = subprocess.run(
            suite.launch_command(config, run, results / "state" / run),
            cwd=suite.folder,
            text=True,
            capture_output=True,
        )
        alone = subprocess.run(
            [sys.executable, "-m", "workflows.train", str(config)],
            cwd=suite.folder,
            text=True,
            capture_output=True,
        )
        assert first.poll() is None, "the first ended too soon to be in the way"
        trainer.resume()
        assert first.wait(120) == 0

    assert second.returncode != 0
    (sentence,) = (line for line in second.stdout.splitlines() if line.startswith("Error:"))
    assert f"another pipeline (process {first.pid}) works on results/busy" in sentence
    assert "wait for it to end, or use another folder" in sentence
    assert "Traceback" not in second.stdout

    assert launcher.returncode != 0
    assert f"another process is training {run}; wait for it to end" in launcher.stderr
    assert "Traceback" not in launcher.stderr

    assert alone.returncode != 0
    assert alone.stderr.startswith(f"Error: another pipeline (process {first.pid}) works on")

    assert status(results, run)["status"] in ("finished", "reached")
    assert len(numbers(results, run)) == len(rows(results / "epochs.csv")) == BUSY["epochs"]
    assert suite.planned(*arguments) == []
