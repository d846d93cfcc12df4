"""A killed rank, a hung one, a run killed within a row: each has a status, and resumes."""

from types import SimpleNamespace

import pytest
from suite import (
    checkpoints,
    log,
    numbers,
    phases_sum_to_wall,
    rows,
    run_process,
    status,
    wait_until,
)

TWO = {"system": "pytorch", "model": "logistic", "devices": 2, "batch": 32}
EPOCHS = {"killed": 30, "hung": 31, "torn": 6}
TORN_AFTER = 3
# Kills the process that writes the rows of the run TORN, once the disk has half of one.
TORN = f"""

class _TornTable(Table):
    def write(self, row):
        if row["run"] == os.environ.get("TORN") and row.get("epoch") == {TORN_AFTER + 1}:
            self._file.write(f"{{row['run']}},{TORN_AFTER + 1},12")
            self._file.flush()
            os.kill(os.getpid(), 9)
        super().write(row)


Table = _TornTable
"""


@pytest.fixture(scope="module")
def lost(base, tmp_path_factory):
    """What three runs left that each lost a process, and what the same command made of it."""
    suite = base.suite.clone(tmp_path_factory.mktemp("lost") / "copy")
    suite.append("bench/record.py", TORN)
    config = suite.config(
        "base",
        {**TWO, "epochs": EPOCHS["killed"]},
        {**TWO, "epochs": EPOCHS["hung"]},
        {"system": "pytorch", "model": "logistic", "epochs": EPOCHS["torn"]},
    )
    killed, hung, torn = suite.runs(config)
    results, arguments = suite.results(config), ("collect", "--configfile", config)
    with suite.running(*arguments, TORN=torn) as process:
        second_rank(process, results, killed).kill()
        stopped = second_rank(process, results, hung)
        stopped.suspend()
        assert process.wait(120) == 0, suite.printed.read_text()
    first = SimpleNamespace(
        statuses={run: status(results, run) for run in (killed, hung, torn)},
        summary={row["run"]: row for row in rows(results / "summary.csv")},
        whole={run: phases_sum_to_wall(results, run) for run in (killed, hung, torn)},
        torn=(results / "runs" / torn / "epochs.csv").read_text(),
        stopped=stopped,
    )
    done = suite.snakemake(*arguments)
    assert done.returncode == 0, done.stdout
    return SimpleNamespace(results=results, first=first, killed=killed, hung=hung, torn=torn)


def second_rank(process, results, run):
    """The process of the second device, once there is a checkpoint of both."""
    wait_until(lambda: checkpoints(results / "state" / run, ranks=2), process)
    return run_process(process, run).children()[1]


def test_a_killed_rank_is_named(lost):
    found = lost.first.statuses[lost.killed]
    assert found["status"] == "failed"
    why = "ChildProcessError: rank 1 of 2 ranks was killed by SIGKILL; see log.txt"
    assert found["reason"] == why


def test_a_hung_rank_is_named_and_ended(lost):
    found = lost.first.statuses[lost.hung]
    assert found["status"] == "failed"
    why = "TimeoutError: rank 1 of 2 ranks hung: the others waited for 8 s; see log.txt"
    assert found["reason"] == why
    assert not lost.first.stopped.is_running()


def test_half_a_row_does_not_count(lost):
    assert lost.first.statuses[lost.torn]["reason"].startswith("killed by SIGKILL")
    assert lost.first.torn.count("\n") == 1 + TORN_AFTER
    assert lost.first.torn.endswith("\n")
    assert lost.first.summary[lost.torn]["epochs_run"] == str(TORN_AFTER)


def test_each_is_a_row_with_its_seconds(lost):
    assert {row["status"] for row in lost.first.summary.values()} == {"failed"}
    assert all(lost.first.whole.values())


@pytest.mark.parametrize("name", EPOCHS)
def test_the_same_command_goes_on_with_each(lost, name):
    run = getattr(lost, name)
    assert f"resuming {run} after epoch 1" in log(lost.results, run)
    assert status(lost.results, run)["status"] in ("finished", "reached")
    epochs = [int(row["epoch"]) for row in numbers(lost.results, run)]
    assert epochs == list(range(1, EPOCHS[name] + 1))
