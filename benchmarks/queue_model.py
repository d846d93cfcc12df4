"""How long a queue of runs takes on so many devices: a discrete-event simulation.

All times are in seconds. `benchmarks.queue_check` compares it with what pipelines took.
"""

import heapq
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Run:
    """A run in a queue: `seconds` of work on `devices` devices."""

    name: str
    seconds: float
    devices: int = 1


@dataclass(frozen=True)
class Attempt:
    """From when a run got its devices to its end or, unless `done`, to its failure."""

    name: str
    start_s: float
    end_s: float
    done: bool = True


def simulate(
    runs: Sequence[Run],
    devices: int,
    gap_s: float = 0.0,
    failures_per_s: float = 0.0,
    checkpoint_s: float | None = None,
    draw: random.Random | None = None,
) -> list[Attempt]:
    """Work off the runs in their order, a later one first only where an earlier does not fit.

    Each attempt takes `gap_s` before it works, for scheduling and starting. Each device fails with
    the rate `failures_per_s`, and its run with it, which is then the next in the queue; its work up
    to the last multiple of `checkpoint_s` is kept, and none where that is None.

    Raises:
        ValueError: a run needs more devices than there are.
    """
    if too_large := [run.name for run in runs if run.devices > devices]:
        raise ValueError(f"{too_large[0]} needs more than {devices} devices: it would never start")
    draw = draw or random.Random(0)
    waiting, attempts = list(enumerate(runs)), []
    ends: list[tuple[float, int, Run, Run | None]] = []  # the last is what is left of the run
    now, free = 0.0, devices
    while waiting or ends:
        started = []
        for place, (order, run) in enumerate(waiting):
            if not free:
                break
            if run.devices <= free:
                free -= run.devices
                started.append(place)
                attempt, left = _attempt(run, now, gap_s, failures_per_s, checkpoint_s, draw)
                attempts.append(attempt)
                heapq.heappush(ends, (attempt.end_s, order, run, left))
        for place in reversed(started):
            del waiting[place]
        now, order, run, left = heapq.heappop(ends)
        free += run.devices
        if left:
            waiting.insert(0, (order, left))
    return attempts


def _attempt(
    run: Run, now: float, gap_s: float, rate: float, checkpoint_s: float | None, draw: random.Random
) -> tuple[Attempt, Run | None]:
    after_s = draw.expovariate(rate * run.devices) if rate else float("inf")
    if after_s >= gap_s + run.seconds:
        return Attempt(run.name, now, now + gap_s + run.seconds), None
    worked_s = max(0.0, after_s - gap_s)
    kept_s = worked_s // checkpoint_s * checkpoint_s if checkpoint_s else 0.0
    return Attempt(run.name, now, now + after_s, False), replace(run, seconds=run.seconds - kept_s)


def makespan(attempts: Sequence[Attempt]) -> float:
    """Seconds from the beginning to the last end."""
    return max(attempt.end_s for attempt in attempts)
