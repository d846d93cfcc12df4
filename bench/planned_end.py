"""Schedules that take the learning rate to zero at the last epoch, whenever that is planned."""

import pandas as pd

_ENDING = ("cosine", "one-cycle")


def ending(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs with such a schedule."""
    return runs[_kinds(runs).isin(_ENDING)]


def words(runs: pd.DataFrame) -> tuple[str, str]:
    """The kinds of their schedules, and how many epochs were planned."""
    epochs = pd.to_numeric(runs["epochs"])
    ends = dict.fromkeys([epochs.min(), epochs.max()])
    return " or ".join(sorted(set(_kinds(runs)))), " to ".join(f"{end:g}" for end in ends)


def _kinds(runs: pd.DataFrame) -> pd.Series:
    return runs["schedule"].str.split("(").str[0]
