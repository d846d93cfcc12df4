"""What tuners tried, and runs that kept a number of learners, which are the exhaustive search."""

import pandas as pd

from plots import _medians, _runs

CELL = ["workload", "devices", "series", "batch"]


def of_first_seed(runs: pd.DataFrame, autotune: pd.DataFrame, cell: list[str]) -> pd.DataFrame:
    """Of each cell the run of the first seed that has samples."""
    tuned = runs[runs["run"].isin(autotune["run"])].sort_values("seed", kind="stable")
    return tuned.drop_duplicates(cell)


def not_run(runs: pd.DataFrame, chosen: pd.DataFrame) -> pd.DataFrame:
    """One row for each cell that was to be tuned, and of which no run was made."""
    planned = runs[(runs["learners"] == "auto") & _runs.is_planned(runs)].drop_duplicates(CELL)
    made = pd.MultiIndex.from_frame(chosen[CELL])
    return planned[~pd.MultiIndex.from_frame(planned[CELL]).isin(made)]


def samples(chosen: pd.DataFrame, autotune: pd.DataFrame) -> pd.DataFrame:
    """The chosen runs' samples, each with the median of those of the same learners that counted."""
    trace = autotune.drop(columns="learners").assign(present=autotune["learners"])
    table = trace.merge(chosen[[*CELL, "run", "seed"]], on="run")
    table = table.rename(columns={"present": "learners"}).assign(kind="sample")
    table["is_thrown_away"] = table["learners"] != table.groupby("run")["learners"].shift()
    counted = table["images_per_s"].where(~table["is_thrown_away"])
    group = counted.groupby([table["run"], table["learners"]])
    return table.assign(median_images_per_s=group.transform("median"))


def kept(chosen: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """The throughput of each number of learners that was kept, where a cell was also tuned."""
    fixed = runs.loc[_runs.is_planned(runs).sort_values(kind="stable").index]  # made ones first
    fixed = fixed[fixed["learners"] != "auto"]
    fixed = _medians.add_medians(fixed, [*CELL, "learners"], "images_per_s")
    rates = fixed.drop_duplicates([*CELL, "learners"])
    rates = rates.drop(columns=["images_per_s", "run", "seed"])
    rates = rates.rename(columns={"median_images_per_s": "images_per_s"})
    rates["learners"] = rates["learners"].astype(float)
    return rates.merge(chosen[CELL], on=CELL).sort_values("learners").assign(kind="fixed")
