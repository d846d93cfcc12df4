"""The best configuration of each system, and of Crossbow with one learner and with several."""

import numpy as np
import pandas as pd

from plots import _averaging, _medians, style

PLACE = ["workload", "devices", "batch", "system", "learners", "series"]
SINGLE, SEVERAL = "Crossbow, m = 1", "Crossbow, best m > 1"


def add_times(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with `time_s` to the target, `trained_s`, and the medians and counts of each PLACE."""
    table = runs.rename(columns={"median5_s": "time_s", "train_s": "trained_s"})
    table = _medians.add_medians(table, PLACE, "time_s", "trained_s", "s")
    return _medians.add_counts(table, PLACE, "time_s")


def add_best(runs: pd.DataFrame) -> pd.DataFrame:
    """Adds to `add_times` the `group` of each run, and whether its configuration `is_best` of it.

    On so many devices the best has the least median time to the target; without a median, most
    runs that reached it; else the highest final accuracy. Crossbow is synchronous model averaging:
    other ways to keep learners together are never the best.
    """
    table = add_times(runs)
    of_crossbow = np.where(table["learners"] == "1", SINGLE, SEVERAL)
    is_crossbow = table["system"] == "crossbow"
    table["group"] = table["system"].map(style.title).where(~is_crossbow, of_crossbow)
    final = table.assign(final=_medians.amounts(table, "final_acc"))
    final = final.groupby(PLACE, dropna=False)["final"].transform("median")
    ranked = table.assign(final=final)[~_averaging.is_other(table)].sort_values(
        ["median_s", "reached", "final", "batch"], ascending=[True, False, False, True]
    )
    best = ranked.drop_duplicates(["workload", "devices", "group"])[PLACE]
    is_best = pd.MultiIndex.from_frame(table[PLACE]).isin(pd.MultiIndex.from_frame(best))
    return table.assign(is_best=is_best)


def of_system(table: pd.DataFrame, median: str) -> pd.Series:
    """Whether a configuration has the least `median` of its system on so many devices.

    Crossbow is synchronous model averaging here as in `add_best`.
    """
    own = table[median].mask(_averaging.is_other(table))
    cell = [table[name] for name in ("workload", "devices", "system")]
    return own.eq(own.groupby(cell).transform("min"))
