"""What `bench.verify` finds and says: the first thing that does not match, what it could follow."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench import record

# Sums of the same numbers differ by so much between processors.
_CLOSE = 1e-9


class Mismatch(Exception):
    """One sentence: the file, the row and the key, what is there and what was expected."""


@dataclass(frozen=True)
class Trail:
    """What was followed, a line each, and what could not be, with the reason."""

    followed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def read_text(path: Path) -> pd.DataFrame:
    """A CSV file with its cells as they are written.

    Raises:
        Mismatch: it is missing, or no table.
    """
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise Mismatch(f"{path}: is not there") from None
    except (OSError, ValueError) as error:
        why = " ".join(str(error).split())
        raise Mismatch(f"{path}: is not readable as CSV ({why})") from None


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        Mismatch: it is missing, or none.
    """
    try:
        value = record.read_json(path)
    except FileNotFoundError:
        raise Mismatch(f"{path}: is not there") from None
    except (OSError, ValueError) as error:
        raise Mismatch(f"{path}: is not readable as JSON ({error})") from None
    if not isinstance(value, dict):
        raise Mismatch(f"{path}: holds {type(value).__name__}, expected an object")
    return value


def compare_tables(
    path: Path, found: pd.DataFrame, expected: pd.DataFrame, key: Sequence[str], by: str
) -> None:
    """Compare the cells of `found`, which is in `path`, in the columns of `expected`.

    Both are text. Rows are named by the columns `key`, or by their line where there is none; `by`
    says in words where the expected value comes from. Numbers may differ by a rounding error.

    Raises:
        Mismatch: a cell differs, or there are other rows.
    """
    names = _names(expected, key)
    for place, (here, there) in enumerate(zip(_names(found, key), names, strict=False)):
        if here != there:
            raise Mismatch(f"{path}: line {place + 2} is of {here}, expected {there} by {by}")
    if len(found) != len(expected):
        raise Mismatch(f"{path}: has {len(found)} rows, expected {len(expected)} by {by}")
    for column in expected:
        ours, theirs = found[column].to_numpy(), expected[column].to_numpy()
        for place in np.flatnonzero(ours != theirs).tolist():
            if not _close(ours[place], theirs[place]):
                raise Mismatch(
                    f"{path}: {column} of {names[place]} is {ours[place] or 'empty'}, expected "
                    f"{theirs[place] or 'none'} by {by}"
                )


def _names(table: pd.DataFrame, key: Sequence[str]) -> list[str]:
    if not key:
        return [f"line {place + 2}" for place in range(len(table))]
    words = [(f"{name} " + table[name]).tolist() for name in key]
    return [", ".join(row) for row in zip(*words, strict=True)]


def _close(here: str, there: str) -> bool:
    try:
        return bool(np.isclose(float(here), float(there), rtol=_CLOSE, atol=0, equal_nan=True))
    except ValueError:
        return False
