"""Entries of a legend that show what their figure draws of a series, or of a batch."""

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import same_color
from matplotlib.lines import Line2D

from plots import style

_NONE = ("", "None")


class Entry(Line2D):
    """Of a series or a batch. Its marks are those with its label, or where none has it, its colour.

    What is in ink stands for every colour, and its marker for that of every batch.
    """

    def __init__(self, **look) -> None:
        super().__init__([], [], **look)

    def keep_drawn(self, lines: Sequence[Line2D]) -> bool:
        """Leaves off line and marker where they are not among these lines; whether any mark is.

        What is drawn instead, as the hollow mark of a run that fell short, takes their place.
        """
        drawn = [(line, count) for line in self._own(lines) if (count := _points(line))]
        if not any(count > 1 and line.get_linestyle() not in _NONE for line, count in drawn):
            self.set_linestyle("none")
        marked = [line for line, _ in drawn if line.get_marker() not in _NONE]
        if not marked:
            self.set_marker("None")
        elif not any(map(self._is_marked_as, marked)):
            other = marked[0]
            self.set(marker=other.get_marker(), markersize=other.get_markersize())
            self.set(markerfacecolor=other.get_markerfacecolor(), mew=other.get_markeredgewidth())
        return bool(drawn)

    def _own(self, lines: Sequence[Line2D]) -> list[Line2D]:
        by_label = [line for line in lines if line.get_label() == self.get_label()]
        color = self.get_color()
        return by_label or [line for line in lines if same_color(line.get_color(), color)]

    def _is_marked_as(self, line: Line2D) -> bool:
        if line.get_markerfacecolor() == "white":
            return False
        is_any = same_color(self.get_color(), style.INK)
        return line.get_marker() in (style.BATCH_MARKERS if is_any else [self.get_marker()])


def _points(line: Line2D) -> int:
    """How many points of a line are drawn."""
    return int(np.isfinite(np.asarray(line.get_xydata(), float)).all(axis=1).sum())
