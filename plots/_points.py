"""Runs and the medians of their configurations, along an axis or in a row of names."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from plots import _absent, _hover, _legends, _runs, style

_NO_LINE = {"linestyle": "none"}
_EDGE = {"marker": "x", "clip_on": False, "markersize": 5, "mew": 1.2} | _NO_LINE


def side_by_side(names: Sequence[str]) -> dict[str, float]:
    """For each series the factor by which it stands aside on a logarithmic axis.

    All stay within a tenth of the way to the next power of two, however many they are.
    """
    middle = (len(names) - 1) / 2
    step = min(0.06, 0.1 / max(middle, 0.5))
    return {name: 2 ** (step * (place - middle)) for place, name in enumerate(names)}


def turns(runs: pd.DataFrame, order: Sequence[str]) -> pd.Series:
    """The turn of each run's series among those at its `x`: of two -0.5 and 0.5."""
    place = runs["series"].map(list(order).index).groupby(runs["x"])
    turn = place.rank("dense") - 1
    return turn - turn.groupby(runs["x"]).transform("max") / 2


def line(
    panel: Axes, runs: pd.DataFrame, look: dict, column: str, trained: str = "", name: str = ""
) -> None:
    """One series: runs at `x` as small marks, a line of the medians, and their intervals.

    The medians are those of `_medians.add_medians`. A run that did not get there within what it has
    `trained` is hollow, and an interval without an end leaves the panel. A run without any number
    is a cross at the bottom, and one that was planned and not run a question mark.
    """
    name = name or column
    runs = runs.dropna(subset="x")
    there, followed, gone, planned = _parted(runs, column, trained)
    small = look | _NO_LINE | {"markersize": 2.2, "alpha": 0.6}
    (dots,) = panel.plot(there["x"], there[column], **small)
    _hover.tell(dots, _hover.values(there, column))
    cells = runs.drop_duplicates("x").sort_values("x")
    (medians,) = panel.plot(cells["x"], cells[f"median_{name}"], **look)
    _hover.tell(medians, _hover.medians(cells.dropna(subset=f"median_{name}"), name))
    lows, highs, texts = cells[f"low_{name}"], cells[f"high_{name}"], _hover.medians(cells, name)
    for x, low, high, text in zip(cells["x"], lows, highs, texts, strict=True):
        bar(panel, [(x, low), (x, end(low, high))], look["color"], text)
    if trained:
        hollow = {"marker": "^", "markerfacecolor": "white", "markersize": 5} | _NO_LINE
        (late,) = panel.plot(followed["x"], followed[trained], **style.named(look), **hollow)
        _hover.tell(late, _hover.unreached(followed, trained))
    if len(gone):
        at = {"transform": panel.get_xaxis_transform()} | style.named(look) | _EDGE
        (crosses,) = panel.plot(gone["x"], [0.03] * len(gone), **at)
        _hover.tell(crosses, _hover.endings(gone))
    mark_planned(panel, planned, look)


def mark_planned(panel: Axes, planned: pd.DataFrame, look: dict) -> None:
    """Question marks along the bottom, at the `x` of runs that were planned and not run."""
    for x, members in planned.groupby("x"):
        _absent.question(panel, look, "; ".join(_hover.endings(members)), x=x)


def _parted(runs: pd.DataFrame, column: str, trained: str) -> tuple[pd.DataFrame, ...]:
    """The runs with a value, those that trained without coming to it, what ended otherwise, and
    what was planned and not run.
    """
    if f"status_{column}" in runs:  # what became of two runs together
        runs = runs.assign(status=runs[f"status_{column}"])
    is_there = runs[column].notna()
    is_followed = ~is_there & (runs[trained] > 0) if trained else ~is_there & False
    is_planned, is_meant = _runs.is_planned(runs), runs["status"] != ""
    gone = runs[~is_there & ~is_followed & ~is_planned & is_meant]
    return runs[is_there], runs[is_followed], gone, runs[is_planned]


def end(low: float, high: float) -> float:
    """Where an interval's bar ends; without an end, far beyond all that was measured."""
    return 1000 * low if np.isinf(high) else high


def bar(panel: Axes, ends: list[tuple[float, float]], color: str, text: str) -> None:
    """A line that does not widen the limits of a panel."""
    if not np.isfinite(ends).all():
        return
    look = {"colors": color, "linewidths": 1.0, "alpha": 0.7, "zorder": 2}
    drawn = LineCollection([ends], **look)
    _hover.tell(drawn, text)
    panel.add_collection(drawn, autolim=False)


def row(
    panel: Axes, place: float, runs: pd.DataFrame, look: dict, column: str, trained: str, name: str
) -> None:
    """One configuration at the height `place`: its runs, and a bar across at their median.

    A run that did not get there within what it has `trained` is hollow there; one that has not
    trained is a cross at the edge of the panel, whatever its scale, and one that was planned and
    not run a question mark beside it.
    """
    look = look | _NO_LINE
    one, (there, followed, gone, planned) = runs.iloc[0], _parted(runs, column, trained)
    (marks,) = panel.plot(there[column], [place] * len(there), alpha=0.75, zorder=3, **look)
    _hover.tell(marks, _hover.values(there, column))
    upright = {"marker": "|", "markersize": 11, "mew": 1.6, "color": style.INK, "zorder": 4}
    (text,) = _hover.medians(runs.head(1), name)
    if np.isfinite(one[f"median_{name}"]):
        (median,) = panel.plot(one[f"median_{name}"], place, **upright)
        _hover.tell(median, text)
    low, high = one[f"low_{name}"], one[f"high_{name}"]
    bar(panel, [(low, place), (end(low, high), place)], look["color"], text)
    hollow = look | {"marker": ">", "markerfacecolor": "white", "markersize": 5}
    (late,) = panel.plot(followed[trained], [place] * len(followed), zorder=3, **hollow)
    _hover.tell(late, _hover.unreached(followed, trained))
    if len(gone):
        at = {"transform": panel.get_yaxis_transform(), "color": look["color"]} | _EDGE
        (cross,) = panel.plot(0, place, **at)
        _hover.tell(cross, "; ".join(_hover.endings(gone)))
    if len(planned):
        _absent.question(panel, look, "; ".join(_hover.endings(planned)), y=place)


def marks(*drawn: tuple[pd.DataFrame, str, str], name: str = "") -> list[Line2D]:
    """Legend entries of what `line` has drawn of these runs, each with their column and trained."""
    entries = [_legends.grey("a run", marker="o", markersize=2.2)]
    ends = [(runs, f"_{name or column}") for runs, column, _ in drawn]
    if any((runs[f"low{end}"] < runs[f"high{end}"]).any() for runs, end in ends):
        entries.append(_legends.grey("interval of the median", marker="|", markersize=9, mew=1))
    parts = [_parted(*one) for one in drawn]
    if any(len(followed) for _, followed, _, _ in parts):
        entries.append(_legends.grey("target not reached", marker="^", markerfacecolor="white"))
    if any(len(gone) for _, _, gone, _ in parts):
        entries.append(_legends.grey("failed", marker="x", markersize=5))
    return entries
