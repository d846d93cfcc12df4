"""Small multiples: a grid of panels, its legend, and the page that says why there is none."""

import math
import textwrap
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from plots import style


def nothing_to_show(why: str) -> Figure:
    """A figure that says on its face why it is empty."""
    figure = Figure(figsize=(5, 1.2))
    figure.text(0.5, 0.5, f"no runs to show: {why}", ha="center", va="center", color=style.INK)
    return figure


def grid(
    rows: Sequence, columns: Sequence, size: tuple[float, float], **subplots
) -> tuple[Figure, dict[tuple, Axes]]:
    """One panel for each row and column, each of `size` inches, found by (row, column)."""
    width, height = size
    figure = Figure(
        figsize=(max(width * len(columns), 4.5), height * len(rows) + 0.6), layout="constrained"
    )
    axes = figure.subplots(len(rows), len(columns), squeeze=False, **subplots)
    return figure, {
        (row, column): axes[i][j] for i, row in enumerate(rows) for j, column in enumerate(columns)
    }


def keys(runs: pd.DataFrame, by: list[str]) -> list[tuple]:
    """The combinations of these columns that were run, in order: the rows of a grid."""
    return list(runs[by].drop_duplicates().sort_values(by).itertuples(index=False, name=None))


def mark_not_run(panel: Axes) -> None:
    """Says that the matrix has no run for this panel."""
    panel.text(
        0.5, 0.5, "not run", transform=panel.transAxes, ha="center", va="center", color=style.FAINT
    )


def start_at_zero(panels: dict[tuple, Axes]) -> None:
    """Lets y start at zero, once all is drawn: a limit set before would stop shared autoscaling."""
    for panel in panels.values():
        panel.set_ylim(bottom=0)


def time_axis(panel: Axes, times: pd.Series) -> None:
    """Seconds along x: from zero, or logarithmic where that would squeeze the fast ones flat."""
    times = times[times > 0]
    if times.empty or times.max() / times.min() < 8:
        panel.set_xlim(0, 1.05 * times.max() if len(times) else 1)
        return
    few_decades = times.max() / times.min() < 200
    panel.set_xscale("log")
    panel.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few_decades else (1,)))
    panel.xaxis.set_major_formatter("{x:g}")
    panel.xaxis.set_minor_locator(NullLocator())


def note(panel: Axes, missing: pd.DataFrame) -> None:
    """Names the runs with no place on the axes, in the corner that rising curves leave free."""
    counts = missing.groupby(["series", "status"]).size()
    notes = [f"{n} × {name}: {status.replace('_', ' ')}" for (name, status), n in counts.items()]
    if len(notes) > 3:
        notes = [f"{len(missing)} runs ended before an epoch"]
    corner = {"transform": panel.transAxes, "ha": "right", "va": "bottom", "fontsize": 6}
    panel.text(0.98, 0.06, "\n".join(notes), color=style.INK, **corner)


def side_title(workload: str, *more: str) -> str:
    """A row's label: the workload, wrapped to the height of a panel, and lines after it."""
    return "\n".join([textwrap.fill(workload, 32), *more])


def devices_title(devices: float) -> str:
    """Column or row title for a number of devices."""
    return f"{devices:g} device" if devices == 1 else f"{devices:g} devices"


def seconds(value: float) -> str:
    """A time with three digits, and never with an exponent."""
    decimals = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{decimals}f} s"


def grey(label: str, **marks) -> Line2D:
    """A legend entry for a kind of mark, whatever its colour."""
    return Line2D([], [], **({"color": style.INK, "linestyle": "none", "label": label} | marks))


def legend(figure: Figure, handles: Sequence[Line2D]) -> None:
    """One legend for all panels, below them, in as many columns as the width allows."""
    longest = max(len(str(handle.get_label())) for handle in handles)
    # About 0.065 inch a letter at the legend's size, and 0.55 for the sample and the gap.
    columns = int(figure.get_figwidth() // (0.065 * longest + 0.55))
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=max(1, min(columns, len(handles))),
    )
