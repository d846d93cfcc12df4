"""Runs and the medians of their configurations, along an axis or in a row of names."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from plots import _panels, style

_NO_LINE = {"linestyle": "none"}
_EDGE = {"marker": "x", "clip_on": False, "markersize": 5, "mew": 1.2} | _NO_LINE


def line(
    panel: Axes, runs: pd.DataFrame, look: dict, column: str, trained: str = "", name: str = ""
) -> None:
    """One series: runs at `x` as small marks, a line of the medians, and their intervals.

    The medians are those of `_medians.add_medians`. A run that did not get there within what it has
    `trained` is hollow; an interval without an end goes up to the last of them. A run without any
    number is a cross at the bottom.
    """
    name = name or column
    panel.plot(runs["x"], runs[column], **look | _NO_LINE | {"markersize": 2.2, "alpha": 0.6})
    cells = runs.dropna(subset="x").drop_duplicates("x").sort_values("x")
    panel.plot(cells["x"], cells[f"median_{name}"], **look)
    late = runs[runs[column].isna()]
    is_followed = late[trained] > 0 if trained else late[column].notna()
    if trained:
        hollow = {"marker": "^", "markerfacecolor": "white", "markersize": 5} | _NO_LINE
        shown = late[is_followed]
        panel.plot(shown["x"], shown[trained], **{"color": look["color"]} | hollow)
    ends = _ends(cells, runs, trained, name)
    bar = {"color": look["color"], "linewidth": 1.0, "alpha": 0.7, "zorder": 2}
    panel.vlines(cells["x"], cells[f"low_{name}"].replace(np.inf, np.nan), ends, **bar)
    gone = late.loc[~is_followed, "x"].dropna()
    across = panel.get_xaxis_transform()
    if len(gone):
        panel.plot(gone, [0.03] * len(gone), color=look["color"], transform=across, **_EDGE)


def _ends(cells: pd.DataFrame, runs: pd.DataFrame, trained: str, name: str) -> pd.Series:
    """Where each interval ends that is drawn."""
    ends = cells[f"high_{name}"].replace(np.inf, np.nan)
    if not trained:
        return ends
    return ends.fillna(cells["x"].map(runs.groupby("x")[trained].max()))


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
    panel.plot(one[f"median_{name}"], place, **bar)
    late = runs.loc[runs[column].isna(), trained]
    followed = late[late > 0]
    high = one[f"high_{name}"] if np.isfinite(one[f"high_{name}"]) else followed.max()
    if np.isfinite(one[f"low_{name}"]):
        panel.hlines(place, one[f"low_{name}"], high, color=look["color"], linewidth=1.2, zorder=2)
    hollow = look | {"marker": ">", "markerfacecolor": "white", "markersize": 5}
    panel.plot(followed, [place] * len(followed), zorder=3, **hollow)
    if len(followed) < len(late):
        across = panel.get_yaxis_transform()
        panel.plot(0, place, color=look["color"], transform=across, **_EDGE)


def marks(table: pd.DataFrame, columns: Sequence[str], trained: Sequence[str]) -> list[Line2D]:
    """Legend entries of what `line` has drawn of these columns; `trained` is empty for rates."""
    entries = [
        _panels.grey("a run", marker="o", markersize=2.2),
        _panels.grey("interval of the median", marker="|", markersize=9, mew=1),
    ]
    late = [table.loc[table[column].isna()] for column in columns]
    followed = [rows[by] > 0 if by else rows.index < 0 for rows, by in zip(late, trained)]
    if any(np.any(is_followed) for is_followed in followed):
        entries.append(_panels.grey("target not reached", marker="^", markerfacecolor="white"))
    if not all(np.all(is_followed) for is_followed in followed):
        entries.append(_panels.grey("failed", marker="x", markersize=5))
    return entries
