"""What `bench.verify` finds and says: the first thing that does not match, what it could follow."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

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


class Difference(NamedTuple):
    """Of two tables: what differs, what the one and the other have there, in which row of both."""

    what: str
    here: str
    there: str
    place: int | None = None


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
    """Compare the table `found`, which is in `path`, with `expected`: as `first_difference` does.

    `by` says in words where the expected value comes from.

    Raises:
        Mismatch: a cell differs, or there are other rows.
    """
    if difference := first_difference(found, expected, key):
        what, here, there, _ = difference
        raise Mismatch(f"{path}: {what} is {here}, expected {there} by {by}")


def first_difference(
    found: pd.DataFrame, expected: pd.DataFrame, key: Sequence[str]
) -> Difference | None:
    """The first in the columns of `expected`; both are text, numbers may have a rounding error.

    Rows are named by the columns `key`, or by their line where there is none.
    """
    names = _names(expected, key)
    for place, (here, there) in enumerate(zip(_names(found, key), names, strict=False)):
        if here != there:
            return Difference(f"line {place + 2}", f"of {here}", f"of {there}", place)
    if len(found) != len(expected):
        return Difference("the number of rows", str(len(found)), str(len(expected)))
    for column in expected:
        ours, theirs = found[column].to_numpy(), expected[column].to_numpy()
        for place in np.flatnonzero(ours != theirs).tolist():
            if not _close(ours[place], theirs[place]):
                cells = (ours[place] or "empty", theirs[place] or "empty")
                return Difference(f"{column} of {names[place]}", *cells, place)
    return None


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
