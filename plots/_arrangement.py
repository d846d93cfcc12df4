"""How bands are arranged: below each other, or where that is taller than a page side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from plots import _panels

TALL = 14.0  # inches of a page; side by side is wider, and has no room for all that is noted
_ROW, _LOW_ROW = 0.17, 0.12  # inches of a row, and of one of very many
_NARROW, _WIDE = (0.75, 0.95), 12.0  # inches of a panel side by side, and of all where they may


@dataclass(frozen=True)
class Arrangement:
    """The rows of bands, the columns of their panels, and inches.

    `names` are those of the rows from the top, by (workload, devices) where bands stand below each
    other, else by (workload,). `columns` are (quantity, devices), 0 where a band has its own.
    """

    names: dict[tuple, list[str]]
    columns: list[tuple[str, float]]
    width: float  # of a panel
    height: float  # of all bands
    is_stacked: bool


def arrange(
    table: pd.DataFrame, quantities: Sequence[str], width: float, apart: int
) -> Arrangement:
    """Bands of a number of devices each, panels `width` inches wide, or all devices in narrow ones.

    `apart` are the rows that would fit between two bands.
    """
    counts = sorted(table["devices"].unique())
    between = 0.2 + 0.3 * apart
    names = _names(table, ["workload", "devices"])
    height = _ROW * sum(map(len, names.values())) + between * len(names)
    if height <= TALL or len(counts) == 1:
        return Arrangement(names, [(quantity, 0) for quantity in quantities], width, height, True)
    names = _names(table, ["workload"])
    columns = [(quantity, count) for quantity in quantities for count in counts]
    total = sum(map(len, names.values()))
    row = max(_LOW_ROW, min(_ROW, (TALL - 1 - between * len(names)) / total))
    width = min(_NARROW[1], max(_NARROW[0], _WIDE / len(columns)))
    return Arrangement(names, columns, width, row * total + between * len(names), False)


def _names(table: pd.DataFrame, by: list[str]) -> dict[tuple, list[str]]:
    """The rows of each band from the top, those of a system together."""
    names = {}
    for key in _panels.keys(table, by):
        rows = _panels.cut(table, by, key).drop_duplicates("name")
        systems = list(dict.fromkeys(rows["system"]))
        turns = rows["system"].map(systems.index)
        names[key] = list(rows["name"].loc[turns.sort_values(kind="stable").index])
    return names
