"""What the points of a figure stand for: medians over seeds, with the interval around each."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bench.estimates import Estimate, median_interval, time_to_target
from plots import _runs


def add_medians(
    table: pd.DataFrame, by: Sequence[str], column: str, trained: str = "", name: str = ""
) -> pd.DataFrame:
    """Adds to each run the `median_`, `low_` and `high_` of `column` in its configuration.

    `by` are the columns that tell configurations apart. With `trained`, a run without a value is
    one that did not get there within so much, or never could where it diverged or did not fit; a
    median is empty and a high infinite where the runs do not show them. Without, a run without a
    value has no say, and neither has one that failed, ever.
    """
    name = name or column
    cell = table.groupby(list(by), dropna=False).ngroup()
    found = {key: _estimate(runs, column, trained) for key, runs in table.groupby(cell)}
    medians = cell.map(lambda key: found[key].median).replace(np.inf, np.nan)
    return table.assign(
        **{
            f"median_{name}": medians.astype(float),
            f"low_{name}": cell.map(lambda key: found[key].low).astype(float),
            f"high_{name}": cell.map(lambda key: found[key].high).astype(float),
        }
    ).copy()  # in one piece: parts are taken of it often, and a column added is a piece of its own


def add_counts(table: pd.DataFrame, by: Sequence[str], column: str) -> pd.DataFrame:
    """Adds `reached`, how many runs of a configuration have a value, and `runs`, of how many."""
    says = table.assign(says=_runs.counts(table)).groupby(list(by), dropna=False)
    return table.assign(
        reached=says[column].transform("count"), runs=says["says"].transform("sum").astype(int)
    )


def _estimate(runs: pd.DataFrame, column: str, trained: str) -> Estimate:
    runs = runs[_runs.counts(runs)] if "status" in runs else runs
    if trained and len(runs):
        # What diverged or did not fit could never get there.
        followed = runs[trained].where(runs["status"].isin(_runs.TRAINED), np.inf).fillna(np.inf)
        return time_to_target(runs[column].fillna(np.inf).to_numpy(), followed.to_numpy())
    known = runs[column].dropna().to_numpy()
    return median_interval(known) if len(known) else Estimate(np.nan, np.nan, np.nan, 0)
