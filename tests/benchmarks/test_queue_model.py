"""Queues small enough to work out by hand; what pipelines took; the tables of the page."""

import random
import sys
from pathlib import Path

import pytest

from bench import record
from benchmarks import queue_check, scaling_tables
from benchmarks.queue_model import Attempt, Run, makespan, simulate

ROOT = Path(__file__).resolve().parents[2]


def runs(*seconds, devices=1):
    return [Run(str(place), s, devices) for place, s in enumerate(seconds)]


def test_one_device_works_off_the_sum():
    assert makespan(simulate(runs(3, 1, 2), 1)) == 6
    assert makespan(simulate(runs(3, 1, 2), 1, gap_s=0.5)) == 7.5


def test_two_devices_take_the_next_run_when_they_are_free():
    found = [(a.name, a.start_s, a.end_s) for a in simulate(runs(3, 1, 2, 4), 2)]
    assert found == [("0", 0, 3), ("1", 0, 1), ("2", 1, 3), ("3", 3, 7)]


def test_a_run_of_two_devices_waits_and_a_smaller_one_goes_first():
    queue = [Run("a", 2), Run("wide", 5, devices=2), Run("b", 1)]
    found = {a.name: a.start_s for a in simulate(queue, 2)}
    assert found == {"a": 0, "b": 0, "wide": 2}


def test_a_run_that_never_fits_is_refused():
    with pytest.raises(ValueError, match="wide needs more than 2"):
        simulate([Run("wide", 1, devices=3)], 2)


class Failing(random.Random):
    """Devices that fail after these seconds, and then never."""

    def __init__(self, *seconds):
        super().__init__()
        self.seconds = list(seconds)

    def expovariate(self, lambd):
        return self.seconds.pop(0) if self.seconds else float("inf")


@pytest.mark.parametrize(("checkpoint_s", "end_s"), [(None, 8 + 1 + 10), (3, 8 + 1 + 4)])
def test_a_failed_run_is_next_and_goes_on_from_its_checkpoint(checkpoint_s, end_s):
    # It starts in the first second, works 7 and fails: 6 are kept by checkpoints every 3.
    attempts = simulate(runs(10, 5), 1, 1.0, 0.1, checkpoint_s, Failing(8.0))
    assert attempts == [
        Attempt("0", 0, 8, done=False), Attempt("0", 8, end_s), Attempt("1", end_s, end_s + 6)
    ]  # fmt: skip


def test_failures_are_as_many_as_their_rate_says():
    attempts = simulate(runs(*[100] * 400), 1, 0, 1 / 1000, 1.0)
    failures = sum(not attempt.done for attempt in attempts)
    assert 20 < failures < 65  # 40 in the mean, with a standard deviation of 6
    assert makespan(attempts) < 40_000 + 65


def lasted(call, slots, *times):
    return [
        {"call": call, "slots": slots, "run": f"{kind}{seed}", "configuration": kind,
         "start_s": start, "end_s": end, "wall_s": end - start}
        for kind, seed, start, end in times
    ]  # fmt: skip


def test_check_calibrates_the_gap_on_the_first_round():
    rows = lasted("x", 1, ("a", 1, 0, 10), ("b", 1, 11, 31), ("a", 2, 32, 44), ("b", 2, 45, 61))
    found = queue_check.check(rows)
    assert found["measured_s"] == "61.0" and found["gap_s"] == "1.00"
    assert found["simulated_s"] == "61.0" and found["error"] == "0.000"
    assert found["by_first_round_s"] == "63.0"  # twice 10 and 20, and three gaps


def test_a_queue_in_which_no_run_waited_is_refused():
    with pytest.raises(ValueError, match="call x: no run had to wait"):
        queue_check.check(lasted("x", 2, ("a", 1, 0, 10), ("b", 1, 0, 31)))


def test_commands_refuse_in_a_sentence(tmp_path, monkeypatch):
    for arguments, sentence in (
        (["check", str(tmp_path)], "queue.csv is missing: `python"),
        (
            ["forecast", str(ROOT / "README.md"), "--out", str(tmp_path)],
            "README.md lacks the columns wall_s: name a summary.csv",
        ),
        (["timeline", str(tmp_path), "--slots", "1", "--call", "x", "--out", "y"], "no finished"),
    ):
        monkeypatch.setattr(sys, "argv", ["queue_check", *arguments])
        with pytest.raises(SystemExit, match=sentence):
            queue_check.main()


def test_committed_checks_are_what_the_committed_timelines_give():
    folder = scaling_tables.TWO_CORES
    calls = {}
    for row in record.read_table(folder / "queue.csv"):
        calls.setdefault(row["call"], []).append(row)
    found = [{n: str(v) for n, v in queue_check.check(rows).items()} for rows in calls.values()]
    assert found == record.read_table(folder / "queue_check.csv"), "run `make scaling`"


def test_page_has_the_tables_of_the_committed_results(tmp_path):
    page, copy = ROOT / "docs/scaling.md", tmp_path / "scaling.md"
    copy.write_text(page.read_text(encoding="utf-8"), encoding="utf-8")
    scaling_tables.main(copy)
    assert copy.read_text(encoding="utf-8") == page.read_text(encoding="utf-8"), "`make scaling`"
    copy.write_text("no marks\n")
    with pytest.raises(SystemExit, match="no mark for the table"):
        scaling_tables.main(copy)
