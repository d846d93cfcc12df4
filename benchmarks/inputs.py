"""The files that a command of the benchmarks reads: a damaged one is refused in a sentence.

`what_to_do` ends the sentence: who writes the file, or where it is to be brought from.
"""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import record
from workflows.validate import ConfigError

# What to do where a measurement, or what lies beside one, is damaged.
AGAIN = "measure again, or move it away"
BRING = "bring it from where its measurement was made, or measure again"


def rows_of(
    path: Path, needed: Sequence[str], what_to_do: str, may_be_none: bool = False
) -> list[dict[str, str]]:
    """The whole rows of a table in CSV which has the columns `needed`; one at least, unless told.

    Raises:
        ConfigError: it is not there, or something else.
    """
    try:
        table = record.table_reader(path)
        rows = list(table)
    except FileNotFoundError:
        raise ConfigError(f"{path} is missing: {what_to_do}") from None
    except (OSError, ValueError, csv.Error) as error:
        raise ConfigError(f"{path} is not readable as CSV ({_why(error)}): {what_to_do}") from None
    if missing := [name for name in needed if name not in (table.fieldnames or [])]:
        raise ConfigError(f"{path} lacks the columns {', '.join(missing)}: {what_to_do}")
    if not rows and not may_be_none:
        raise ConfigError(f"{path} has no whole row: {what_to_do}")
    return rows


def object_of(path: Path, needed: Sequence[str], what_to_do: str) -> dict[str, Any]:
    """A JSON object that has the keys `needed`.

    Raises:
        ConfigError: it is not there, or something else.
    """
    try:
        found = record.read_json(path)
    except FileNotFoundError:
        raise ConfigError(f"{path} is missing: {what_to_do}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not readable as JSON ({_why(error)}): {what_to_do}") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{path} is no JSON object: {what_to_do}")
    if missing := [name for name in needed if name not in found]:
        raise ConfigError(f"{path} lacks {', '.join(missing)}: {what_to_do}")
    return found


def number(where: str, name: str, cell: Any, least: float = 1) -> float:
    """A cell of a table; a ValueError names `where` it stands."""
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = math.nan
    if not least <= value < math.inf:
        raise ValueError(f"{where}: {name} is {cell!r}, no number from {least:g}; leave it out")
    return value


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
