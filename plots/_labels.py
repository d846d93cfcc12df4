"""Short names beside marks, moved where they would stand on each other or hide a run."""

import itertools
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from plots import style

_MOVABLE = "beside a mark"
# Beside the mark, then further up or down, in points.
_HEIGHTS = (0, 5, -5, 9, -9, 13, -13, 17, -17)
_ROOM = 0.5  # points around a name
_LEADER = {"arrowstyle": "-", "linewidth": 0.4, "color": style.FAINT, "shrinkA": 0, "shrinkB": 1.5}


def beside(panel: Axes, at: tuple[float, float], text: str, is_left: bool = False, **look) -> None:
    """Writes a name to the right of a mark, or to its left; `apart` may move or hide it.

    A thin line joins a name that was moved with its mark.
    """
    side = {"xytext": (-4, 0), "ha": "right"} if is_left else {"xytext": (4, 0), "ha": "left"}
    look = {"textcoords": "offset points", "va": "center", "fontsize": 5.5, "zorder": 5} | look
    name = panel.annotate(text, at, arrowprops=_LEADER, **side, **look)
    name.arrow_patch.set_visible(False)
    name.set(label=_MOVABLE, path_effects=[withStroke(linewidth=2, foreground="white")])


def apart(figure: Figure) -> None:
    """Moves names off each other, off other words and runs, and into their panels.

    Needs the layout.
    """
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    names = [text for text in texts if text.get_label() == _MOVABLE]
    still = [text for text in texts if text.get_label() != _MOVABLE]
    taken = [text.get_window_extent() for text in still if names]
    taken += [_around(name.axes, name.xy, 2.2) for name in names]
    for panel in {name.axes: None for name in names}:
        taken += _of_runs(panel)
    for name in sorted(names, key=lambda name: (-box_of(name).y0, name.xy)):
        box = _place(name, taken)
        if box is None:
            name.set_visible(False)  # who rests the pointer on the mark is told what it says
        else:
            taken.append(box)
            name.arrow_patch.set_visible(name.xyann[1] != 0)


def box_of(text: Text) -> Bbox:
    """The place of the words of a text, without a line to what they name."""
    text.get_window_extent()  # of an annotation, with its line: puts the words in their place
    return Text.get_window_extent(text)


def _around(panel: Axes, at: Sequence[float], points: float) -> Bbox:
    """The place of a mark, which is so many points from its middle to each side."""
    x, y = panel.transData.transform(at)
    half = points * panel.figure.dpi / 72
    return Bbox.from_extents(x - half, y - half, x + half, y + half)


def _of_runs(panel: Axes) -> list[Bbox]:
    """The places of marks that no line joins: runs, which a name would hide."""
    lone = [line for line in panel.get_lines() if line.get_linestyle() == "None"]
    return [
        _around(panel, at, line.get_markersize() / 3)
        for line in lone
        if line.get_transform() == panel.transData
        for at in line.get_xydata()
    ]


def _place(name: Annotation, taken: list[Bbox]) -> Bbox | None:
    """Puts a name at the first place that is free; where that is, if there is one."""
    panel = name.axes.get_window_extent()
    sides = (name.get_ha(), "left" if name.get_ha() == "right" else "right")
    for height, side in itertools.product(_HEIGHTS, sides):
        name.set(ha=side, position=(-4 if side == "right" else 4, height))
        box = box_of(name).padded(_ROOM)
        is_inside = panel.x0 <= box.x0 and box.x1 <= panel.x1 and panel.y0 <= box.y0
        if is_inside and box.y1 <= panel.y1 and not any(box.overlaps(other) for other in taken):
            return box
    return None
