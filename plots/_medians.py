"""What the points of a figure stand for: medians over seeds, with the interval around each."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bench.estimates import Estimate, median_interval, time_to_target
from bench.lost_runs import with_worst
from plots import _runs

_MORE_IS_BETTER = ("images_per_s", "final_acc", "speed_up", "against_never", "against_ssgd")


def add_medians(
    table: pd.DataFrame, by: Sequence[str], column: str, trained: str = "", name: str = ""
) -> pd.DataFrame:
    """Adds to each run the `median_`, `low_` and `high_` of `column` in its configuration.

    `by` are the columns that tell configurations apart. With `trained`, a run without a value is
    one that did not get there within so much, or never could where it diverged or did not fit. A
    run that diverged or did not fit and left no value is the worst there can be: 0 where more is
    better, else infinite. A median that is neither measured is empty, a high one may be infinite.
    A run without a value for another reason has no say, and neither has one that failed, ever.
    """
    name = name or column
    cell = table.groupby(list(by), dropna=False).ngroup()
    found = dict.fromkeys(cell, Estimate(np.nan, np.nan, np.nan, 0))
    for key, runs in _said(table.assign(cell=cell), column, trained).groupby("cell"):
        values, followed = runs["value"].to_numpy(), runs["followed"].to_numpy()
        found[key] = time_to_target(values, followed) if trained else median_interval(values)
    medians = cell.map(lambda key: found[key].median).replace(_worst(column), np.nan)
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


def amounts(runs: pd.DataFrame, column: str) -> pd.Series:
    """What runs have in a column without a target to reach; lost ones the worst there can be."""
    ended = runs.get(f"status_{column}", runs["status"])
    return with_worst(runs[column], ended, _worst(column))


def _worst(column: str) -> float:
    return 0.0 if column in _MORE_IS_BETTER else np.inf


def _said(table: pd.DataFrame, column: str, trained: str) -> pd.DataFrame:
    """The `value` of each run that has a say, what it was `followed` to, and its `cell`."""
    said = pd.DataFrame({"cell": table["cell"], "value": table[column], "followed": np.inf})
    if "status" not in table:  # what others have published
        return said
    if trained:
        # What diverged or did not fit could never get there.
        followed = table[trained].where(table["status"].isin(_runs.TRAINED), np.inf)
        said = said.assign(followed=followed).fillna(np.inf)
    else:
        said = said.assign(value=amounts(table, column))
    return said[_runs.counts(table) & said["value"].notna()]
