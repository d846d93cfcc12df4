"""The whole pipeline through Snakemake's Slurm plugin, on a real Slurm."""

import os
import subprocess
import sys

import pytest
from suite import log, numbers, rows, status, wait_until

PROFILE = "workflows/profiles/slurm"
# Slurm's accounting needs a database; and a test has no patience.
HERE = ("--slurm-status-command=squeue", "--slurm-init-seconds-before-status-checks=1")
HERE += ("--seconds-between-status-checks=1", "--latency-wait=20")
LONG = {"model": "logistic", "epochs": 200, "devices": 2}


def jobs():
    """Number of nodes, cores and state of each train job, those that have ended too, by run."""
    form = "--format=%i|%D|%C|%T|%k"
    told = subprocess.run(
        ["squeue", "--states=all", "--noheader", form], text=True, capture_output=True, check=True
    )
    lines = [line.split("|") for line in told.stdout.splitlines()]
    return [
        (number, int(nodes), int(cores), state, about.rsplit("_wildcards_", 1)[1])
        for number, nodes, cores, state, about in lines
        if about.startswith("rule_train")
    ]


def started(results, runs):
    """Those of `runs` that have trained an epoch."""
    paths = {run: results / "runs" / run / "epochs.csv" for run in runs}
    return {run for run, path in paths.items() if path.exists() and len(rows(path)) > 1}


@pytest.mark.slow
@pytest.mark.timeout(600)  # a job takes most of its time to start
def test_a_matrix_finishes_and_what_was_preempted_is_sent_again_and_resumes(slurm, cluster_suite):
    suite = cluster_suite
    suite.edit("bench/runner.py", "CHECKPOINT_SHARE = 0.05", "CHECKPOINT_SHARE = 1e-9")
    config = suite.config("slurm", {"system": "pytorch", **LONG, "nodes": [1, 2]})
    one, two = sorted(suite.runs(config), key=lambda run: "-n2-" in run)
    results = suite.results(config)
    command = [sys.executable, "-m", "snakemake", "--workflow-profile", PROFILE, *HERE]
    with suite.started([*command, "--configfile", str(config)]) as snakemake:
        preempted = set()
        while preempted < {one, two}:
            wait_until(lambda: started(results, {one, two} - preempted), snakemake)
            for run in started(results, {one, two} - preempted):
                (number,) = (job[0] for job in jobs() if job[-1] == run)
                subprocess.run(["scancel", "--signal=TERM", number], check=True)
                preempted.add(run)
        assert snakemake.wait() == 0, suite.printed.read_text()
    for run in (one, two):
        assert status(results, run)["status"] in ("finished", "reached"), log(results, run)
    assert len(rows(results / "summary.csv")) == 2 and (results / "report.html").exists()
    asked = {run: sorted(job[1:4] for job in jobs() if job[-1] == run) for run in (one, two)}
    cores = os.cpu_count()  # alone on its nodes, a run has all of their cores
    assert asked[one] == [(1, cores, "COMPLETED"), (1, cores, "FAILED")]
    assert asked[two] == [(2, 2 * cores, "COMPLETED"), (2, 2 * cores, "FAILED")]
    for run in (one, two):
        assert "resuming" in log(results, run)
    drop = {"run": ""}
    assert [row | drop for row in numbers(results, one)] == [
        row | drop for row in numbers(results, two)
    ]
