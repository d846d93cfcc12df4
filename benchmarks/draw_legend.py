"""Legends of panels that each have marks of their own."""

from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.transforms import offset_copy

LINE = 0.14  # inches
SIZE = 6  # points of its letters


def below(rows: Iterable[Sequence[Axes]]) -> None:
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
