"""Runs and the medians of their configurations, along an axis or in a row of names."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from plots import _hover, _panels, style

_NO_LINE = {"linestyle": "none"}
_EDGE = {"marker": "x", "clip_on": False, "markersize": 5, "mew": 1.2} | _NO_LINE


def side_by_side(names: Sequence[str]) -> dict[str, float]:
    """For each series the factor by which it stands aside on a logarithmic axis."""
    middle = (len(names) - 1) / 2
    return {name: 2 ** (0.03 * (place - middle)) for place, name in enumerate(names)}


def line(
    panel: Axes, runs: pd.DataFrame, look: dict, column: str, trained: str = "", name: str = ""
) -> None:
    """One series: runs at `x` as small marks, a line of the medians, and their intervals.

    The medians are those of `_medians.add_medians`. A run that did not get there within what it has
    `trained` is hollow, and an interval without an end leaves the panel. A run without any number
    is a cross at the bottom.
    """
    name = name or column
    panel.plot(runs["x"], runs[column], **look | _NO_LINE | {"markersize": 2.2, "alpha": 0.6})
    cells = runs.dropna(subset="x").drop_duplicates("x").sort_values("x")
    (medians,) = panel.plot(cells["x"], cells[f"median_{name}"], **look)
    drawn = cells.dropna(subset=f"median_{name}")
    _hover.tell(medians, [_value(cell, name) for cell in drawn.itertuples()])
    late = runs[runs[column].isna()]
    is_followed = late[trained] > 0 if trained else late[column].notna()
    if trained:
        hollow = {"marker": "^", "markerfacecolor": "white", "markersize": 5} | _NO_LINE
        shown = late[is_followed]
        panel.plot(shown["x"], shown[trained], **{"color": look["color"]} | hollow)
    # Where nobody got there the hollow marks say so.
    known = cells[cells["x"].isin(runs.dropna(subset=column)["x"])]
    intervals = zip(*(known[name] for name in ("x", f"low_{name}", f"high_{name}")), strict=True)
    bars = [[(x, low), (x, _end(low, high))] for x, low, high in intervals]
    _bars(panel, bars, look["color"])
    gone = late.loc[~is_followed, "x"].dropna()
    across = panel.get_xaxis_transform()
    if len(gone):
        panel.plot(gone, [0.03] * len(gone), color=look["color"], transform=across, **_EDGE)


def _value(cell, name: str) -> str:
    """What a reader sees who points at a median."""
    ends = (f"{getattr(cell, f'{end}_{name}'):.4g}" for end in ("median", "low", "high"))
    return "{}: {} ({} to {})".format(_hover.configuration(cell), *ends)


def _end(low: float, high: float) -> float:
    """Where an interval's bar ends; without an end, far beyond all that was measured."""
    return 1000 * low if np.isinf(high) else high


def _bars(panel: Axes, bars: list, color: str) -> None:
    """Lines that do not widen the limits of a panel."""
    known = [bar for bar in bars if np.isfinite(bar).all()]
    look = {"colors": color, "linewidths": 1.0, "alpha": 0.7, "zorder": 2}
    panel.add_collection(LineCollection(known, **look), autolim=False)


def row(
    panel: Axes, place: float, runs: pd.DataFrame, look: dict, column: str, trained: str, name: str
) -> None:
    """One configuration at the height `place`: its runs, and a bar across at their median.

    A run that did not get there within what it has `trained` is hollow there; one that has not
    trained is a cross at the edge of the panel, whatever its scale.
    """
    look = look | _NO_LINE
    one, reached = runs.iloc[0], runs[column].dropna()
    panel.plot(reached, [place] * len(reached), alpha=0.75, zorder=3, **look)
    bar = {"marker": "|", "markersize": 11, "mew": 1.6, "color": style.INK, "zorder": 4}
    if np.isfinite(one[f"median_{name}"]):
        (median,) = panel.plot(one[f"median_{name}"], place, **bar)
        _hover.tell(median, _value(one, name))
    late = runs.loc[runs[column].isna(), trained]
    followed = late[late > 0]
    low, high = one[f"low_{name}"], one[f"high_{name}"]
    _bars(panel, [[(low, place), (_end(low, high), place)]], look["color"])
    hollow = look | {"marker": ">", "markerfacecolor": "white", "markersize": 5}
    panel.plot(followed, [place] * len(followed), zorder=3, **hollow)
    if len(followed) < len(late):
        across = panel.get_yaxis_transform()
        panel.plot(0, place, color=look["color"], transform=across, **_EDGE)


def marks(*drawn: tuple[pd.DataFrame, str, str]) -> list[Line2D]:
    """Legend entries of what `line` has drawn of these runs, each with their column and trained."""
    entries = [
        _panels.grey("a run", marker="o", markersize=2.2),
        _panels.grey("interval of the median", marker="|", markersize=9, mew=1),
    ]
    late = [(runs[runs[column].isna()], trained) for runs, column, trained in drawn]
    followed = [runs[trained] > 0 if trained else runs.index < 0 for runs, trained in late]
    if any(np.any(is_followed) for is_followed in followed):
        entries.append(_panels.grey("target not reached", marker="^", markerfacecolor="white"))
    if not all(np.all(is_followed) for is_followed in followed):
        entries.append(_panels.grey("failed", marker="x", markersize=5))
    return entries
