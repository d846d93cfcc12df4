"""What a panel does not show: runs not made, runs without a place, and nothing planned at all."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import offset_copy

from plots import _hover, _runs, style

# Of a run that was planned and not run; no series has it, and a failed run has a cross.
NOT_RUN = {"marker": "$?$", "markersize": 5, "mew": 0.3, "linestyle": "none"}
_FAILED = {"marker": "x", "markersize": 5, "mew": 1.4, "linestyle": "none"}
_GROUND = {"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 1}  # of words on lines
_APART = 6.5  # points from one mark at the bottom to the next


def question(
    panel: Axes, look: dict, text: str, x: float | None = None, y: float | None = None
) -> None:
    """A question mark for runs that were not made: at `x` over the bottom, or at `y` by the left.

    `look` has its colour, and may have a label; `text` is what it says to who rests the pointer on
    it.
    """
    at_x, at_y = panel.get_xaxis_transform(), panel.get_yaxis_transform()
    place, across = ((x, 0.09), at_x) if y is None else ((0.03, y), at_y)
    (mark,) = panel.plot(*place, **NOT_RUN, **style.named(look), clip_on=False, transform=across)
    _hover.tell(mark, text)


def along_bottom(panel: Axes, missing: pd.DataFrame, looks: dict) -> None:
    """Crosses at the `x` of runs that failed, question marks at that of runs that were not made.

    They stand side by side where several batches, with these looks, are missing at one place.
    """
    for x, members in missing.groupby("x"):
        marks = list(members.groupby(["batch", _runs.is_planned(members)]))
        for place, ((batch, is_planned), same) in enumerate(marks):
            aside = _APART * (place - (len(marks) - 1) / 2)
            at = panel.get_xaxis_transform()
            where = {"transform": offset_copy(at, panel.figure, aside, units="points")}
            where |= {"clip_on": False, "color": looks[batch]["color"]}
            (mark,) = panel.plot(x, 0.045, **where, **(NOT_RUN if is_planned else _FAILED))
            _hover.tell(mark, "; ".join(_hover.endings(same)))


def mark_not_run(panel: Axes, here: pd.DataFrame) -> None:
    """Says of a panel that all it is of was planned and not run; where nothing was it is blank."""
    if len(here) and _runs.is_planned(here).all():
        say(panel, "not run")


def account(panel: Axes, here: pd.DataFrame, missing: pd.DataFrame) -> None:
    """Says what became of the runs of a panel that have no place on its axes."""
    mark_not_run(panel, here)
    if not _runs.is_planned(here).all():
        note(panel, missing)


def blank(row: Sequence[Axes], planned: Sequence[bool]) -> None:
    """Leaves nothing of panels of which nothing was planned, but the row's title over the first.

    The panels of a row share what stands to its left: the first that was planned takes it over.
    """
    kept = [panel for panel, is_planned in zip(row, planned, strict=True) if is_planned]
    for panel in row:
        if panel not in kept:
            panel.set_axis_off()
            if panel is not row[0]:
                panel.set_title("", loc="left")
            for drawn in (*panel.lines, *panel.texts):
                drawn.set_visible(False)
    if kept and kept[0] is not row[0]:
        kept[0].tick_params(labelleft=row[0].yaxis.get_tick_params().get("labelleft", True))
        kept[0].set_ylabel(row[0].get_ylabel())


def say(panel: Axes, why: str) -> None:
    """Why a panel has no marks, in its middle."""
    middle = {"transform": panel.transAxes, "ha": "center", "va": "center", "color": style.FAINT}
    panel.text(0.5, 0.5, why, **middle, bbox=_GROUND)


def note(panel: Axes, missing: pd.DataFrame, above: float = 0.06) -> None:
    """Names the runs with no place on the axes, in the corner that rising curves leave free.

    `above` is a share of the panel's height, for what stands along the bottom.
    """
    planned = _runs.is_planned(missing)
    counts = missing.groupby(["series", "status"]).size()
    notes = [f"{n} × {name}: {status.replace('_', ' ')}" for (name, status), n in counts.items()]
    if len(notes) > 3 or any(len(text) > 48 for text in notes):
        wanting = int(planned.sum())
        numbers = (len(missing) - wanting, "ended before an epoch"), (wanting, "not run")
        notes = [f"{n} run{'s' * (n != 1)} {how}" for n, how in numbers if n]
    corner = {"transform": panel.transAxes, "ha": "right", "va": "bottom", "fontsize": 6}
    panel.text(0.98, above, "\n".join(notes), color=style.INK, **corner, bbox=_GROUND)
