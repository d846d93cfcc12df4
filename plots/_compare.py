"""Runs that a figure compares: which differ in one respect alone, and by how much."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bench import record
from plots import _commits, _panels, _runs, _series


def varied(runs: pd.DataFrame, setting: str, following: Sequence[str] = ()) -> pd.DataFrame:
    """The runs that others differ from in `setting` alone, and in what follows from it."""
    rest = [name for name in _series.SETTINGS if name in runs and name not in (setting, *following)]
    if setting not in runs or runs.empty:
        return runs.iloc[:0]
    return runs[runs.groupby(rest, dropna=False)[setting].transform("nunique") > 1]


def name_spread(
    runs: pd.DataFrame, alike: list[str], over: Sequence[str], with_learners: bool = True
) -> pd.DataFrame:
    """The series that have several values in each of the columns `over`, named among themselves.

    `alike` is that of `name_series`; what is in it and not in `over` is one place of a series.
    """
    named = _series.name_series(runs, alike, with_learners)
    place = [*(name for name in alike if name not in over), "series"]
    counts = [named.groupby(place, dropna=False)[name].transform("nunique") for name in over]
    is_spread = np.all([count > 1 for count in counts], axis=0)
    return _series.name_series(runs[is_spread], alike, with_learners)


def left_out(summary: pd.DataFrame, shown: pd.DataFrame, why: str) -> str:
    """Names the runs made that only amounts, as the learning rate, tell from those shown."""
    runs = _runs.prepare(summary)
    chosen = runs[runs["run"].isin(shown["run"])]
    cell = ["workload", "devices", "batch", "learners"]
    kind = [*cell, "system", *(name for name in _series.KINDS if name in runs)]
    others = runs[_runs.counts(runs) & ~runs["run"].isin(chosen["run"])]
    others = others.merge(chosen[kind].drop_duplicates(), on=kind)
    named = [
        f"{series}, batch {batch:g}, {_panels.where(workload, devices)}"
        for (workload, devices, batch, _), alike in others.groupby(cell)
        for series in _names(alike, chosen.merge(alike[kind].drop_duplicates(), on=kind), cell)
    ]
    return f"Left out, as {why}: {'; '.join(named)}." if named else ""


def _names(runs: pd.DataFrame, beside: pd.DataFrame, cell: list[str]) -> list[str]:
    """The names of the series of these runs, as they differ from others of the cell."""
    series = _series.name_series(pd.concat([runs, beside], ignore_index=True), cell)["series"]
    return sorted(set(series[: len(runs)]))


def relative(runs: pd.DataFrame, reference: pd.DataFrame, alike: list[str]) -> pd.Series:
    """Each run's throughput over that of the reference runs of its seed; NaN where there is none.

    Runs and their reference agree in the columns `alike`.
    """
    pair = [*alike, "seed"]
    known = reference.groupby(pair, dropna=False)["images_per_s"].median()
    if known.empty:
        return pd.Series(np.nan, runs.index)
    return runs["images_per_s"] / known.reindex(pd.MultiIndex.from_frame(runs[pair])).to_numpy()


def ending(runs: pd.DataFrame, reference: pd.DataFrame, alike: list[str]) -> pd.Series:
    """What became of each run together with the reference run of its seed: a status.

    Of a run without a throughput its own, else that of its reference, which if it was made is told
    as that of another; empty where none was planned.
    """
    pair = [*alike, "seed"]
    of_reference = reference.drop_duplicates(pair).set_index(pair)["status"]
    of_reference = of_reference.mask(of_reference != record.NOT_RUN, "beside one " + of_reference)
    if of_reference.empty:
        return pd.Series("", runs.index)
    other = of_reference.reindex(pd.MultiIndex.from_frame(runs[pair])).fillna("").to_numpy()
    is_made = runs["images_per_s"].notna()
    return runs["status"].where(~is_made & (other != ""), other)


def is_one_commit(runs: pd.DataFrame, reference: pd.DataFrame, alike: list[str]) -> pd.Series:
    """Whether each run has the commit of the reference runs of its seed; what is unknown is not."""
    pair = [*alike, "seed"]
    if reference.empty:
        return pd.Series(False, runs.index)
    groups = _commits.short(reference).groupby([reference[name] for name in pair], dropna=False)
    theirs = groups.agg(frozenset).reindex(pd.MultiIndex.from_frame(runs[pair]))
    both = zip(_commits.short(runs), theirs, strict=True)
    return pd.Series([pd.notna(own) and {own} == others for own, others in both], runs.index)


def nothing(summary: pd.DataFrame, needed: str, columns: list[str]) -> tuple[Figure, pd.DataFrame]:
    """What is drawn where no runs differ as a figure needs it: why, and a table without a row."""
    return _panels.nothing(_runs.prepare(summary), needed, columns)
