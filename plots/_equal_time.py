"""Lines of equal time, on logarithmic axes of epochs along x and images/s up y."""

import numpy as np
from matplotlib.axes import Axes

from plots import _axes, style


def draw(panel: Axes, images: float, lowest: float) -> None:
    """Grey lines along which epochs of so many `images` take one time, with its name.

    None is drawn that the panel has below the throughput `lowest` alone.
    """
    ends = np.array(panel.get_xlim())
    corners = ends * images / np.array([panel.get_ylim()[1], lowest])
    for seconds in _round_times(*corners):
        panel.plot(ends, ends * images / seconds, color="#c9c9c9", linewidth=0.7, zorder=1)
        _name(panel, ends, images, seconds)


def _round_times(shortest: float, longest: float) -> list[float]:
    """1, 2 and 5 of every power of ten in between; one a decade where there are many."""
    decades = range(int(np.floor(np.log10(shortest))), int(np.ceil(np.log10(longest))) + 1)
    steps = (1, 2, 5) if longest < 300 * shortest else (1,)
    times = [step * 10.0**decade for decade in decades for step in steps]
    return [time for time in times if shortest < time < longest]


def _name(panel: Axes, ends: np.ndarray, images: float, seconds: float) -> None:
    """Writes the time where its line leaves the panel, at the top or right, or where it begins."""
    top = panel.get_ylim()[1]
    x = min(ends[1], top * seconds / images)
    at_top = x < ends[1]
    shift = {"xytext": (-1, -2) if at_top else (-2, 1), "textcoords": "offset points"}
    name = f"{_axes.short_number(seconds)} s"
    where = (x, top) if at_top else (x, ends[1] * images / seconds)
    look = {"ha": "right", "va": "top" if at_top else "bottom", "fontsize": 5.5}
    if x < ends[0] * (ends[1] / ends[0]) ** 0.12:  # no room beside the other axis
        where, shift["xytext"] = (ends[0], ends[0] * images / seconds), (3, -2)
        look |= {"ha": "left", "va": "top"}
    panel.annotate(name, where, color=style.FAINT, **shift, **look)
