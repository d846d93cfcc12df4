"""Axes of amounts: from zero, or logarithmic where small ones would be flat; ticks to read."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullLocator

_ACCURACIES = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999)
# Where less error is left than that.
_ACCURACIES += tuple(1 - digit * 10**-place for place in (4, 5, 6) for digit in (5, 2, 1))

# An axis that ends at less than this times its start is all but linear, also a logarithmic one.
_NARROW = 5
_LINEAR = {"nbins": 6, "steps": [1, 2, 5, 10]}

_EDGE = 0.13  # of a logarithmic axis, where marks at its edge stand free of those of numbers


def amount_axis(panel: Axes, ends: pd.Series, starts: pd.Series | None = None) -> None:
    """An amount along x: from zero, or logarithmic where that would squeeze the small ones flat.

    `ends` are the largest of each curve and decide; `starts`, the smallest, show as well.
    """
    ends = ends[ends > 0]
    if ends.empty:
        without_numbers(panel, "x")
    if ends.empty or ends.max() / ends.min() < 8:
        panel.set_xlim(0, 1.05 * ends.max() if len(ends) else 1)
        return
    panel.set_xscale("log")
    shown = ends if starts is None else pd.concat([starts[starts > 0], ends])
    span = shown.max() / shown.min()
    panel.set_xlim(shown.min() / span**_EDGE, shown.max() * span**0.05)
    log_ticks(panel.xaxis, shown)


def amount_up(panels: Sequence[Axes], amounts: pd.Series) -> None:
    """An amount up y in a row of panels: from zero, or logarithmic where it spans too much."""
    amounts = amounts[amounts > 0]
    for panel in panels:
        if amounts.empty:
            without_numbers(panel, "y")
        panel.yaxis.set_major_formatter(lambda y, _: short_number(y))
        if len(amounts) and amounts.max() > 25 * amounts.min():
            panel.set_yscale("log")
            log_ticks(panel.yaxis, amounts)
            panel.set_ylim(amounts.min() / 1.3, amounts.max() * 1.3)
        else:
            panel.set_ylim(0, 1.12 * amounts.max() if len(amounts) else None)


def without_numbers(panel: Axes, axis: str = "both") -> None:
    """Takes ticks and grid away where no run gives the numbers along an axis."""
    panel.grid(visible=False, axis=axis)
    if axis != "y":
        panel.tick_params(axis="x", bottom=False, labelbottom=False)
    if axis != "x":
        panel.tick_params(axis="y", left=False, labelleft=False)


def close_up(panels: Sequence[Axes], amounts: pd.Series) -> None:
    """An amount up y from zero, or where all are close together from a little below them."""
    amounts = amounts[amounts > 0]
    if amounts.empty:
        for panel in panels:
            without_numbers(panel, "y")
        return
    least, most = amounts.min(), amounts.max()
    room = 0.12 * most if least < 0.6 * most else max(0.25 * (most - least), 0.03 * most)
    for panel in panels:
        panel.set_ylim(0 if least < 0.6 * most else least - room, most + room)


def error_ticks(axis: Axis, errors: pd.Series) -> None:
    """Accuracies along a logarithmic axis of errors that spans these, as many as have room."""
    least, most = errors.min(), errors.max()
    apart, accuracies = max((most / least) ** (1 / 6), 1.05), np.array(_ACCURACIES)
    if most < _NARROW * least:
        if most < 1.02 * least:  # one number, or all but one
            least, most = 0.98 * least, 1.02 * most
        apart, accuracies = 1.0, MaxNLocator(**_LINEAR).tick_values(1 - most, 1 - least)
    shown: list[float] = []
    for error in 1 - accuracies[::-1]:
        if least <= error <= 1 and (not shown or error >= apart * shown[-1]):
            shown.append(error)
    axis.set_major_locator(FixedLocator(shown))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda error, _: f"{round(100 * (1 - error), 6):.9g}%")


def log_ticks(axis: Axis, shown: pd.Series, whole: bool = False) -> None:
    """Readable numbers along a logarithmic axis that shows these: as many as have room.

    `whole` leaves out fractions, where the axis counts.
    """
    span = shown.max() / shown[shown > 0].min()
    subs = (1, 2, 3, 5) if span < 10 else (1, 2, 5) if span < 60 else (1,)
    linear = MaxNLocator(**_LINEAR, integer=whole, min_n_ticks=2 - whole)
    axis.set_major_locator(linear if span < _NARROW else LogLocator(subs=subs))
    axis.set_major_formatter(lambda x, _: short_number(x))
    axis.set_minor_locator(NullLocator())


def whole_ticks(axis: Axis) -> None:
    """Whole numbers along an axis that counts, also where a single one is in sight."""
    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def short_number(value: float) -> str:
    """A number for a tick, of three digits at most: 0.05, 20, 5k or 2.25M."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.3g}{letter}"
    return f"{value:.3g}"


def short_time(seconds: float) -> str:
    """A time for a tick, of three digits at most: 50 µs, 2 ms or 10 s."""
    for unit, name in ((1, "s"), (1e-3, "ms")):
        if seconds >= 0.999 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-6:.3g} µs"
