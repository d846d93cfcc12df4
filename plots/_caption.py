"""What stands below a figure: its docstring, and of which runs it is."""

import inspect
from types import ModuleType

import pandas as pd
from matplotlib.figure import Figure

from bench import record
from plots import _commits, _compare, _runs, _series, style

_CELL = ["workload", "devices", "batch"]


def caption(module: ModuleType, summary: pd.DataFrame, table: pd.DataFrame) -> str:
    """The figure's docstring, its first line as the title, and its sample.

    `table` is what it draws; a figure of some of the runs alone says which by `shown`, what these
    runs ask to be said by `remark`, and why others like them are not in it by `LEFT_OUT`. What was
    planned for a figure of some networks alone is told by `meant`.
    """
    heading, _, text = inspect.getdoc(module).partition("\n")
    heading = heading.rstrip(".")
    some = getattr(module, "shown", None)
    meant = getattr(module, "meant", None)
    said = [sample(some(summary) if some else summary, summary)]
    said.append(_unsaid_rates(some(summary) if some else summary))
    said.append(_not_begun(meant(summary) if meant else summary))
    if changed := _changed(module, summary):
        said.append(f"{changed}.")
    if remark := getattr(module, "remark", None):
        said.append(remark(some(summary) if some else summary, table))
    if why := getattr(module, "LEFT_OUT", ""):
        said.append(_compare.left_out(summary, some(summary), why))
    if any(column == "s" or column.endswith("_s") for column in table):
        said.append("Clock: training seconds.")
    words = " ".join(sentence for sentence in said if sentence)
    return f"{heading}\n{'=' * len(heading)}\n\n{text.strip()}\n\n{words}\n"


def mark_changed(figure: Figure, module: ModuleType, summary: pd.DataFrame) -> None:
    """Says above a figure of runs of code that no commit holds that it has such runs."""
    if changed := _changed(module, summary):
        style.warn_above(figure, changed)


def _changed(module: ModuleType, summary: pd.DataFrame) -> str:
    """How many runs of a figure can't be repeated from a commit, in words; empty where all can.

    A figure that compares the runs it shows with others names them all by `used`.
    """
    some = getattr(module, "used", None) or getattr(module, "shown", None)
    runs = _runs.prepare(some(summary) if some else summary, with_repeats=some is not None)
    runs = runs[_runs.counts(runs)]
    number = int(_is_changed(runs).sum())
    are = f"{number} of {len(runs)} runs {'is' if number == 1 else 'are'}"
    return f"Dirty: {are} of changed code that no commit holds" if number else ""


def sample(shown: pd.DataFrame, summary: pd.DataFrame) -> str:
    """Sample size, workloads, machines and commits of the runs shown, of all in the summary.

    Of a figure without runs it still says on which machines the others ran.
    """
    runs = _runs.prepare(shown)
    planned, runs = int(_runs.is_planned(runs).sum()), runs[~_runs.is_planned(runs)]
    runs, silent = runs[_runs.counts(runs)], runs[~_runs.counts(runs)]
    number = _number(len(runs), planned, summary)
    number += f" ({_runs.failures(silent)}: left out)" if len(silent) else ""
    if runs.empty:
        others = _runs.prepare(summary)
        ran = others[_runs.counts(others)]
        return f"n = {number}." + (f" {_machines(ran)}." if len(ran) else "")
    series = _series.name_series(runs, _CELL)
    sizes = series.groupby([*_CELL, "system", "learners", "series"], dropna=False).size()
    few, many = sizes.min(), sizes.max()
    size = f"{many}" if few == many else f"{few} to {many}"
    seeds = "seed" if size == "1" else "seeds"
    of = ["; ".join(sorted(set(runs["workload"]))), _machines(runs), *_named_commits(runs)]
    return ". ".join([f"n = {size} {seeds} per configuration, {number}", *of]) + "."


def _unsaid_rates(shown: pd.DataFrame) -> str:
    """The learning rates of those whose name has none, beside others whose name has one."""
    runs, told = _series.name_series(_runs.prepare(shown), _CELL), []
    for (workload, system), own in runs.groupby(["workload", "system"]):
        is_said = own["series"].str.contains(", lr ")
        rates = sorted(set(own.loc[~is_said & ~_runs.is_planned(own), "lr"].dropna()))
        if is_said.any() and rates:
            numbers = ", ".join(f"{rate:g}" for rate in rates)
            told.append(f"{numbers} of {style.title(system)} ({workload})")
    return f"Where a name has no learning rate it is {'; '.join(told)}." if told else ""


def _not_begun(summary: pd.DataFrame) -> str:
    numbers = _runs.not_begun(summary)
    told = "; ".join(f"{name}, {number} planned" for name, number in numbers.items())
    return f"Nothing was run of {told}." if told else ""


def _machines(runs: pd.DataFrame) -> str:
    return "; ".join(sorted(set(runs["machine"]) - {""})) or "machine not recorded"


def _number(shown: int, planned: int, summary: pd.DataFrame) -> str:
    """How many runs, and of how many that were planned, where not all were run.

    Where runs were repeated it says that repeats are not counted, which a report counts as well.
    """
    runs = _runs.prepare(summary)
    once = " (repeats not counted)" if _runs.is_repeat(summary).any() else ""
    made = int(_runs.counts(runs).sum())
    number = f"{shown} run{'s' * (shown != 1)}"
    number = f"{shown} of {shown + planned} planned runs" if planned else number
    if not _runs.is_planned(runs).any():
        return number + once
    of_planned = f"{made} of {(runs['status'] != record.NOT_AVAILABLE).sum()} planned runs"
    is_all = shown == made and planned in (0, int(_runs.is_planned(runs).sum()))
    return (of_planned if is_all else f"{number}; the matrix has {of_planned}") + once


def _named_commits(runs: pd.DataFrame) -> list[str]:
    """The commits that the runs are of, in words."""
    names = _commits.short(runs) + _is_changed(runs).map({True: " with changes", False: ""})
    several = sorted(set(names.dropna()))
    return [f"Commit{'s' * (len(several) > 1)} {', '.join(several)}"] if several else []


def _is_changed(runs: pd.DataFrame) -> pd.Series:
    return runs["dirty"].astype(str).eq("True") if "dirty" in runs else runs["status"].eq("")
