"""Reads summary.csv, and refuses one that would mislead: for claims and for figures."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from bench import record
from bench.summary_columns import SPEC_COLUMNS, SUMMARY_COLUMNS

# What every summary has; older ones may lack the others.
NEEDED = "run,system,model,dataset,device_type,devices,learners,batch,seed,target,status".split(",")
NEEDED += "epochs_run,learners_final,images_per_s,train_s,first_s,median5_epochs".split(",")
NEEDED += ["median5_s", "sustained_s", "machine"]
_WORDS = {"run", "status", "reason", "machine", "commit", "dirty"}
RESULTS = [name for name in SUMMARY_COLUMNS if name not in _WORDS.union(SPEC_COLUMNS)]
_FROM_1 = ["devices", "nodes", "batch", "repeat", "epochs", "unroll"]
_WHOLE = ["seed", "tau", "learners_final", *(n for n in RESULTS if "epochs" in n)]
_FROM_0 = ["mu", "momentum", "weight_decay", "lr", *RESULTS]
_SHARES = ["target", "final_acc", "best_acc"]
_WRONG: list[tuple[list[str], Callable[[pd.Series], pd.Series], str]] = [
    (_FROM_1, lambda cells: (cells < 1) | (cells % 1 > 0), "no whole number from 1"),
    (_WHOLE, lambda cells: (cells < 0) | (cells % 1 > 0), "no whole number from 0"),
    (_FROM_0, lambda cells: cells < 0, "below 0"),
    (_SHARES, lambda cells: (cells < 0) | (cells > 1), "not in [0, 1]"),
]
NUMBERS = list(dict.fromkeys(name for names, _, _ in _WRONG for name in names))
_MAYBE_INFINITE = "final_loss"  # of a run that diverged
_NEVER_NONE = ["run", "system", "model", "dataset", "devices", "learners", "batch", "seed"]
_NEVER_NONE_IF_REACHED = ["median5_s", "train_s"]
_NONE = ("", "nan")
_STATUSES = [record.REACHED, record.FINISHED, record.DIVERGED, record.OUT_OF_MEMORY]
_STATUSES += [record.FAILED, record.NOT_AVAILABLE, record.NOT_RUN]


def why_none(results: Path) -> str:
    """Why there is no summary in what was named as a folder of results; empty if there is one."""
    if (results / "summary.csv").is_file():
        return ""
    if not results.exists():
        return f"{results}: there is no such folder"
    if not results.is_dir():
        return f"{results}: is no folder; name one of results"
    return (
        f"{results}: has no summary.csv; the pipeline makes it, or python -m workflows.join CONFIG "
        f"--results {results}"
    )


def read_text(path: Path, needed: Sequence[str]) -> pd.DataFrame:
    """A table in CSV as text, which has the columns `needed`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no table, or lacks a column; one sentence that begins with the file.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{path} is not readable as CSV ({' '.join(str(error).split())})"
        ) from None
    if missing := [name for name in needed if name not in table]:
        raise ValueError(f"{path} lacks the columns {', '.join(missing)}")
    return table


def read_summary(path: Path, also: Sequence[str] = ()) -> pd.DataFrame:
    """The summary as text; what is missing, also where it says "nan", is empty.

    `also` are columns that it needs beside those that every summary has.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no table, lacks a column or the end of a row, has a cell that should be a
            number and is none or one that can't be, a status that there is not or that its row
            contradicts, or a run of a machine twice; one sentence that begins with the file.
    """
    table = read_text(path, (*NEEDED, *also))
    _refuse_cut_rows(path)
    for name in (name for name in NUMBERS if name in table):
        table[name] = table[name].mask(table[name].str.lower().isin(_NONE), "")
        numbers = pd.to_numeric(table[name], errors="coerce")
        none = numbers.isna() & (table[name] != "")
        none |= np.isinf(numbers) & (name != _MAYBE_INFINITE)
        _refuse(path, table, name, none, "no number")
        for names, is_wrong, why in _WRONG:
            if name in names:
                _refuse(path, table, name, is_wrong(numbers), why)
    for name in _NEVER_NONE:
        _refuse(path, table, name, table[name] == "", "not there")
    learners = pd.to_numeric(table["learners"], "coerce")
    is_number = (learners >= 1) & (learners % 1 == 0)
    many = ~(table["learners"] == "auto") & ~is_number
    _refuse(path, table, "learners", many, "neither a whole number nor auto")
    unknown = ~table["status"].isin(_STATUSES)
    _refuse(path, table, "status", unknown, f"none of {', '.join(_STATUSES)}")
    for name in _NEVER_NONE_IF_REACHED:
        timeless = (table["status"] == record.REACHED) & (table[name] == "")
        _refuse(path, table, name, timeless, f"not there, though its status is {record.REACHED}")
    # The same run may have been made on several machines.
    for run in table.loc[table.duplicated(["run", "machine"]), "run"]:
        raise ValueError(f"{path}: run {run} is there twice; leave one of them out")
    return table


def _refuse_cut_rows(path: Path) -> None:
    """Refuse rows with other numbers of fields, which pandas would fill up with empty cells."""
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = filter(None, csv.reader(file))
    for number, row in enumerate(rows, start=1):
        if len(row) != len(head):
            raise ValueError(
                f"{path}: row {number} ({row[0]}) has {len(row)} fields, the header {len(head)}; "
                "join the runs again"
            )


def _refuse(path: Path, table: pd.DataFrame, name: str, is_wrong: pd.Series, why: str) -> None:
    """Refuse the first of the cells in column `name` that are wrong."""
    for run, cell in table.loc[is_wrong, ["run", name]].to_numpy():
        raise ValueError(f"{path}: {name} of {run} is {cell!r}, {why}; mend it")
