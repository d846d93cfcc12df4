"""The runs a figure draws, and what became of them."""

import numpy as np
import pandas as pd

from bench import lost_runs, record
from plots import _series

_RESULTS = ("learners_final", "final_acc", "images_per_s", "train_s", "epochs_run", "first_s")
_RESULTS += ("median5_s", "median5_epochs", "sustained_s")
MEASURED = ("memory_bytes", "learner_memory_bytes", "sent_bytes")
MEASURED += ("energy_j", "joules_per_image")

TRAINED = (record.FINISHED, record.REACHED)


def prepare(summary: pd.DataFrame, with_repeats: bool = False) -> pd.DataFrame:
    """A copy with `workload`: what must agree for runs to be compared.

    Of several machines it has the machine; a run that was not made stands with those most like it.
    Repeats of a run are left out unless asked for, as they would count as further seeds. Runs that
    were planned and not run are kept, so that a figure shows what is missing, but those of
    workloads of which nothing was run: captions name these (`not_begun`). What a failed run left
    behind are no results.
    """
    runs = _clean(summary, with_repeats)
    return runs[~_is_of_no_run(runs)]


def not_begun(summary: pd.DataFrame) -> pd.Series:
    """How many runs were planned of each workload of which none was run, where others were."""
    runs = _clean(summary)
    return _goals(runs[_is_of_no_run(runs)]).value_counts().sort_index()


def _is_of_no_run(runs: pd.DataFrame) -> pd.Series:
    begun = _goals(runs[~is_planned(runs)])
    return is_planned(runs) & ~_goals(runs).isin(begun) & (not begun.empty)


def _goals(runs: pd.DataFrame) -> pd.Series:
    target = runs["target"].map(lambda t: f" to {100 * t:g}%", na_action="ignore").fillna("")
    return runs["model"] + " on " + runs["dataset"] + target


def _clean(summary: pd.DataFrame, with_repeats: bool = False) -> pd.DataFrame:
    runs = summary.copy()
    if not with_repeats:
        runs = runs[~is_repeat(runs)]
    for column in ("variant", "tau"):
        runs[column] = runs.get(column, "")  # older summaries lack them
    for column in MEASURED:
        runs[column] = runs.get(column, np.nan)  # older summaries lack them
    says = counts(runs)
    for column in (*_RESULTS, *MEASURED):
        runs[column] = runs[column].where(says)
    runs["workload"] = _goals(runs)
    if len(set(runs["device_type"]) - {""}) > 1:
        runs["workload"] += runs["device_type"].map(lambda name: f", {name}" if name else "")
    if len(set(runs["machine"]) - {""}) > 1:
        runs["workload"] += ", " + _where(runs)
    return runs


def _where(runs: pd.DataFrame) -> pd.Series:
    """The machine of each run; of one that was not made, that which made most of those like it."""
    machine = runs["machine"].mask(runs["machine"] == "")
    found, goal = machine, ["model", "dataset", "target", "device_type"]
    settings = [name for name in _series.SETTINGS if name in runs and name != "workload"]
    for alike in ([*goal, *settings], [*goal, "devices"], goal):
        group = runs.groupby(alike, dropna=False, sort=False).ngroup()
        most = machine.dropna().groupby(group).agg(lambda names: names.mode().iloc[0])
        found = found.mask(found.isna() & ~counts(runs), group.map(most))
    return found.fillna("machine not known")


def is_repeat(runs: pd.DataFrame) -> pd.Series:
    """Whether each run is made again with equal settings and seed; older summaries have none."""
    if "repeat" not in runs:
        return pd.Series(False, runs.index)
    return runs["repeat"].fillna(1).astype(int) > 1


def counts(runs: pd.DataFrame) -> pd.Series:
    """Whether each run says anything about its configuration."""
    return ~runs["status"].isin(lost_runs.SILENT)


def is_planned(runs: pd.DataFrame) -> pd.Series:
    """Whether each run was planned and not run: no result, and no failure either."""
    return runs["status"] == record.NOT_RUN


def failures(runs: pd.DataFrame) -> str:
    """How many of these runs ended badly, in words: "1 diverged, 2 out of memory"."""
    bad = runs.loc[~runs["status"].isin(TRAINED), "status"].str.replace("_", " ")
    return ", ".join(f"{count} {status}" for status, count in sorted(bad.value_counts().items()))


def why_none(runs: pd.DataFrame, needed: str) -> str:
    """Why none of these runs can be drawn, in words."""
    if runs.empty:
        return "the summary is empty"
    bad = failures(runs)
    return f"none {needed}" + (f" ({bad})" if bad else "")
