"""The joined tables follow from the runs, or as far as they can from each other."""

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from bench import record, summary
from bench.progress import MATRIX
from bench.summary_columns import SPEC_COLUMNS, SUMMARY_COLUMNS
from bench.verify.columns import SUMMARY, need, tell_columns
from bench.verify.machines import MACHINES, check_machines_of, check_same_machines, read_machines
from bench.verify.mismatch import (
    Difference,
    Mismatch,
    Trail,
    compare_tables,
    first_difference,
    read_text,
)

WITHOUT_RUN = (record.NOT_AVAILABLE, record.NOT_RUN)
_SETTINGS = ("run", *SPEC_COLUMNS, "status", "reason", "epochs_run")
# What of a run's epochs its row in the summary follows from.
_TELLING = ("run", "learners", "test_acc", "test_loss", "images_per_s", "train_s")


def made(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of runs that were made."""
    return rows[~rows["status"].isin(WITHOUT_RUN)]


def check_planned(results: Path, rows: pd.DataFrame, trail: Trail) -> None:
    """Every run that was planned has a row, and a row without a run has no results.

    Raises:
        Mismatch: one has not.
    """
    matrix = results / "state" / MATRIX
    planned: list[str] = []
    if matrix.exists():
        planned = matrix.read_text().split()
    else:
        trail.lost.append("which runs were planned: there is no state/matrix.txt")
    if left_out := [run for run in planned if run not in set(rows["run"])]:
        raise Mismatch(
            f"{results / SUMMARY}: has no row of run {left_out[0]}, expected by {matrix}; join the "
            "runs again"
        )
    for row in rows[rows["status"].isin(WITHOUT_RUN)].to_dict("records"):
        for column, value in row.items():
            if value and column not in _SETTINGS:
                raise Mismatch(
                    f"{results / SUMMARY}: {column} of run {row['run']} is {value}, expected none: "
                    f"its status is {row['status']}"
                )


def check_joined(results: Path, rows: pd.DataFrame, trail: Trail) -> None:
    """Join the runs again and compare.

    Raises:
        Mismatch: a run is missing, or a table has something else.
    """
    runs = made(rows)["run"].tolist()
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder)
        (again / "runs").symlink_to((results / "runs").resolve())
        summary.join(again, runs, [])
        for name, key in ((record.EPOCHS, "epoch"), (record.AUTOTUNE, "iteration")):
            found = read_text(results / name)
            _compare(results / name, found, again, ["run", key], name)
            tell_columns(results / name, found, trail)
        check_same_machines(results / MACHINES, read_machines(again / MACHINES))
        _compare(results / SUMMARY, made(rows), again, ["run"], "")
        tell_columns(results / SUMMARY, rows, trail)
    epochs = len(read_text(results / record.EPOCHS))
    trail.followed.append(f"tables: {len(runs)} runs and {epochs} epochs, joined again from runs/")


def _compare(path: Path, found: pd.DataFrame, again: Path, key: list[str], own: str) -> None:
    """With the table joined in `again`, of the runs' files `own`; either may have been changed."""
    expected = read_text(again / path.name)
    need(path, found, expected, ", which joining writes; join the runs again")
    rows, again_rows = (table["run"].value_counts() for table in (found, expected))
    for run in found["run"].unique():
        if (here := rows[run]) != (there := again_rows.get(run, 0)):
            differing = Difference(f"the number of rows of run {run}", str(here), str(there))
            raise _differ(path, path.parent / "runs" / run / own, differing)
    if difference := first_difference(found, expected, key):
        run = "" if difference.place is None else str(expected["run"].iat[difference.place])
        raise _differ(path, path.parent / "runs" / run / (own if run else ""), difference)


def _differ(path: Path, source: Path, difference: Difference) -> Mismatch:
    gone = "" if source.exists() else ", which is not there,"
    what, here, there, _ = difference
    return Mismatch(
        f"{path} and {source}{gone} differ: {what} is {here} in the one, {there} in the other"
    )


def check_derived(results: Path, rows: pd.DataFrame, trail: Trail) -> None:
    """Without the runs: what of the summary follows from the joined epochs and machines.

    Raises:
        Mismatch: the summary has something else.
    """
    epochs = read_text(results / record.EPOCHS)
    need(results / record.EPOCHS, epochs, _TELLING)
    for name in epochs.columns.drop("run", errors="ignore"):
        epochs[name] = pd.to_numeric(epochs[name], errors="coerce")
    if strange := set(epochs["run"]) - set(made(rows)["run"]):
        raise Mismatch(
            f"{results / record.EPOCHS}: has run {min(strange)}, expected none by {SUMMARY}"
        )
    by_run: dict[Any, list[Any]] = {
        run: own.to_dict("records") for run, own in epochs.groupby("run", sort=False)
    }
    derived = []
    for row in made(rows).to_dict("records"):
        own = by_run.get(row["run"], [])
        of_epochs = summary.results_of(own, float(row["target"]), row["status"])
        derived.append({"run": row["run"], "epochs_run": len(own)} | of_epochs)
    table = pd.DataFrame(derived).astype(object)
    expected = table.map(lambda value: "" if pd.isna(value) else repr(value))
    expected["run"] = table["run"]
    there = expected[[name for name in expected if name in rows]]
    compare_tables(results / SUMMARY, made(rows), there, ["run"], record.EPOCHS)
    if (results / MACHINES).exists():
        check_machines_of(results / MACHINES, made(rows))
    else:
        trail.lost.append(f"{MACHINES} is not there: what the machines of {SUMMARY} were")
    trail.followed.append(f"tables: {len(derived)} runs, from {len(epochs)} joined epochs")
    told = {*expected, *_SETTINGS, "machine"}
    untold = [name for name in rows if name in SUMMARY_COLUMNS and name not in told]
    trail.lost.append(f"there is no runs/: {record.EPOCHS} itself, and {', '.join(untold)}")
    tell_columns(results / SUMMARY, rows, trail)
    tell_columns(results / record.EPOCHS, epochs, trail)
    if (tuned := results / record.AUTOTUNE).exists():
        tell_columns(tuned, read_text(tuned), trail)
