"""The joined tables follow from the runs, or as far as they can from each other."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from bench import record, summary
from bench.environment import machine
from bench.progress import MATRIX
from bench.summary_columns import SPEC_COLUMNS, SUMMARY_COLUMNS
from bench.verify.mismatch import Mismatch, Trail, compare_tables, read_text

SUMMARY, MACHINES = "summary.csv", "machines.json"
WITHOUT_RUN = (record.NOT_AVAILABLE, record.NOT_RUN)
_SETTINGS = ("run", *SPEC_COLUMNS, "status", "reason", "epochs_run")


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
        for name, key in ((record.EPOCHS, ["epoch"]), (record.AUTOTUNE, ["iteration"])):
            found, expected = read_text(results / name), read_text(again / name)
            _compare(results / name, found, expected, ["run", *key], "the runs' own files")
        _check_same_machines(results / MACHINES, _machines(again / MACHINES))
        expected = read_text(again / SUMMARY)
        _compare(results / SUMMARY, made(rows), expected, ["run"], "the runs' own files")
    epochs = len(read_text(results / record.EPOCHS))
    trail.followed.append(f"tables: {len(runs)} runs and {epochs} epochs, joined again from runs/")


def _compare(
    path: Path, found: pd.DataFrame, expected: pd.DataFrame, key: list[str], by: str
) -> None:
    """In the columns that `found` has: a table of an older version lacks the later ones."""
    compare_tables(path, found, expected[[c for c in expected if c in found]], key, by)


def check_derived(results: Path, rows: pd.DataFrame, trail: Trail) -> None:
    """Without the runs: what of the summary follows from the joined epochs and machines.

    Raises:
        Mismatch: the summary has something else.
    """
    epochs = read_text(results / record.EPOCHS)
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
    compare_tables(results / SUMMARY, made(rows), expected, ["run"], record.EPOCHS)
    if (results / MACHINES).exists():
        _check_machines_of(results / MACHINES, made(rows))
    else:
        trail.lost.append(f"{MACHINES} is not there: what the machines of {SUMMARY} were")
    trail.followed.append(f"tables: {len(derived)} runs, from {len(epochs)} joined epochs")
    told = {*expected, *_SETTINGS, "machine"}
    untold = [name for name in rows if name in SUMMARY_COLUMNS and name not in told]
    trail.lost.append(f"there is no runs/: {record.EPOCHS} itself, and {', '.join(untold)}")


def _machines(path: Path) -> list[dict[str, Any]]:
    try:
        machines = record.read_json(path)
        _ = [(one["machine"], one["environment"], one["runs"]) for one in machines]
    except FileNotFoundError:
        raise Mismatch(f"{path}: is not there") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Mismatch(f"{path}: is not the list of machines ({error!r})") from None
    return list(machines)


def _check_same_machines(path: Path, expected: list[dict[str, Any]]) -> None:
    ours = {run: one for one in _machines(path) for run in one["runs"]}
    for one in expected:
        for run in one["runs"]:
            if run not in ours:
                raise Mismatch(f"{path}: does not have run {run}, expected by runs/{run}/run.json")
            for key in ("machine", "environment"):
                if difference := _difference(ours[run][key], one[key], key):
                    raise Mismatch(f"{path}: of run {run} {difference} by runs/{run}/run.json")


def _difference(here: Any, there: Any, where: str) -> str:
    """The first key of nested values at which they differ, in words; empty where they do not."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in sorted({*here, *there}):
            if told := _difference(here.get(key), there.get(key), f"{where}.{key}"):
                return told
        return ""
    if here == there:
        return ""
    return f"{where} is {json.dumps(here)}, expected {json.dumps(there)}"


def _check_machines_of(path: Path, rows: pd.DataFrame) -> None:
    ran_on = {run: one for one in _machines(path) for run in one["runs"]}
    for row in rows.to_dict("records"):
        if row["run"] not in ran_on:
            raise Mismatch(f"{path}: does not have run {row['run']}, expected by {SUMMARY}")
        named = machine(ran_on[row["run"]]["environment"], row["device_type"])
        for file, name in (
            (path, ran_on[row["run"]]["machine"]),
            (path.with_name(SUMMARY), row["machine"]),
        ):
            if name != named:
                raise Mismatch(
                    f"{file}: machine of run {row['run']} is {name}, expected {named} by its "
                    "environment"
                )
