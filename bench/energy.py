"""Energy of a run: the integral of its own devices' power, on the clock of its epochs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench import record

MOST_GAP_S = 2.0  # between two samples, or beyond them, that a straight line may bridge
ENDED = (record.FINISHED, record.REACHED, record.DIVERGED)


def of_run(
    folder: Path,
    spec: Mapping[str, Any],
    outcome: Mapping[str, Any],
    epochs: Sequence[Mapping[str, float]],
) -> dict[str, float | None]:
    """`energy_j` of the whole run and `joules_per_image` of its epochs, evaluations included.

    Telemetry is that of the last attempt alone. So a resumed run has no `energy_j`, and its joules
    per image are those of the epochs since. None where power is not known throughout, as on several
    nodes, of which telemetry has the launcher's, or where nobody has noted how far the run's clock
    was when its telemetry began.
    """
    known: dict[str, float | None] = {"energy_j": None, "joules_per_image": None}
    carried_s = outcome.get("carried_s")
    if carried_s is None or outcome["status"] not in ENDED or spec["device_type"] != "cuda":
        return known
    if spec.get("nodes", 1) > 1:
        return known
    power = _power(folder / record.TELEMETRY, spec["devices"])
    if not carried_s:
        known["energy_j"] = _sum(power, 0.0, outcome["wall_s"])
    earlier = [epoch for epoch in epochs if epoch["wall_s"] <= carried_s]
    own = epochs[len(earlier) :]
    if own:
        before = earlier[-1] if earlier else dict.fromkeys(own[0], 0.0)
        spent_s = sum(own[0][column] - before[column] for column in ("train_s", "eval_s"))
        start, end = own[0]["wall_s"] - spent_s - carried_s, own[-1]["wall_s"] - carried_s
        energy_j = _sum(power, start, end)
        if energy_j is not None:
            known["joules_per_image"] = energy_j / (own[-1]["images"] - before["images"])
    return known


def integral(t_s: np.ndarray, watts: np.ndarray, start: float, end: float) -> float | None:
    """Joules from `start` to `end` by the trapezoidal rule; None where samples are too far apart.

    `t_s` rises. Power is linear between two samples, and constant before the first and after the
    last of them.
    """
    if not len(t_s):
        return None
    inside = (t_s > start) & (t_s < end)
    times = np.concatenate([[start], t_s[inside], [end]])
    # The samples around the interval, or its own ends where there are none.
    around = np.concatenate([t_s[t_s <= start][-1:], t_s[inside], t_s[t_s >= end][:1]])
    reach = np.concatenate([[min(start, around[0])], around, [max(end, around[-1])]])
    if np.diff(reach).max() > MOST_GAP_S:
        return None
    return float(np.trapezoid(np.interp(times, t_s, watts), times))


def _power(path: Path, devices: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Seconds and watts of each device of the run, where it told them."""
    table = pd.read_csv(path, usecols=["t_s", "device", "power_w"]).dropna()
    own = [table[table["device"] == f"cuda:{index}"] for index in range(devices)]
    return [(one["t_s"].to_numpy(float), one["power_w"].to_numpy(float)) for one in own]


def _sum(power: list[tuple[np.ndarray, np.ndarray]], start: float, end: float) -> float | None:
    """Joules of all devices; None where one of them is not known."""
    joules = [integral(t_s, watts, start, end) for t_s, watts in power]
    return None if None in joules else sum(one for one in joules if one is not None)
