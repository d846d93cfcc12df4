"""The commits of runs, to compare and to name."""

import pandas as pd

from bench.summary_columns import short_commit


def short(runs: pd.DataFrame) -> pd.Series:
    """The commit of each run in seven letters; missing where it is not known."""
    if "commit" not in runs:
        return pd.Series(None, runs.index, dtype=object)
    names = runs["commit"].astype(str).map(short_commit, na_action="ignore")
    return names.where(runs["commit"].notna() & names.ne(""))
