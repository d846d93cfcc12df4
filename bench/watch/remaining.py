"""How long runs have taken, and how long they may still take by what is done so far."""

import re
from collections.abc import Sequence
from statistics import mean

from bench.watch.observe import PLANNED, RUNNING, STOPPED, WENT_WELL, Run

RECENT = 5  # epochs whose pace the rest is expected to keep: learners may be tuned in the first
_WHICH = re.compile(r"-s\d+(-r\d+)?-[0-9a-f]{8}$")  # what runs of a configuration differ by


def used_s(run: Run, now: float) -> float | None:
    """Seconds from the start of a run to its end, or to `now`; None of one that has not begun."""
    if run.wall_s is not None:
        return run.wall_s
    if run.state == RUNNING:
        return max(0.0, now - run.started_at)
    return run.epochs[-1]["wall_s"] if run.epochs else None


def left_s(run: Run, now: float) -> float | None:
    """Seconds until a running run has trained all its epochs; None before the first has ended."""
    if run.state != RUNNING or not run.epochs:
        return None
    todo = run.spec["epochs"] - len(run.epochs)
    return max(0.0, todo * _pace(run) - max(0.0, now - run.epoch_at))


def all_left_s(runs: Sequence[Run], now: float) -> float | None:
    """Seconds until all runs have ended, if as many are trained at once as now.

    One that has not begun is expected to take as long as those that differ by seed and repeat
    alone, or else as those whose ids begin alike, or else as all. None before there is any such.
    """
    totals: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        left = left_s(run, now)
        total = None if left is None else (used_s(run, now) or 0.0) + left
        if run.state in WENT_WELL:  # one that failed took less
            total = run.wall_s
        for kind in _kinds(run):
            if total is not None:
                totals.setdefault(kind, []).append(total)
    whole, at_once = 0.0, max(1, sum(run.state == RUNNING for run in runs))
    for run in runs:
        if run.state not in (PLANNED, RUNNING, STOPPED):
            continue
        left = left_s(run, now)
        if left is None:
            alike = next((totals[kind] for kind in _kinds(run) if kind in totals), None)
            if alike is None:
                return None
            left = max(0.0, mean(alike) - (used_s(run, now) or 0.0))
        whole += left
    return whole / at_once


def _kinds(run: Run) -> list[tuple[str, str]]:
    """Groups of runs that take about as long, the closest first."""
    return [
        ("configuration", _WHICH.sub("", run.id)),
        ("beginning", run.id.split("-")[0]),
        ("all", ""),
    ]


def _pace(run: Run) -> float:
    """Seconds an epoch, all that belongs to it included."""
    if len(run.epochs) == 1:
        return run.epochs[0]["train_s"] + run.epochs[0]["eval_s"]
    recent = run.epochs[-RECENT - 1 :]
    return (recent[-1]["wall_s"] - recent[0]["wall_s"]) / (len(recent) - 1)
