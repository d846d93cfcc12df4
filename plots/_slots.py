"""A horizontal axis of places: Crossbow by its learners per device, then the baselines by name."""

import textwrap
from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from plots import _legends, style
from plots._entries import Entry

_WRAP = 26  # letters of a name in one line
_EDGE = 0.25  # inches from the first place, and from the last, to the ends of the axis
STEP = 0.33  # inches from one number of learners to the next, where they stand in turn
WIDTH = 3.0  # inches of all numbers of learners, where they stand to scale


def slot(run) -> str:
    """Crossbow stands at its learners (the auto-tuner at those it chose), others at their name."""
    if run.system != "crossbow":
        return run.series if run.learners == "1" else f"{run.series} m={run.learners}"
    if run.learners == "auto" and pd.notna(run.learners_final):
        return f"{run.learners_final:g}"
    return run.learners


def order(slot: str) -> tuple:
    """Sorts numbers of learners first, then `auto` without a number, then names."""
    is_name_ = is_name(slot)
    return (slot != "auto" and is_name_, is_name_, 0 if is_name_ else float(slot), slot)


def is_name(slot: str) -> bool:
    """Whether a place is not a number of learners: that of a baseline, or `auto`."""
    return not slot.replace(".", "", 1).isdigit()


def of_workloads(table: pd.DataFrame) -> dict[str, list[str]]:
    """The slots of each workload in their order: it has the names of its own runs alone."""
    return {
        workload: sorted(own["slot"].unique(), key=order)
        for workload, own in table.groupby("workload")
    }


def in_turn(slots: list[str], wide: float) -> dict[str, float]:
    """Places side by side, learners one apart, which is STEP inches, and names `wide` inches."""
    steps = [wide / STEP if order(slot)[0] else 1.0 for slot in slots]
    return {slot: sum(steps[1 : turn + 1]) for turn, slot in enumerate(slots)}


def to_scale(slots: list[str], wide: float, most: float) -> dict[str, float]:
    """Learners where their number is, `most` on WIDTH inches; then names, each `wide` inches."""
    step = wide * most / WIDTH
    others = [slot for slot in slots if is_name(slot)]
    places = {slot: float(slot) for slot in slots if not is_name(slot)}
    return places | {name: most + step * (turn + 1.4) for turn, name in enumerate(others)}


def span(places: Iterable[dict[str, float]]) -> float:
    """How far the widest of these places go from the first."""
    return max(max(own.values()) - min(own.values()) for own in places)


def width(span: float, inches: float) -> float:
    """Inches of a panel of this span, with its edges and the numbers to its left."""
    return inches * span + 2 * _EDGE + 0.7


def frame(panel: Axes, places: dict[str, float], inches: float, span: float) -> None:
    """Ticks for these places as far as they have room, names turned, a line before the names.

    Two places that are one apart have so many `inches` between them; all panels have one `span`.
    """
    names = [slot for slot in places if order(slot)[0]]
    shown: dict[str, float] = {}
    for slot, place in places.items():
        before, last = max(shown.items(), key=lambda one: one[1], default=("", -np.inf))
        # Half of both, of 0.057 inches a letter.
        if slot in names or inches * (place - last) > 0.0285 * len(before + slot) + 0.03:
            shown[slot] = place
    panel.set_xticks(list(shown.values()), [textwrap.fill(slot, _WRAP) for slot in shown])
    left = min(places.values())
    panel.set_xlim(left - _EDGE / inches, left + span + _EDGE / inches)
    panel.grid(axis="x", visible=False)
    of_crossbow = len(shown) - len(names)
    for label in panel.get_xticklabels()[of_crossbow:]:
        label.set(rotation=35, ha="right", va="top", ma="right", rotation_mode="anchor")
    if names and of_crossbow:
        last = max(place for slot, place in places.items() if slot not in names)
        panel.axvline((last + places[names[0]]) / 2, color=style.FAINT, linewidth=0.6)


def size(slots: Iterable[list[str]]) -> tuple[float, float]:
    """Inches that a panel needs for each name, and below all of these rows for the names."""
    rows = [[textwrap.wrap(slot, _WRAP) for slot in own] for own in slots]
    most = max(len(lines) for own in rows for lines in own)
    longest = [max(len(line) for lines in own for line in lines) for own in rows]
    return max(0.33, 0.24 * most), 0.035 * sum(longest)


def marks(table: pd.DataFrame, looks: dict, lines: dict) -> list[Line2D]:
    """Legend entries of the batches, and of Crossbow's series where there are several."""
    batches: list[Line2D] = [
        Entry(linestyle="none", label=f"batch {batch:g}", **look) for batch, look in looks.items()
    ]
    of_crossbow = table[table["system"] == "crossbow"]
    dark = {"color": style.INK, "marker": "o"}
    series = {name: dark | lines[name] for name in sorted(of_crossbow["series"].unique())}
    return batches + (_legends.series_marks(of_crossbow, series) if len(series) > 1 else [])
