"""The runs a figure draws: with clean types, named, and counted."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bench import record
from plots import style

# What else may tell two configurations apart, in the order in which a label resorts to it.
# A summary need not have all of them.
KINDS = {
    "model_source": "from {}",
    "nodes": "{} nodes",
    "variant": "{}",
    "method": "{}",
    "batch_norm": "BN {}",
    "tau": "τ {}",
    "precision": "{}",
    "compile": "compiled",
    "channels_last": "channels last",
    "graph": "graph",
    "unroll": "unroll {}",
    "cudnn_benchmark": "cuDNN benchmark",
    "schedule": "{}",
    "augmentation": "{}",
}
# Their plain values go without saying, beside a name that says the other one.
_UNSAID = {"compile": "False", "channels_last": "False", "graph": "False", "unroll": "1"}
_UNSAID |= {"cudnn_benchmark": "False", "nodes": "1"}
_AMOUNTS = {
    "lr": "lr {}",
    "alpha": "α {}",
    "mu": "µ {}",
    "momentum": "momentum {}",
    "weight_decay": "decay {}",
    "epochs": "{} epochs",
}
TEXT = ("run", "system", "model", "dataset", "device_type", "learners", "status", "machine")
_RESULTS = ("learners_final", "final_acc", "images_per_s", "train_s", "epochs_run", "first_s")
_RESULTS += ("median5_s", "median5_epochs", "sustained_s")
NUMBERS = ("devices", "batch", "target", *_RESULTS)
MEASURED = ("memory_bytes", "learner_memory_bytes", "sent_bytes")
MEASURED += ("energy_j", "joules_per_image")

TRAINED = (record.FINISHED, record.REACHED)
# They say nothing about their configuration: cut short and due again, impossible, not begun.
SILENT = (record.FAILED, record.NOT_AVAILABLE, record.NOT_RUN)
# All that decides what a run computes but its seed and its repeat.
SETTINGS = ("workload", "system", "devices", "batch", "learners", *KINDS, *_AMOUNTS)


def prepare(summary: pd.DataFrame, with_repeats: bool = False) -> pd.DataFrame:
    """A copy with clean types, and with `workload`: what must agree for runs to be compared.

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
    if "repeat" in runs and not with_repeats:
        runs = runs[runs["repeat"].fillna(1).astype(int) == 1]
    for column in ("variant", "tau"):
        runs[column] = runs.get(column, "")  # older summaries lack them
    for column in (*TEXT, *(name for name in KINDS if name in runs)):
        runs[column] = runs[column].astype(object).fillna("").astype(str)
    for column in MEASURED:
        runs[column] = runs.get(column, np.nan)  # older summaries lack them
    for column in (*NUMBERS, *MEASURED):
        runs[column] = pd.to_numeric(runs[column])
    for column in (*_RESULTS, *MEASURED):
        runs[column] = runs[column].where(counts(runs))
    for column in ("learners", *(name for name in ("nodes", "tau", "unroll") if name in runs)):
        runs[column] = runs[column].str.removesuffix(".0")
    runs["workload"] = _goals(runs)
    for column in ("device_type", "machine"):
        known = sorted(set(runs[column]) - {""})
        if len(known) > 1:
            runs["workload"] += runs[column].map(lambda name: f", {name}" if name else "")
    return runs


def counts(runs: pd.DataFrame) -> pd.Series:
    """Whether each run says anything about its configuration."""
    return ~runs["status"].isin(SILENT)


def name_series(
    runs: pd.DataFrame,
    alike: list[str],
    with_learners: bool = True,
    untold: Sequence[str] = (),
) -> pd.DataFrame:
    """Adds `series`: system, learners, and the settings needed to tell runs `alike` apart.

    And `untold`, words for those that are not in it.

    Only seeds are left to share a series, so settings that differ are never averaged together; the
    amount that most cells have goes without saying.
    Settings `untold` are those that the figure tells by other means; they must be in `alike`.
    """
    runs = runs.assign(untold="")
    for column in untold:
        runs["untold"] += ", " + runs[column].map(KINDS[column].format)
    runs["series"] = runs["system"].map(style.title)
    if with_learners:
        shown = (runs["system"] == "crossbow") | (runs["learners"] != "1")
        text = runs["learners"].map(lambda m: " auto" if m == "auto" else f" m={m}")
        runs["series"] += text.where(shown, "")
    for column in (name for name in KINDS if name in runs and name not in untold):
        # Named in every cell of the workload or in none, so that a line keeps its name along them.
        _append(runs, column, KINDS[column], ["workload", "system"])
    for column in (name for name in _AMOUNTS if name in runs):
        _append(runs, column, _AMOUNTS[column], [*alike, "series"], _usual(runs, column, alike))
    return runs


def _usual(runs: pd.DataFrame, column: str, alike: list[str]) -> pd.Series:
    """Whether a run has the value of `column` that most cells of its system and workload have.

    A cell where it alone is varied keeps its place among the others by that.
    """
    cells = runs[["workload", "system", *alike, column]].dropna(subset=column)
    cells = cells.loc[:, ~cells.columns.duplicated()].drop_duplicates()
    counts = cells.groupby(["workload", "system", column]).size()
    if counts.empty:
        return pd.Series(False, runs.index)
    of_run = pd.MultiIndex.from_frame(runs[["workload", "system", column]])
    own = pd.Series(counts.reindex(of_run).to_numpy(), runs.index)
    most = counts.groupby(["workload", "system"]).max()
    is_sole = counts.eq(most).groupby(["workload", "system"]).sum().eq(1)
    of_group = pd.MultiIndex.from_frame(runs[["workload", "system"]])
    has_usual = is_sole.reindex(of_group, fill_value=False).to_numpy()
    return has_usual & own.eq(pd.Series(most.reindex(of_group).to_numpy(), runs.index))


def _append(
    runs: pd.DataFrame, column: str, form: str, alike: list[str], usual: pd.Series | bool = False
) -> None:
    group = runs.groupby(alike, dropna=False)[column]
    differs = group.transform(lambda values: values.nunique(dropna=False) > 1).astype(bool)
    named = runs[column].map(lambda value: f", {form.format(_short(value))}")
    said = runs[column].notna() & (runs[column] != "") & (runs[column] != _UNSAID.get(column))
    runs["series"] += named.where(differs & said & ~(usual | pd.Series(False, runs.index)), "")


def _short(value: object) -> str:
    """A number without needless digits; what is no number (an α of "1/k") as it is."""
    try:
        return f"{float(value):g}"
    except ValueError:
        return str(value)


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
