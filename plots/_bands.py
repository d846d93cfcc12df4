"""Bands of panels in which every configuration has a row.

A band is of a workload on a number of devices. Where all of them, one below the other, would be
taller than a page, it is of a workload, and its numbers of devices stand side by side.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from plots import _absent, _arrangement, _panels, style

_TICKS = 3  # which have room where devices stand side by side


@dataclass(frozen=True)
class Band:
    """The panels of a band by (devices, quantity), and the names of its rows from the top.

    `column` are the inches from one median to the next where those of several devices stand beside,
    `systems` all that there are runs of.
    """

    workload: str
    devices: list[float]
    names: list[str]
    panels: dict[tuple[float, str], Axes]
    column: float
    systems: set[str]

    def rows(self, here: pd.DataFrame) -> Iterator[tuple[int, pd.DataFrame, dict]]:
        """The place of each configuration of `here`, its runs, and how its marks look."""
        for name, members in here.groupby("name", sort=False):
            one = members.iloc[0]
            look = style.look(one["system"], one["learners"], self.systems)
            yield self.names.index(name), members, look

    def label(self, quantity: str, text: str) -> None:
        """Names the axis of a quantity, below the middle of its panels."""
        panels = [self.panels[count, quantity] for count in self.devices]
        at = 1.0 if len(panels) % 2 == 0 else 0.5
        panels[(len(panels) - 1) // 2].set_xlabel(text, x=at)

    def note(
        self, place: int, devices: float, median: str, reached: object, runs: int, failures: str
    ) -> None:
        """Writes the numbers of a row beside it, in short where devices stand side by side."""
        last = list(self.panels.values())[-1]
        if len(self.devices) == 1:
            _panels.note_beside(last, place, _panels.outcome(median, reached, runs, failures))
        elif runs:
            aside = self.column * self.devices.index(devices)
            _panels.note_beside(last, place, f"{median}, {reached} of {runs}", aside)

    def embolden(self, place: int) -> None:
        """Writes the name of a row in bold."""
        first = next(iter(self.panels.values()))
        first.get_yticklabels()[place].set_fontweight("bold")


def grid(
    table: pd.DataFrame,
    systems: pd.Series,
    quantities: Mapping[str, str],
    width: float,
    beside: float,
    column: float = 0.0,
    sharex: Any = False,
    apart: int = 1,
) -> tuple[Figure, list[Band]]:
    """The figure, and its bands from the top, with titles and a tick for every name.

    `table` has `workload`, `devices`, `system` and `name`, in the order of the rows; `systems` are
    those of all runs. `quantities` are the panels of one number of devices, with what is to be said
    above each. Inches: `width` of such a panel, `beside` all panels for names and notes, `column`
    for the medians on each number of devices where these stand side by side, if any are noted.
    `sharex` as for subplots, or "workload"; `apart` are the rows that would fit between two bands.
    """
    counts = sorted(table["devices"].unique())
    arranged = _arrangement.arrange(table, list(quantities), width, apart)
    names, is_stacked = arranged.names, arranged.is_stacked
    figure, panels = _panels.grid(
        list(names),
        arranged.columns,
        (arranged.width, arranged.height / len(names)),
        (beside if is_stacked else beside + column * len(counts), 0),
        sharex=sharex if is_stacked and sharex != "workload" else False,
        sharey="row",
        height_ratios=[len(rows) + apart for rows in names.values()],
    )
    if not is_stacked or sharex == "workload":
        _share(panels, sharex)
    bands = []
    for key, rows in names.items():
        workload, devices = key[0], list(key[1:]) or counts
        of_band = {
            (count or devices[0], quantity): panels[key, (quantity, count)]
            for quantity, count in arranged.columns
        }
        bands.append(Band(workload, devices, rows, of_band, column, set(systems)))
        _frame(bands[-1], quantities, is_stacked, len(bands) == 1)
        there = _panels.cut(table, ["workload"], key[:1])["devices"].unique()
        _absent.blank(list(of_band.values()), [count in there for count, _ in of_band])
        if bands[-1].column and len(bands) == 1 and not is_stacked:
            _head_of_medians(bands[0])
    return figure, bands


def few_ticks(bands: list[Band]) -> None:
    """Leaves the panels that stand side by side as many ticks along x as have room."""
    for band in (band for band in bands if len(band.devices) > 1):
        for panel in band.panels.values():
            low, high = panel.get_xlim()
            ticks = [tick for tick in panel.get_xticks() if low <= tick <= high]
            every = math.ceil(len(ticks) / _TICKS) or 1
            panel.xaxis.set_major_locator(FixedLocator(ticks[::every]))


def _share(panels: dict[tuple, Axes], sharex: Any) -> None:
    """One axis for all numbers of devices, and as far as `sharex` says for more panels."""
    alike: dict[tuple, list[tuple]] = {}
    for row, (quantity, count) in panels:
        group = {"all": (), "col": (quantity,)}.get(sharex, (row[0], quantity))
        alike.setdefault(group, []).append((row, (quantity, count)))
    for first, *others in alike.values():
        last = [first, *others][-1][0]
        for place in others:
            panels[place].sharex(panels[first])
        for place in (first, *others):
            if place[0] != last:
                panels[place].tick_params(labelbottom=False)


def _head_of_medians(band: Band) -> None:
    """Which number of devices the medians beside the rows are of."""
    last = list(band.panels.values())[-1]
    for turn, count in enumerate(band.devices):
        _panels.note_beside(last, -1.2, _panels.devices_title(count), band.column * turn)


def _frame(band: Band, quantities: Mapping[str, str], is_stacked: bool, is_first: bool) -> None:
    """Titles of a band, and its names."""
    for place, ((count, quantity), panel) in enumerate(band.panels.items()):
        if is_stacked:
            where = _panels.where(band.workload, count) if place == 0 else ""
            _panels.head(panel, where, quantities[quantity])
        else:
            what = quantities[quantity] if count == band.devices[0] else ""
            of_panel = [what, _panels.devices_title(count)] if is_first else []
            _panels.head(panel, band.workload if place == 0 else "", *of_panel)
        panel.grid(axis="y", visible=False)
    first = next(iter(band.panels.values()))
    first.set_yticks(range(len(band.names)), band.names)
    first.set_ylim(len(band.names) - 0.4, -0.6)
