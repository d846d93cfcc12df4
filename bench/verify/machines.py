"""The machines of the runs are those that their run.json or the joined table name."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from bench import record
from bench.environment import machine
from bench.verify.columns import SUMMARY
from bench.verify.mismatch import Mismatch

MACHINES = "machines.json"


def read_machines(path: Path) -> list[dict[str, Any]]:
    """The distinct environments, each with its runs.

    Raises:
        Mismatch: the file is missing, or has something else.
    """
    try:
        machines = record.read_json(path)
        _ = [(one["machine"], one["environment"], one["runs"]) for one in machines]
    except FileNotFoundError:
        raise Mismatch(f"{path}: is not there") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Mismatch(f"{path}: is not the list of machines ({error!r})") from None
    return list(machines)


def check_same_machines(path: Path, expected: list[dict[str, Any]]) -> None:
    """Each run has the environment in `path` that its own run.json has, which is `expected`.

    Raises:
        Mismatch: one has not.
    """
    ours = {run: one for one in read_machines(path) for run in one["runs"]}
    for one in expected:
        for run in one["runs"]:
            own = path.parent / "runs" / run / record.RUN
            if run not in ours:
                raise Mismatch(f"{path}: does not have run {run}, expected by {own}")
            for key in ("machine", "environment"):
                if difference := _difference(ours[run][key], one[key], key):
                    raise Mismatch(f"{path} and {own} differ: {difference}")


def _difference(here: Any, there: Any, where: str) -> str:
    """The first key of nested values at which they differ, in words; empty where they do not."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in sorted({*here, *there}):
            if told := _difference(here.get(key), there.get(key), f"{where}.{key}"):
                return told
        return ""
    if here == there:
        return ""
    return f"{where} is {json.dumps(here)} in the one, {json.dumps(there)} in the other"


def check_machines_of(path: Path, rows: pd.DataFrame) -> None:
    """Each row of the summary names the machine that its environment in `path` is.

    Raises:
        Mismatch: one does not.
    """
    ran_on = {run: one for one in read_machines(path) for run in one["runs"]}
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
