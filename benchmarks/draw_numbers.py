"""Columns of numbers in the tables that are drawn."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd


def make_numbers(table: pd.DataFrame, path: Path, names: Sequence[str]) -> None:
    """Make these columns numbers, in place; rows are counted by the table's index, from 0.

    Raises:
        ValueError: a cell is none; begins with the file.
    """
    for name in names:
        found = pd.to_numeric(table[name], errors="coerce")
        for place, cell in table.loc[~np.isfinite(found), name].items():
            raise ValueError(
                f"{path}: row {place + 1}: {name} is {cell!r}, no number; leave it out"
            )
        table[name] = found
