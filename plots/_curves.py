"""Accuracy curves of runs that differ only by seed, joined without inventing values."""

import numpy as np
import pandas as pd

from bench.lost_runs import HOPELESS
from plots import _runs

Curve = tuple[np.ndarray, np.ndarray]


def curves(epochs: pd.DataFrame) -> dict[str, Curve]:
    """Training seconds and test accuracy of each run that has any."""
    points = epochs.dropna(subset=["train_s", "test_acc"]).sort_values("train_s", kind="stable")
    return {
        str(run): (rows["train_s"].to_numpy(float), rows["test_acc"].to_numpy(float))
        for run, rows in points.groupby("run")
    }


def median_step(members: list[Curve]) -> pd.DataFrame:
    """Median, lowest and highest of step functions, at every step where all of them are known."""
    start = max(seconds[0] for seconds, _ in members)
    end = min(seconds[-1] for seconds, _ in members)
    times = np.unique(np.concatenate([seconds for seconds, _ in members]))
    times = times[(times >= start) & (times <= end)]
    values = np.array([acc[np.searchsorted(s, times, side="right") - 1] for s, acc in members])
    return pd.DataFrame(
        {
            "train_s": times,
            "test_acc": np.median(values, axis=0),
            "lowest": values.min(axis=0),
            "highest": values.max(axis=0),
        }
    )


def lost(summary: pd.DataFrame) -> str:
    """Of how many runs the medians are, where some have no accuracy to compare; else empty."""
    runs = _runs.prepare(summary)
    runs = runs[_runs.counts(runs)]
    number = int(runs["status"].isin(HOPELESS).sum())
    if not number:
        return ""
    return (
        f"{number} of {len(runs)} runs diverged or ran out of memory: medians of accuracy are of "
        "the others alone, too good by these."
    )


def lines(members: pd.DataFrame, known: dict[str, Curve]) -> list[pd.DataFrame]:
    """The median line with its band, then the rest of runs that outlast it, and failed runs."""
    members = members[members["run"].isin(known)]
    trained = members["status"].isin(_runs.TRAINED)
    whole = [known[run] for run in members.loc[trained, "run"]]
    # The set of runs must not change along the line: it ends with the shortest of them.
    end = min((seconds[-1] for seconds, _ in whole), default=-np.inf)
    parts = [median_step(whole).assign(kind="median", run="", runs=len(whole))] if whole else []
    parts = [part for part in parts if len(part)]
    for run, is_trained in zip(members["run"], trained, strict=True):
        seconds, accuracy = known[run]
        first = max(np.searchsorted(seconds, end, side="right") - 1, 0) if is_trained else 0
        if is_trained and first == len(seconds) - 1:
            continue
        rest = pd.DataFrame({"train_s": seconds[first:], "test_acc": accuracy[first:]})
        kind = "outlasting" if is_trained else "failed"
        parts.append(rest.assign(lowest=np.nan, highest=np.nan, kind=kind, run=run, runs=1))
    return parts
