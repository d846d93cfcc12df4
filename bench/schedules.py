"""Learning-rate schedules as pure functions of the position in training."""

import bisect
import math
from collections.abc import Mapping
from typing import Any


def learning_rate(schedule: Mapping[str, Any], peak: float, position: float, epochs: int) -> float:
    """The learning rate at `position` epochs (fractional, 0 at the start) of `epochs`.

    Kinds: `constant`, and three that rise linearly from 0 to the peak over the first `warmup`, a
    fraction of the run: `step`, which multiplies by `factor` at each epoch in `at` (with a warm-up
    Goyal et al. 2017, arXiv 1706.02677, section 2.2); `one-cycle`, which falls linearly to 0 (Smith
    & Topin 2018, arXiv 1708.07120); `cosine` (Loshchilov & Hutter 2017, arXiv 1608.03983).

    Raises:
        ValueError: the kind is unknown.
    """
    kind = schedule["kind"]
    if kind == "constant":
        return peak
    progress, warmup = position / epochs, schedule.get("warmup", 0.0)
    if progress < warmup:
        return peak * progress / warmup
    if kind == "step":
        return peak * schedule["factor"] ** bisect.bisect_right(schedule["at"], position)
    remaining = (1 - progress) / (1 - warmup)
    if kind == "one-cycle":
        return peak * max(remaining, 0.0)
    if kind == "cosine":
        return peak * 0.5 * (1 - math.cos(math.pi * remaining))
    raise ValueError(f"unknown schedule kind {kind!r}; use constant, step, one-cycle or cosine")


def drops_between(schedule: Mapping[str, Any], before: float, after: float) -> bool:
    """Whether a `step` schedule drops after position `before` and by position `after` (epochs)."""
    return schedule["kind"] == "step" and any(before < at <= after for at in schedule["at"])


def describe(schedule: Mapping[str, Any]) -> str:
    """One cell of a table: `constant`, `step(at=[8, 12], factor=0.1)`."""
    options = ", ".join(f"{key}={value}" for key, value in schedule.items() if key != "kind")
    return f"{schedule['kind']}({options})" if options else str(schedule["kind"])
