"""The joined tables that figures are drawn from, read with the right types."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bench import summary_file
from plots import _series

_OF_AN_EPOCH = ("epoch", "images", "train_s", "test_acc")
_OF_A_SAMPLE = ("iteration", "learners", "images_per_s", "memory_bytes")
# Columns that older tables lack.
_LATER = ("tuning_s",)
# What figures read beside what every summary has.
_OF_A_RUN = ("lr", "schedule", "epochs", "final_acc", "first_epochs")


@dataclass(frozen=True)
class Tables:
    """`summary` has one row a run, `epochs` one an epoch, `autotune` one a throughput sample."""

    summary: pd.DataFrame
    epochs: pd.DataFrame
    autotune: pd.DataFrame


def read(summary: Path, epochs: Path, autotune: Path) -> Tables:
    """The tables as written, with text columns kept text ("1" and "auto" are both learners).

    Raises:
        OSError: a file can't be read.
        ValueError: a table lacks a column, has what is no number where one should be, a row twice,
            or rows of a run that the summary has of several machines; one sentence.
    """
    tables = Tables(
        _read_summary(summary),
        _read(epochs, ("run",), _OF_AN_EPOCH, ["run", "epoch"]),
        _read(autotune, ("run", "decision"), _OF_A_SAMPLE, ["run", "iteration"]),
    )
    of_several = tables.summary.loc[tables.summary.duplicated("run"), "run"]
    for path, table in ((epochs, tables.epochs), (autotune, tables.autotune)):
        for run in table.loc[table["run"].isin(of_several), "run"]:
            raise ValueError(
                f"{path} does not say which machine's run {run} it has: {summary} has several"
            )
    return tables


def _read_summary(path: Path) -> pd.DataFrame:
    """The summary that claims are judged by, with numbers where figures want them."""
    return typed(summary_file.read_summary(path, _OF_A_RUN))


def typed(summary: pd.DataFrame) -> pd.DataFrame:
    """A summary that is text, with numbers but for what names configurations; "" is no word."""
    table = summary.copy()
    for column in set(summary_file.NUMBERS).intersection(table).difference(_series.KINDS):
        table[column] = pd.to_numeric(table[column])
    for column in {"learners", "nodes", "tau", "unroll"}.intersection(table):
        table[column] = table[column].str.removesuffix(".0")
    return table


def _read(path: Path, words: Sequence[str], numbers: Sequence[str], key: list[str]) -> pd.DataFrame:
    """A table with these columns, whose rows differ in `key`."""
    table = summary_file.read_text(path, (*words, *numbers)).replace("", np.nan)
    for column in (*numbers, *(name for name in _LATER if name in table)):
        known = table[column].dropna()
        amounts = pd.to_numeric(known, errors="coerce")
        if not (is_amount := np.isfinite(amounts)).all():
            wrong = known[~is_amount].iloc[0]
            raise ValueError(f"{path} has {str(wrong)!r} in the column {column}: no number")
        table[column] = pd.to_numeric(table[column])
    for column in table.columns.difference([*words, *numbers]):  # numbers, if it has nothing else
        amounts = pd.to_numeric(table[column], errors="coerce")
        if amounts.notna().eq(table[column].notna()).all():
            table[column] = amounts
    if (again := table.duplicated(key)).any():
        row = ", ".join(f"{name} {table.loc[again, name].iloc[0]}" for name in key)
        raise ValueError(f"{path} has {row} twice")
    return table
