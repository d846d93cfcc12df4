"""The columns of the joined tables: those that joining writes, and those that a check needs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from bench import record
from bench.summary_columns import SUMMARY_COLUMNS
from bench.verify.mismatch import Mismatch, Trail

SUMMARY = "summary.csv"
WRITTEN = {
    SUMMARY: SUMMARY_COLUMNS,
    record.EPOCHS: record.EPOCH_COLUMNS,
    record.AUTOTUNE: record.AUTOTUNE_COLUMNS,
}
FOLLOWED = {*WRITTEN, "claims.csv"}


def need(path: Path, there: Iterable[Any], needed: Iterable[Any], then: str = "") -> None:
    """Refuse the table in `path`, which has the columns `there`, if it lacks one of `needed`.

    `then` ends the sentence, if the reader can do something.

    Raises:
        Mismatch: it lacks one.
    """
    there = set(there)
    if lacking := [name for name in needed if name not in there]:
        raise Mismatch(f"{path}: has no column {', '.join(lacking)}{then}")


def tell_tables(results: Path, trail: Trail) -> None:
    """What is not followed: tables of benchmarks, and others beside the joined ones."""
    if others := sorted({path.name for path in results.glob("*.csv")} - FOLLOWED):
        trail.lost.append(f"{', '.join(others)}: no check follows these tables")


def tell_columns(path: Path, table: pd.DataFrame, trail: Trail) -> None:
    """What is not followed: columns that joining writes and a joined table lacks, and others."""
    written = WRITTEN[path.name]
    if lacking := [name for name in written if name not in table]:
        trail.lost.append(f"{path.name} has no column {', '.join(lacking)}")
    if strange := [str(name) for name in table if name not in written]:
        trail.lost.append(f"{path.name}: {', '.join(strange)}, which joining does not write")
