"""What stands below a figure: its docstring, and of which runs it is."""

import inspect
from types import ModuleType

import pandas as pd

from bench import record
from plots import _runs


def caption(module: ModuleType, summary: pd.DataFrame, table: pd.DataFrame) -> str:
    """The figure's docstring, its first line as the title, and its sample.

    `table` is what it draws; a figure of some of the runs alone says which by `shown`.
    """
    heading, _, text = inspect.getdoc(module).partition("\n")
    heading = heading.rstrip(".")
    some = getattr(module, "shown", None)
    said = [sample(some(summary) if some else summary, summary)]
    if any(column == "s" or column.endswith("_s") for column in table):
        said.append("Clock: training seconds.")
    return f"{heading}\n{'=' * len(heading)}\n\n{text.strip()}\n\n{' '.join(said)}\n"


def sample(shown: pd.DataFrame, summary: pd.DataFrame) -> str:
    """Sample size, workloads, machines and commits of the runs shown, of all in the summary."""
    runs = _runs.prepare(shown)
    runs, silent = runs[_runs.counts(runs)], runs[~_runs.counts(runs)]
    number = _number(len(runs), summary)
    number += f" ({_runs.failures(silent)}: left out)" if len(silent) else ""
    if runs.empty:
        return f"n = {number}."
    cell = ["workload", "devices", "batch"]
    series = _runs.name_series(runs, cell)
    sizes = series.groupby([*cell, "system", "learners", "series"], dropna=False).size()
    few, many = sizes.min(), sizes.max()
    size = f"{many}" if few == many else f"{few} to {many}"
    seeds = "seed" if size == "1" else "seeds"
    workloads, machines = ("; ".join(sorted(set(runs[c]) - {""})) for c in ("workload", "machine"))
    of = [workloads, machines or "machine not recorded", *_commits(runs)]
    return ". ".join([f"n = {size} {seeds} per configuration, {number}", *of]) + "."


def _number(shown: int, summary: pd.DataFrame) -> str:
    """How many runs, and of how many that were planned, where not all were run."""
    runs = _runs.prepare(summary, with_planned=True)
    made = int(_runs.counts(runs).sum())
    number = f"{shown} run{'s' * (shown != 1)}"
    if not (runs["status"] == record.NOT_RUN).any():
        return number
    of_planned = f"{made} of {(runs['status'] != record.NOT_AVAILABLE).sum()} planned runs"
    return of_planned if shown == made else f"{number}; the matrix has {of_planned}"


def _commits(runs: pd.DataFrame) -> list[str]:
    """The commits that the runs are of, in words."""
    if "commit" not in runs:
        return []
    edited = runs["dirty"].astype(str).eq("True") if "dirty" in runs else runs["status"].eq("")
    names = runs["commit"].astype(str).str[:7] + edited.map({True: " with changes", False: ""})
    several = sorted(set(names[runs["commit"].notna()]))  # of some it is not known
    return [f"Commit{'s' * (len(several) > 1)} {', '.join(several)}"] if several else []
