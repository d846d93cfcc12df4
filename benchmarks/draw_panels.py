"""Panels of networks: side by side, in rows of four, each with a legend of its own where asked."""

import math
from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy

ACROSS = 4
LINE = 0.14  # inches of a line of a legend
SIZE = 6  # points of its letters


def grid(number: int, width: float, height: float, **shared: bool) -> tuple[Figure, list[Axes]]:
    """The figure, and so many panels of these inches, with numbers along the axes of each row."""
    across, down = min(number, ACROSS), math.ceil(number / ACROSS)
    figure = Figure(figsize=(max(width * across, 4.2), height * down), layout="constrained")
    panels = list(figure.subplots(down, across, squeeze=False, **shared).flat)
    for panel in panels[number:]:
        panel.remove()
    for panel in panels[:number]:
        panel.tick_params(labelbottom=True)
    return figure, panels[:number]


def firsts(panels: Sequence[Axes]) -> Sequence[Axes]:
    """The panels at the left."""
    return panels[::ACROSS]


def rows(panels: Sequence[Axes]) -> list[Sequence[Axes]]:
    """The panels of each row."""
    return [panels[start : start + ACROSS] for start in range(0, len(panels), ACROSS)]


def legends(rows: Iterable[Sequence[Axes]]) -> None:
    """A legend below each panel; the figure grows by the longest of every row."""
    for row in rows:
        for panel in row:
            # Inches, lest it meets what the axis is called where panels are low.
            at = offset_copy(panel.transAxes, panel.figure, -0.3, -0.45, units="inches")
            look = {"loc": "upper left", "borderaxespad": 0, "fontsize": SIZE}
            panel.legend(bbox_to_anchor=(0, 0), bbox_transform=at, **look)
        entries = max(len(panel.get_legend_handles_labels()[0]) for panel in row)
        figure = row[0].figure
        figure.set_figheight(figure.get_figheight() + LINE * entries)
