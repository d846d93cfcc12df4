"""The noise floor: pairs of the same run made twice, and how far apart they are."""

import math

import numpy as np
import pandas as pd

from bench import record
from plots import _commits, _series

CELL = ["workload", "devices", "batch"]
PLACE = [*CELL, "system", "learners", "series"]
QUANTITIES = {"images_per_s": "throughput", "median5_s": "time to target"}
SHARE, MANY = 0.95, 20


def pairs(runs: pd.DataFrame) -> pd.DataFrame:
    """Each repeat beside the first of its runs, one row a quantity, with the floor of its panel."""
    cell = [*PLACE, "seed"]
    ordered = runs.sort_values([*cell, "repeat"])
    is_first = ~ordered.duplicated(cell)
    ordered["commit"] = _commits.short(ordered)
    kept = [*cell, "run", "status", "commit", *QUANTITIES]
    both = ordered[~is_first].merge(ordered.loc[is_first, kept], on=cell, suffixes=("", "_first"))
    both = both.rename(columns={"run_first": "first_run"})
    both["is_one_commit"] = both["commit"].eq(both["commit_first"])  # unknown is not the same
    later, first = (both[name] == record.NOT_RUN for name in ("status", "status_first"))
    both["is_planned"] = later | first
    parts = [
        both.assign(quantity=quantity, again=both[column], first=both[f"{column}_first"])
        for column, quantity in QUANTITIES.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    for name in ("again", "first"):
        table[name] = table[name].where(table[name] > 0)  # a rate of 0 has no ratio
    table["ratio"] = table["again"] / table["first"]
    table["is_lone"] = table["again"].notna().ne(table["first"].notna()) & ~table["is_planned"]
    sizes = table.assign(size=table["ratio"].mask(table["is_lone"], np.inf))
    table["floor"] = sizes.groupby(["workload", "devices", "quantity"])["size"].transform(floor)
    table["name"] = _series.with_batch(table)
    return table.sort_values([*cell, "repeat", "quantity"], ignore_index=True)


def floor(ratios: pd.Series) -> float:
    """The factor that 95% of pairs stay within, up or down; of fewer than twenty, all.

    Infinite are the ratios of pairs of which one run alone got there.
    """
    found = factors(ratios).sort_values()
    return float(found.iloc[math.ceil(SHARE * (len(found) - 1))]) if len(found) else np.nan


def factors(ratios: pd.Series) -> pd.Series:
    """The factors of ratios, whether up or down."""
    return np.exp(np.log(ratios.dropna()).abs())


def said(of_panel: pd.DataFrame) -> str:
    """The floor of the pairs of one panel, in words."""
    known, lone = int(of_panel["ratio"].count()), int(of_panel["is_lone"].sum())
    end = of_panel["floor"].max()
    number = known + lone
    if not number:
        return "no pair to compare"
    if np.isinf(end):
        within = f" within × {factors(of_panel['ratio']).max():.3f}" if known else ""
        words = f"{known} of {number} pair{'s' * (number != 1)}{within or ' to compare'}"
    elif number >= MANY:
        words = f"{SHARE:.0%} of {number} pairs within × {end:.3f}"
    else:
        words = f"{'one pair,' if number == 1 else f'widest of {number} pairs'} × {end:.3f}"
    return words + (f";\nin {lone} only one run got there" if lone else "")
