"""Logarithmic axes of counts, as learners or devices, with ticks at those that were tried."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, NullLocator

_ROOM = 0.8  # doublings at both ends of an axis of counts together


def learner_axis(panel: Axes, tried: pd.Series) -> None:
    """Learners along a logarithmic x, with the numbers that were tried as far as they have room."""
    panel.set_xscale("log", base=2)
    panel.set_xlim(tried.min() / 1.3, tried.max() * 1.3)
    count_ticks(panel.xaxis, tried)


def least_step(tried: pd.Series) -> float:
    """The doublings between the closest two of these numbers; 1 where there is one alone."""
    steps = np.diff(np.log2(np.unique(tried)))
    return float(steps.min()) if len(steps) else 1.0


def count_ticks(axis: Axis, tried: pd.Series) -> None:
    """Ticks at the counts that were tried, along a logarithmic axis: as many as have room.

    Powers of two come first.
    """
    counts = np.array(sorted(set(tried.dropna())), dtype=float)
    shown: list[float] = []
    inches = _inches(axis) / (np.log2(counts.max() / counts.min()) + _ROOM) if len(counts) else 0
    for count in sorted(counts, key=lambda one: (np.log2(one) % 1 > 0, one)):
        if all(inches * abs(np.log2(count / one)) > _needed(axis, count, one) for one in shown):
            shown.append(count)
    axis.set_major_locator(FixedLocator(sorted(shown)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:g}")


def _inches(axis: Axis) -> float:
    """The length of an axis, before the layout is solved."""
    place, figure = axis.axes.get_position(), axis.axes.figure
    if axis.axis_name == "x":
        return place.width * figure.get_figwidth()
    return place.height * figure.get_figheight()


def _needed(axis: Axis, *numbers: float) -> float:
    """Inches from the middle of one number to that of another, with a gap: 0.06 a digit."""
    digits = sum(len(f"{number:g}") for number in numbers)
    return 0.03 * digits + 0.06 if axis.axis_name == "x" else 0.14
