"""Training time to any accuracy.

Seconds of training until the median of the last five epochs' test accuracies reached each accuracy,
so that no target has to be believed. Lines are medians over seeds, bands their intervals (of up to
three seeds the range); a band leaves the panel where some runs were too short to end it, and a line
ends where half of the runs never got there. Runs that diverged count as never there, a run that
failed is left out. The accuracies are spaced by the logarithm of the error that is left; the dashed
line is the target.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import _absent, _axes, _hover, _legends, _medians, _panels, _runs, _series, style
from plots._tables import Tables

CELL = ["workload", "devices", "batch"]
PLACE = [*CELL, "system", "learners", "series"]
COLUMNS = [*PLACE, "accuracy", "median_s", "low_s", "high_s", "reached", "runs"]
# Closer where less error is left.
_ACCURACIES = np.round(np.r_[0:0.5:0.02, 0.5:0.9:0.01, 0.9:0.98:0.002, 0.98:1:0.001], 3)


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row for each configuration and accuracy that a run of it reached."""
    runs = _series.name_series(_runs.prepare(tables.summary), CELL)
    levels = _levels(runs, tables.epochs)
    if levels.empty:
        return _panels.nothing(runs, "has five evaluated epochs", COLUMNS)
    table = _table(runs, levels)
    looks = style.series_looks(runs[runs["run"].isin(levels["run"])], tables.summary["system"])
    rows = _panels.keys(runs, ["workload", "devices"])
    batches = {row: _batches(runs, row) for row in rows}
    places = range(max(map(len, batches.values())))
    figure, panels = _panels.grid(rows, places, (2.7, 2.1), sharex="row", sharey="row")
    for (row, place), panel in panels.items():
        if place >= len(batches[row]):
            panel.set_visible(False)
            continue
        batch = batches[row][place]
        of_row = _panels.cut(table, ["workload", "devices"], row)
        here = of_row[of_row["batch"] == batch]
        planned = _panels.cut(runs, CELL, (*row, batch))
        _panels.head(panel, "" if place else _panels.where(*row), f"batch {batch:g}")
        for series, line in here.groupby("series"):
            _draw_line(panel, line, looks[series])
        targets = set(planned["target"].dropna()) if len(of_row) else set()
        for target in sorted(target for target in targets if target < 1):
            panel.axvline(1 - target, color=style.FAINT, linestyle="--", linewidth=0.9, zorder=1)
        _absent.account(panel, planned, planned[~planned["run"].isin(levels["run"])])
        if place == 0:
            _frame(panel, of_row)
            panel.set_ylabel("training time (s)")
        if of_row.empty:
            _axes.without_numbers(panel)
        if row == rows[-1]:
            panel.set_xlabel("test accuracy")
    _legends.legend(figure, _legends.series_marks(runs, looks))
    return figure, table[COLUMNS]


def _batches(runs: pd.DataFrame, row: tuple) -> list[float]:
    """The batches that were planned of a row."""
    return sorted(_panels.cut(runs, ["workload", "devices"], row)["batch"].unique())


def _levels(runs: pd.DataFrame, epochs: pd.DataFrame) -> pd.DataFrame:
    """The highest median of five epochs up to each epoch, from the fifth on, with its seconds."""
    points = epochs[epochs["run"].isin(runs["run"])].sort_values(["run", "epoch"])
    accuracies = points.groupby("run")["test_acc"]
    medians = accuracies.transform(lambda values: values.rolling(5).median().cummax())
    return points.assign(level=medians).dropna(subset="level")[["run", "train_s", "level"]]


def _table(runs: pd.DataFrame, levels: pd.DataFrame) -> pd.DataFrame:
    """Each configuration's time to the accuracies above the lowest that a workload starts with."""
    lowest = levels.groupby("run")["level"].first().groupby(runs.set_index("run")["workload"]).min()
    accuracies = np.union1d(_ACCURACIES, runs["target"].dropna())
    accuracies = accuracies[accuracies < 1]  # where no error is left there is no logarithm
    parts, of_run = [], dict(iter(levels.groupby("run")))
    for run in runs[runs["workload"].isin(lowest.index)].itertuples():
        own = of_run.get(run.run, levels[:0])
        wanted = accuracies[accuracies >= lowest[run.workload]]
        seconds = np.append(own["train_s"], np.nan)[np.searchsorted(own["level"], wanted)]
        if run.status not in _runs.TRAINED:
            seconds = np.full(len(wanted), np.nan)
        parts.append(pd.DataFrame({"run": run.run, "accuracy": wanted, "s": seconds}))
    table = pd.concat(parts).merge(runs, on="run")
    cell = [*PLACE, "accuracy"]
    table = _medians.add_counts(table, cell, "s")
    table = _medians.add_medians(table[table["reached"] > 0], cell, "s", "train_s")
    table = table.drop_duplicates(cell).sort_values(cell, ignore_index=True)
    # No accuracy is reached before a lower one, also where fewer runs are left to tell.
    place = table.groupby(PLACE, dropna=False)
    lost = table["median_s"].isna().groupby([table[name] for name in PLACE], dropna=False).cummax()
    return table.assign(low_s=place["low_s"].cummax(), median_s=table["median_s"].mask(lost))


def _frame(panel: Axes, of_row: pd.DataFrame) -> None:
    """The axes that a row's panels share."""
    errors = 1 - of_row["accuracy"]
    if errors.empty:
        return
    panel.set_xscale("log")
    panel.set_xlim(1.03 * errors.max(), 0.97 * errors.min())
    _axes.error_ticks(panel.xaxis, errors)
    panel.set_yscale("log")
    ends = pd.concat([of_row["low_s"], of_row["median_s"], of_row["high_s"]])
    ends = ends[np.isfinite(ends)]
    panel.set_ylim(ends.min() / 1.2, ends.max() * 1.2)  # a band without an end leaves the panel
    _axes.log_ticks(panel.yaxis, ends)


def _draw_line(panel: Axes, line: pd.DataFrame, look: dict) -> None:
    shown = line.dropna(subset="median_s")
    last = (shown if len(shown) else line).iloc[-1]
    text = f"{_hover.configuration(last)}: no median"
    # Also where it is empty: by its label the legend knows that of this series none is drawn.
    (drawn,) = panel.plot(1 - shown["accuracy"], shown["median_s"], markevery=0.2, **look)
    if len(shown):
        time = _panels.three_digits(last["median_s"])
        text = f"{_hover.configuration(last)}: {last['accuracy']:.1%} after {time}"
        _hover.tell(drawn, text)
    open_end = 1000 * line["low_s"]
    high = line["high_s"].where(np.isfinite(line["high_s"]), open_end)
    look = {"color": look["color"], "alpha": 0.15, "linewidth": 0}
    _hover.tell(panel.fill_between(1 - line["accuracy"], line["low_s"], high, **look), text)
