"""Small multiples: a grid of panels, and the page that says why there is none."""

import math
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy

from plots import _runs, style

TALL, LOW = 24.0, 1.6  # inches: of a figure of many rows, and of one of them


def nothing(runs: pd.DataFrame, needed: str, columns: Sequence[str]) -> tuple[Figure, pd.DataFrame]:
    """A figure that says on its face why none of these runs is on it, and a table without a row."""
    why = _runs.why_none(runs, needed)
    figure = Figure(figsize=(5, 1.2))
    figure.text(0.5, 0.5, f"no runs to show: {why}", ha="center", va="center", color=style.INK)
    return figure, pd.DataFrame(columns=columns)


def grid(
    rows: Sequence,
    columns: Sequence,
    size: tuple[float, float],
    margins: tuple[float, float] = (0.0, 0.0),
    **subplots,
) -> tuple[Figure, dict[tuple, Axes]]:
    """One panel for each row and column, each of `size` inches, found by (row, column).

    `margins` are inches more beside all panels and below them, for long labels. Many rows of equal
    height are lower than `size` has it, but not so low that their labels meet.
    """
    tall = size[1] * len(rows)
    if len(set(subplots.get("height_ratios", ()))) < 2:
        tall = min(tall, max(TALL, LOW * len(rows)))
    width, height = size[0] * len(columns) + margins[0], tall + margins[1]
    figure = Figure(figsize=(max(width, 4.5), height + 0.2), layout="constrained")
    axes = figure.subplots(len(rows), len(columns), squeeze=False, **subplots)
    return figure, {
        (row, column): axes[i][j] for i, row in enumerate(rows) for j, column in enumerate(columns)
    }


def keys(runs: pd.DataFrame, by: list[str]) -> list[tuple]:
    """The combinations of these columns that were run, in order: the rows of a grid."""
    return list(runs[by].drop_duplicates().sort_values(by).itertuples(index=False, name=None))


def cut(frame: pd.DataFrame, by: list[str], key: tuple) -> pd.DataFrame:
    """The rows of one of the `keys`."""
    return frame[(frame[by] == pd.Series(key, by)).all(axis=1)]


def head(panel: Axes, *lines: str) -> None:
    """A panel's title: over the first of a row what the row is, and below it what the panel is."""
    panel.set_title("\n".join(line for line in lines if line), loc="left")


def head_of_row(panel: Axes, workload: str, devices: float, of_row: Sequence[float]) -> None:
    """The title of a panel in a row of numbers of devices: the workload stands over the first."""
    if len(of_row) == 1:
        head(panel, where(workload, devices))
    else:
        head(panel, workload if devices == of_row[0] else "", devices_title(devices))


def where(workload: str, devices: float, *more: str) -> str:
    """What a row of panels is of, in one line."""
    return ", ".join([workload, devices_title(devices), *more])


def devices_title(devices: float) -> str:
    """Column or row title for a number of devices."""
    return f"{devices:g} device" if devices == 1 else f"{devices:g} devices"


def three_digits(value: float, unit: str = "s") -> str:
    """An amount with three digits, and never with an exponent; a dash where there is none."""
    if math.isnan(value):
        return "–"
    decimals = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{decimals}f} {unit}"


def note_beside(panel: Axes, place: float, text: str, aside: float = 0.0) -> None:
    """Writes the numbers of the row at `place` to the right of a panel, `aside` inches from it."""
    at = offset_copy(panel.get_yaxis_transform(), panel.figure, aside)
    panel.text(1.02, place, text, color=style.INK, transform=at, va="center", fontsize=6.5)


def outcome(median: str, reached: object, runs: int, failures: str) -> str:
    """What came out of a configuration: its median, of how many runs, and how others ended."""
    bad = f" ({failures})" if failures else ""
    return f"{median}, {reached} of {runs} reached{bad}" if runs else failures
