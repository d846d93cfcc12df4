"""The legend of a figure: entries of series and of kinds of marks, below all panels."""

import math
from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import _absent, style
from plots._entries import Entry


def grey(label: str, **marks) -> Line2D:
    """A legend entry for a kind of mark, whatever its colour."""
    return Line2D([], [], **({"color": style.INK, "linestyle": "none", "label": label} | marks))


def series_marks(runs: pd.DataFrame, looks: dict[str, dict]) -> list[Line2D]:
    """Legend entries of series; those of one workload alone stand below its name."""
    of_series = runs[runs["series"].isin(looks)].groupby("series")["workload"].agg(set)
    own: dict[str, list[Line2D]] = {"": []}
    for name, look in looks.items():
        where = of_series[name] if runs["workload"].nunique() > 1 else set()
        group = own.setdefault(min(where) if len(where) == 1 else "", [])
        group.append(Entry(**{"label": name} | look))
    headed = [[_heading(workload), *own[workload]] for workload in sorted(set(own) - {""})]
    return sum(headed, own[""])


def _heading(text: str) -> Line2D:
    return Line2D([], [], label=text, linestyle="none")


def _is_heading(handle: Line2D) -> bool:
    return handle.get_marker() == handle.get_linestyle() == "None"


def run_marks(figure: Figure, no_number: str) -> list[Line2D]:
    """Legend entries of rows of runs, of those marks that the figure has.

    `no_number` says what a run without one lacks.
    """
    entries = [
        grey("median", marker="|", markersize=11, mew=2),
        grey("target not reached", marker=">", markerfacecolor="white"),
        grey(no_number, marker="x"),
    ]
    return [grey("a run", marker="o"), *drawn_kinds(figure, entries)]


def drawn_kinds(figure: Figure, entries: Sequence[Line2D]) -> list[Line2D]:
    """Those of entries of kinds of marks that a figure has."""
    lines = [line for axes in figure.axes for line in axes.get_lines() if len(line.get_xdata())]
    drawn = {_shape(line) for line in lines}
    return [entry for entry in entries if _shape(entry) in drawn]


def _shape(line: Line2D) -> tuple[object, bool]:
    """The marker of a line, and whether it is hollow."""
    return line.get_marker(), line.get_markerfacecolor() == "white"


def legend(figure: Figure, handles: Sequence[Line2D]) -> None:
    """One legend for all panels, below them, in as many columns as the width allows.

    The mark of what was planned and not run is named wherever a panel has it; of series and batches
    is shown what the figure draws of them.
    """
    lines = [line for axes in figure.axes if axes.get_visible() for line in axes.get_lines()]
    lines = [line for line in lines if line.get_visible()]
    marks = [line.get_marker() for line in lines]
    handles = [
        *_drawn(handles, lines),
        *([grey("not run", **_absent.NOT_RUN)] if _absent.NOT_RUN["marker"] in marks else []),
    ]
    if not handles:
        return
    longest = max(len(str(handle.get_label())) for handle in handles)
    # About 0.057 inch a letter at the legend's size, and 0.55 for the sample and the gap.
    columns = int(figure.get_figwidth() // (0.057 * longest + 0.55))
    rows = math.ceil(len(handles) / max(1, columns))
    if any(map(_is_heading, handles)):
        while len(filled := _filled(handles, rows)) > rows * max(1, columns):
            rows += 1
        handles = filled
    columns = math.ceil(len(handles) / rows)  # as full as each other
    # The room of its rows is added, or it would be taken from the panels.
    figure.set_figheight(figure.get_figheight() + 0.17 * rows + 0.15)
    drawn = figure.legend(handles=handles, loc="outside lower center", ncols=columns)
    for handle, text in zip(handles, drawn.get_texts(), strict=True):
        if _is_heading(handle):
            text.set_fontweight("bold")


def _drawn(handles: Sequence[Line2D], lines: Sequence[Line2D]) -> list[Line2D]:
    """The entries of what is among these lines, without headings of none."""
    kept: list[Line2D] = []
    for handle in reversed(handles):
        is_alone = _is_heading(handle) and (not kept or _is_heading(kept[-1]))
        if not is_alone and (not isinstance(handle, Entry) or handle.keep_drawn(lines)):
            kept.append(handle)
    return kept[::-1]


def _filled(handles: Sequence[Line2D], rows: int) -> list[Line2D]:
    """Entries that fill columns of so many rows, none of which ends with a heading."""
    filled: list[Line2D] = []
    for handle in handles:
        if _is_heading(handle) and len(filled) % rows == rows - 1:
            filled.append(_heading(" "))
        filled.append(handle)
    return filled + [_heading(" ")] * (-len(filled) % rows)
