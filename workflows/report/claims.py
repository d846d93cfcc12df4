"""The rows of the report's claims: the paper's number, ours, and the verdict in words."""

import csv
import math
import re
from pathlib import Path

from bench.claims import COLUMNS
from bench.verdict import NOT_REPRODUCED, NOT_RUN, PARTLY, REPRODUCED, VERDICTS
from workflows.report import formats

# Shapes that differ without colour, before the verdict in words.
_MARKS = {REPRODUCED: "✔", PARTLY: "◐", NOT_REPRODUCED: "✘", NOT_RUN: "○"}
_SETTING_ENDS = re.compile(r", (?![^()]*\))")  # not within step(at=[8, 12], factor=0.1)
_SAME = ("id", "text", "source", "paper", "verdict", "why", "machine", "model", "devices")


def read_claims(file: Path) -> list[dict]:
    """Each row of claims.csv as the page shows it.

    Raises:
        OSError: it can't be read.
        ValueError: it is no table of claims, or has a verdict or a number that is none; one
            sentence that begins with the file.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not readable as CSV ({error})") from error
    reader = csv.DictReader(lines)
    missing = set(COLUMNS) - set(reader.fieldnames or [])
    if missing:
        raise ValueError(f"{file} lacks the columns {', '.join(sorted(missing))}")
    return [_shown(_checked(row, file)) for row in reader]


def _checked(row: dict[str, str], file: Path) -> dict[str, str]:
    """The row, if it has the verdict and the numbers that the page shows."""
    if None in row or None in row.values():
        raise ValueError(f"{file}: {row['id']} has not as many fields as the header")
    if row["verdict"] not in VERDICTS:
        raise ValueError(
            f"{file}: verdict of {row['id']} is {row['verdict']!r}, none of {', '.join(VERDICTS)}"
        )
    told = [name for name in ("gain", "ours", "theirs") if row[name]]
    numbers = ["pairs"] + ["won"] * bool(row["gain"]) + ["target"] * bool(row["target"])
    for name in numbers + [end for side in told for end in _ends(side)]:
        if not _is_number(row[name]):
            said = f"{name} of {row['id']} is {row[name]!r}, no number"
            raise ValueError(f"{file}: {said}; judge the claims again")
    return row


def _is_number(cell: str) -> bool:
    try:
        return not math.isnan(float(cell))
    except ValueError:
        return False


def _shown(row: dict[str, str]) -> dict:
    has_two_sides = bool(row["theirs"])
    if row["gain"]:
        ours = _gain(row) if has_two_sides else _amount(row, "ours")
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
        **_sides(row),
        "words": " ".join(re.findall(r"[\w-]+", f"{row['ours']} {row['theirs']}")),
        "where": _where(row),
    }


def _gain(row: dict[str, str]) -> str:
    """How many times better ours was; "never" where, by the median, it didn't get there at all."""
    median, low, high = (formats.gain(row[key]) for key in _ends("gain"))
    if median == "0" and row["ours_reached"]:
        return "never" if high == "0" else f"never ({low} to {high} times)"
    # A time that theirs never came to is known to be longer than it trained, no more.
    is_bound = row["theirs_reached"] not in ("", row["theirs_n"]) and median != "∞"
    return "at least " * is_bound + f"{median} ({low} to {high}) times"


def _amount(row: dict[str, str], name: str) -> str:
    """The value of one side and its interval, with its unit."""
    median, low, high = (formats.measured(row[key]) for key in _ends(name))
    return f"{median} ({low} to {high})" + formats.unit(row["value"])


def _ends(name: str) -> tuple[str, str, str]:
    return (name if name == "gain" else f"{name}_median", f"{name}_low", f"{name}_high")


def _sides(row: dict[str, str]) -> dict[str, str | list[str]]:
    """What both sides had alike, and each with what it had alone and its value."""
    words = {name: _SETTING_ENDS.split(row[name]) for name in ("ours", "theirs") if row[name]}
    alike = [word for word in words["ours"] if word in words["theirs"]] if len(words) == 2 else []
    return {
        "alike": ", ".join(alike),
        "sides": [
            _side(row, name, ", ".join(word for word in each if word not in alike) or name)
            for name, each in words.items()
        ],
    }


def _side(row: dict[str, str], name: str, words: str) -> str:
    """What ran, its value, and how many runs of it reached the target where there is one."""
    reached = row[f"{name}_reached"]
    count = f"{reached} of {row[f'{name}_n']} reached" if reached else f"n = {row[f'{name}_n']}"
    return f"{words}: {_amount(row, name)}, {count}"


def _where(row: dict[str, str]) -> str:
    """The work both sides did, as far as it was the same."""
    target = f" to {formats.percent(row['target'])}" if row["target"] else ""
    work = " on ".join(filter(None, (row["model"], row["dataset"]))) + target
    count = row["devices"] and f"{row['devices']} device" + ("s" if row["devices"] != "1" else "")
    return ", ".join(filter(None, (work, count, row["precision"], row["machine"])))
