"""Axes of amounts: from zero, or logarithmic where small ones would be flat; ticks to read."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator


def start_at_zero(panels: dict[tuple, Axes]) -> None:
    """Lets y start at zero, once all is drawn: a limit set before would stop shared autoscaling."""
    for panel in panels.values():
        panel.set_ylim(bottom=0)


def amount_axis(panel: Axes, ends: pd.Series, starts: pd.Series | None = None) -> None:
    """An amount along x: from zero, or logarithmic where that would squeeze the small ones flat.

    `ends` are the largest of each curve and decide; `starts`, the smallest, show as well.
    """
    ends = ends[ends > 0]
    if ends.empty or ends.max() / ends.min() < 8:
        panel.set_xlim(0, 1.05 * ends.max() if len(ends) else 1)
        return
    panel.set_xscale("log")
    log_ticks(panel.xaxis, ends if starts is None else pd.concat([starts, ends]))


def amount_up(panels: Sequence[Axes], amounts: pd.Series) -> None:
    """An amount up y in a row of panels: from zero, or logarithmic where it spans too much."""
    amounts = amounts[amounts > 0]
    for panel in panels:
        panel.yaxis.set_major_formatter(lambda y, _: short_number(y))
        if len(amounts) and amounts.max() > 25 * amounts.min():
            panel.set_yscale("log")
            log_ticks(panel.yaxis, amounts)
        else:
            panel.set_ylim(bottom=0)


def learner_axis(panel: Axes, tried: pd.Series) -> None:
    """Learners along a logarithmic x, with the numbers that were tried as far as they have room."""
    panel.set_xscale("log", base=2)
    count_ticks(panel.xaxis, tried)


def count_ticks(axis: Axis, tried: pd.Series) -> None:
    """Ticks at the counts that were tried, along a logarithmic axis with room for these."""
    shown: list[float] = []
    for count in sorted(set(tried.dropna())):
        if not shown or count >= 1.2 * shown[-1]:
            shown.append(count)
    axis.set_major_locator(FixedLocator(shown))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:g}")


def log_ticks(axis: Axis, shown: pd.Series) -> None:
    """Readable numbers along a logarithmic axis that shows these: as many as have room."""
    few_decades = shown.max() < 60 * shown[shown > 0].min()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few_decades else (1,)))
    axis.set_major_formatter(lambda x, _: short_number(x))
    axis.set_minor_locator(NullLocator())


def short_number(value: float) -> str:
    """A number for a tick, of three digits at most: 0.05, 20, 5k or 2.25M."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.3g}{letter}"
    return f"{value:.3g}"
