"""Names of configurations: system, learners, and the settings that tell them apart."""

from collections.abc import Sequence

import pandas as pd

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
# All that decides what a run computes but its seed and its repeat.
SETTINGS = ("workload", "system", "devices", "batch", "learners", *KINDS, *_AMOUNTS)


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
    varied = [name for name in (*KINDS, *_AMOUNTS) if name in runs and _varies(runs[name])]
    for column in (name for name in KINDS if name in varied and name not in untold):
        # Named in every cell of the workload or in none, so that a line keeps its name along them.
        _append(runs, column, KINDS[column], ["workload", "system"])
    for column in (name for name in _AMOUNTS if name in varied):
        _append(runs, column, _AMOUNTS[column], [*alike, "series"], _usual(runs, column, alike))
    return runs


def with_batch(runs: pd.DataFrame) -> pd.Series:
    """The names of configurations of several batches: the series with its batch."""
    return runs["series"] + runs["batch"].map(lambda b: f", b={b:g}")


def _usual(runs: pd.DataFrame, column: str, alike: list[str]) -> pd.Series:
    """Whether a run has the value of `column` that most cells of its system and workload have.

    A cell where it alone is varied keeps its place among the others by that.
    """
    cells = runs[["workload", "system", *alike, "learners", column]].dropna(subset=column)
    cells = cells.loc[:, ~cells.columns.duplicated()].drop_duplicates()
    counts = cells.groupby(["workload", "system", column]).size()
    is_most = counts.eq(counts.groupby(["workload", "system"]).transform("max"))
    is_sole = is_most.groupby(["workload", "system"]).transform("sum").eq(1)
    usual = set(counts.index[is_most & is_sole])
    of_runs = zip(runs["workload"], runs["system"], runs[column], strict=True)
    return pd.Series([one in usual for one in of_runs], runs.index, bool)


def _append(
    runs: pd.DataFrame, column: str, form: str, alike: list[str], usual: pd.Series | bool = False
) -> None:
    differs = runs.groupby(alike, dropna=False)[column].transform("nunique", dropna=False) > 1
    named = runs[column].map(lambda value: f", {form.format(_short(value))}")
    said = runs[column].notna() & (runs[column] != "") & (runs[column] != _UNSAID.get(column))
    is_named = differs & said & ~(usual | pd.Series(False, runs.index))
    # What is named in one cell is so in all, so that a configuration has one name in a figure.
    everywhere = runs.groupby(["workload", "series", column], dropna=False).ngroup()
    runs["series"] += named.where(is_named.groupby(everywhere).transform("any"), "")


def _varies(values: pd.Series) -> bool:
    return values.nunique(dropna=False) > 1


def _short(value: object) -> str:
    """A number without needless digits; what is no number (an α of "1/k") as it is."""
    try:
        return f"{float(value):g}"
    except ValueError:
        return str(value)
