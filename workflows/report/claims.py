"""The rows of the report's claims: the paper's number, ours, and the verdict in words."""

import csv
import re
from pathlib import Path

from bench.claims import COLUMNS
from bench.verdict import NOT_REPRODUCED, NOT_RUN, PARTLY, REPRODUCED
from workflows.report import formats

# Shapes that differ without colour, before the verdict in words.
_MARKS = {REPRODUCED: "✔", PARTLY: "◐", NOT_REPRODUCED: "✘", NOT_RUN: "○"}
_SAME = ("id", "text", "source", "paper", "verdict", "why", "machine", "model", "devices")


def read_claims(file: Path) -> list[dict]:
    """Each row of claims.csv as the page shows it."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not readable as CSV ({error})") from error
    reader = csv.DictReader(lines)
    missing = set(COLUMNS) - set(reader.fieldnames or [])
    if missing:
        raise ValueError(f"{file} lacks the columns {', '.join(sorted(missing))}")
    return [_shown(row) for row in reader]


def _shown(row: dict[str, str]) -> dict:
    has_two_sides = bool(row["theirs"])
    if row["gain"]:
        ours = f"{_interval(row, 'gain')} times" if has_two_sides else _amount(row, "ours")
        pairs = f"{row['pairs']} pair" + ("s" if row["pairs"] != "1" else "")
        sample = f"{pairs}, {row['won']} won" if has_two_sides else row["pairs"]
    else:
        ours = sample = "–"
    return {
        **{name: row[name] for name in _SAME},
        "is_run": row["verdict"] != NOT_RUN,
        "mark": _MARKS[row["verdict"]],
        "value": row["value"].replace("_", " "),
        "ours": ours,
        "sample": sample,
        "sides": [_side(row, name) for name in ("ours", "theirs") if row[name]],
        "words": " ".join(re.findall(r"[\w-]+", f"{row['ours']} {row['theirs']}")),
        "where": _where(row),
    }


def _interval(row: dict[str, str], name: str) -> str:
    median, low, high = (formats.measured(row[key]) for key in _ends(name))
    return f"{median} ({low} to {high})"


def _amount(row: dict[str, str], name: str) -> str:
    """The value of one side, with its unit."""
    return _interval(row, name) + formats.unit(row["value"])


def _ends(name: str) -> tuple[str, str, str]:
    return (name if name == "gain" else f"{name}_median", f"{name}_low", f"{name}_high")


def _side(row: dict[str, str], name: str) -> str:
    """What ran, its value, and how many runs of it reached the target where there is one."""
    reached = row[f"{name}_reached"]
    count = f"{reached} of {row[f'{name}_n']} reached" if reached else f"n = {row[f'{name}_n']}"
    return f"{row[name]}: {_amount(row, name)}, {count}"


def _where(row: dict[str, str]) -> str:
    """The work both sides did, as far as it was the same."""
    target = f" to {formats.percent(row['target'])}" if row["target"] else ""
    work = " on ".join(filter(None, (row["model"], row["dataset"]))) + target
    count = row["devices"] and f"{row['devices']} device" + ("s" if row["devices"] != "1" else "")
    return ", ".join(filter(None, (work, count, row["precision"], row["machine"])))
