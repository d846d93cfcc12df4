"""Failure is data: a run that fails has a status, and the rest of the matrix goes on."""

from types import SimpleNamespace

import pytest
from suite import (
    FIGURES,
    checkpoints,
    log,
    numbers,
    phases_sum_to_wall,
    rows,
    run_process,
    wait_until,
)

from bench.metrics import RULES

# A system that needs more memory than there is, in this process or in its ranks.
HUNGRY = '''
"""A system that is out of memory as soon as it is built."""

from bench import runner


def build(context):
    raise MemoryError("Unable to allocate 1.00 PiB")


def spread(job, build):
    if job.spec.devices == 1:
        runner.train(job, build)
    else:
        from bench import ranks

        ranks.spread(job, build)


if __name__ == "__main__":
    runner.main(build, spread)
'''
BROKEN = '''
"""A system that fails while it is imported."""

raise ImportError("libmissing.so: cannot open shared object file")
'''


@pytest.fixture(scope="module")
def failures(module_suite):
    """A matrix in which every way to fail occurs once, one of them by a kill from outside."""
    suite = module_suite
    (suite.folder / "baselines/hungry.py").write_text(HUNGRY)
    (suite.folder / "baselines/broken.py").write_text(BROKEN)
    names = '"hungry": "baselines.hungry", "broken": "baselines.broken",'
    suite.edit("bench/systems.py", "SYSTEMS = {", f"SYSTEMS = {{{names}")
    config = suite.config(
        "failures",
        {"system": "pytorch", "lr": [1.0e20, 0.03]},
        {"system": "crossbow", "learners": 2, "epochs": 6, "batch": 32},
        {"system": "hungry", "devices": [1, 2]},
    )
    results = suite.results(config)
    with suite.running("--configfile", config) as process:

        def killed():
            folders = list((results / "state").glob("crossbow-*"))
            return folders and checkpoints(folders[0]) and folders[0].name

        run = wait_until(killed, process)
        run_process(process, run).kill()
        process.wait(120)
        first = SimpleNamespace(
            exit_code=process.returncode,
            printed=suite.printed.read_text(),
            summary=rows(results / "summary.csv"),
            epochs=numbers(results, run),
            figures={path.name for path in (results / "figures").glob("*.svg")},
            page=(results / "report.html").read_text(),
        )
    return SimpleNamespace(suite=suite, config=config, results=results, killed=run, first=first)


def by_system(summary):
    found = {}
    for row in summary:
        found.setdefault(row["system"], []).append(row)
    return found


def test_every_run_has_a_row_and_a_status(failures):
    assert failures.first.exit_code == 0, failures.first.printed
    found = by_system(failures.first.summary)
    (diverged, finished), (killed,), hungry = (
        found[name] for name in ("pytorch", "crossbow", "hungry")
    )
    assert finished["status"] == "finished" and finished["epochs_run"] == "2"
    assert diverged["status"] == "diverged"
    assert diverged["reason"] in (
        f"{name} became {value} in epoch 1"
        for name in ("train_loss", "test_loss")
        for value in ("nan", "inf")
    )
    # A model of NaNs is right about nothing, and reaches no target.
    assert float(diverged["best_acc"]) < 0.5
    assert {diverged[f"{rule}_epochs"] for rule in RULES} == {""}
    assert "runs failed; the same command tries them again" in failures.first.printed
    assert killed["status"] == "failed"
    assert killed["reason"].startswith("killed by SIGKILL; the same command resumes it")
    assert killed["run"] == failures.killed
    assert [(row["devices"], row["status"]) for row in hungry] == [
        ("1", "out_of_memory"),
        ("2", "out_of_memory"),
    ]
    assert all("Unable to allocate" in row["reason"] for row in hungry)


def test_what_a_failed_run_did_is_kept(failures):
    (killed,) = by_system(failures.first.summary)["crossbow"]
    assert 1 <= int(killed["epochs_run"]) < 6
    assert [int(row["epoch"]) for row in failures.first.epochs] == list(
        range(1, int(killed["epochs_run"]) + 1)
    )
    for row in failures.first.summary:
        assert phases_sum_to_wall(failures.results, row["run"])


def test_figures_and_report_are_made(failures):
    assert failures.first.figures == {f"{name}.svg" for name in FIGURES}
    for row in failures.first.summary:
        assert row["run"] in failures.first.page
    assert "killed by SIGKILL" in failures.first.page


def test_the_same_command_runs_only_what_failed_again(failures):
    suite, config = failures.suite, failures.config
    again = [failures.killed, "claims", "collect", *FIGURES, "report"]
    assert suite.planned("--configfile", config) == sorted(again)
    done = suite.snakemake("--configfile", config)
    assert done.returncode == 0
    assert "resuming" in log(failures.results, failures.killed)
    (finished,) = by_system(rows(failures.results / "summary.csv"))["crossbow"]
    assert (finished["status"], finished["epochs_run"]) == ("reached", "6")
    assert suite.planned("--configfile", config) == []


def test_a_run_that_fails_each_time_is_due_each_time(failures):
    suite = failures.suite
    config = suite.config("broken", {"system": "broken"})
    results = suite.results(config)
    suite.give_weights(config, failures.results)
    due = suite.planned("collect", "--configfile", config)
    done = suite.snakemake("collect", "--configfile", config)
    assert done.returncode == 0, done.stdout
    (row,) = rows(results / "summary.csv")
    assert row["status"] == "failed"
    assert "ended with code 1" in row["reason"]
    expected = "libmissing.so: cannot open shared object file; see baselines/broken.py, line 4"
    assert row["reason"].endswith(expected)
    assert suite.planned("collect", "--configfile", config) == due == [row["run"], "collect"]
