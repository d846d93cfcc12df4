"""The report of a preparation: `preparation.csv`, a row for everything that wasn't ordinary."""

import csv
import io
from pathlib import Path
from typing import Any

from data_prep.atomic_files import write_text
from data_prep.manifest import RecordsError
from data_prep.samples import CONVERTED, KEPT, LEFT_OUT, NOTED, Problem

REPORT = "preparation.csv"


def write_report(folder: Path, problems: list[Problem]) -> dict[str, Any]:
    """Write the report into a folder and return its `bytes` and `sha256`."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(Problem._fields)
    rows.writerows(problems)
    return write_text(folder / REPORT, text.getvalue())


def count_actions(problems: list[Problem]) -> dict[str, int]:
    """How many rows there are of each action."""
    return {
        action: sum(problem.action.startswith(action) for problem in problems)
        for action in (LEFT_OUT, CONVERTED, KEPT, NOTED)
    }


def refuse_problems(problems: list[Problem], folder: Path) -> None:
    """Refuse anything but what is kept as it is; the report of `problems` lies in the folder.

    Raises:
        RecordsError: there is such a problem.
    """
    refused = [problem for problem in problems if problem.action != KEPT]
    if refused:
        first = ": ".join(part for part in refused[0][:2] if part)
        raise RecordsError(
            f"{first}; --strict was asked for, and {folder / REPORT} lists all that it refuses "
            f"({len(refused):,}): mend them, or leave --strict out"
        )
