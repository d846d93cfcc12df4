"""Statistical efficiency: epochs to the target accuracy by batch.

Epochs until the median of the last five epochs' test accuracies reached the target. Of each model,
top: by the batch of a learner; below: by the images of one step of the whole system, devices ×
learners × batch of a learner (for the auto-tuner, the learners it ended with). Small marks are
runs, lines join the medians over seeds, with the 95% interval of each as a bar (of up to three
seeds their range); those at one batch stand side by side around its tick. A run that never reached
the target is a hollow triangle at the epochs it ran, and counts as later than that: no median where
the runs that reached it show none. A run that failed is left out. A cross at the bottom is a run
that failed or ended before an epoch, a question mark one that was planned and not run.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import (
    _absent,
    _axes,
    _counts,
    _legends,
    _medians,
    _panels,
    _points,
    _runs,
    _schedules,
    _series,
    style,
)
from plots._tables import Tables

CELL = ["workload", "devices", "batch"]
PLACE = [*CELL, "system", "learners", "series"]
COLUMNS = [
    *PLACE,
    "total_batch",
    "median_total_batch",
    "median_epochs",
    "low_epochs",
    "high_epochs",
]
COLUMNS += ["reached", "runs", "run", "seed", "status", "epochs", "epochs_run"]
# By column: the label of an axis.
AXES = {"batch": "batch of a learner (images)", "median_total_batch": "total batch (images a step)"}


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the median of its configuration."""
    runs = _runs.prepare(tables.summary)
    runs = _series.name_series(runs[runs["target"].notna()], CELL)
    table = _table(runs)
    is_placed = table["total_batch"].notna() & (table["epochs_run"] > 0)
    if not is_placed.any():
        return _panels.nothing(runs, "has a target and an epoch", COLUMNS)
    looks = style.series_looks(runs[~_runs.is_planned(runs)], tables.summary["system"])
    workloads, devices = sorted(table["workload"].unique()), sorted(table["devices"].unique())
    rows = [(workload, column) for workload in workloads for column in AXES]
    figure, panels = _panels.grid(rows, devices, (3.1, 2.3), sharex="row", sharey="row")
    for ((workload, column), count), panel in panels.items():
        here = table[(table["workload"] == workload) & (table["devices"] == count)]
        if column == "batch":
            _panels.head_of_row(panel, workload, count, devices)
        panel.set_xscale("log", base=2)
        _axes.whole_ticks(panel.yaxis)
        known = table.loc[table["workload"] == workload, column].dropna()
        _counts.count_ticks(panel.xaxis, known)
        _draw_panel(panel, here, column, looks, _counts.least_step(known))
        panel.set_xlabel(AXES[column])
        if count == devices[0]:
            panel.set_ylabel("epochs to target")
    for workload in workloads:
        of_row = table[table["workload"] == workload]
        both = [panel for (row, _), panel in panels.items() if row[0] == workload]
        _axes.close_up(both, of_row["epochs"].fillna(of_row["epochs_run"]))
        planned = [(of_row["devices"] == count).any() for count in devices]
        for column in AXES:
            _absent.blank([panels[(workload, column), count] for count in devices], planned)
    _legends.legend(figure, _marks(looks, table))
    return figure, table[COLUMNS]


def remark(summary: pd.DataFrame, _: pd.DataFrame) -> str:
    """What the planned epochs and the schedule mean for the epochs to the target."""
    return _schedules.budget(summary)


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's epochs and total batch, with the median and the counts of its configuration."""
    planned = pd.to_numeric(runs["learners"], errors="coerce")
    learners = planned.fillna(runs["learners_final"])
    table = runs.drop(columns="epochs").rename(columns={"median5_epochs": "epochs"})
    table["total_batch"] = runs["devices"] * learners * runs["batch"]
    total = table.groupby(PLACE, dropna=False)["total_batch"]
    table["median_total_batch"] = total.transform("median")
    table = _medians.add_counts(table, PLACE, "epochs")
    table = _medians.add_medians(table, PLACE, "epochs", "epochs_run")
    return table.sort_values([*PLACE, "seed"], kind="stable").reset_index(drop=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, column: str, looks: dict, step: float) -> None:
    """`step` is how many doublings the next batch is away."""
    made = here[~_runs.is_planned(here) & here["series"].isin(looks)]
    made = made.assign(x=made[column]).dropna(subset="x")
    # Series that meet at one batch stand side by side, as far as there is room.
    turns = _points.turns(made, list(looks))
    several = 1 + 2 * turns.groupby(made["x"]).transform("max")
    made = made.assign(x=made["x"] * 2 ** (turns * (0.8 * step / several).clip(upper=0.11)))
    for name, members in made.groupby("series"):
        _points.line(panel, members, looks[name], "epochs", "epochs_run")
    # Of many series that were planned at one batch, one mark is enough.
    planned = here.assign(x=here[column])[_runs.is_planned(here)].dropna(subset="x")
    _points.mark_planned(panel, planned, {"color": style.INK})
    _absent.note(panel, here[here[column].isna()], above=0.14)


def _marks(looks: dict, table: pd.DataFrame) -> list[Line2D]:
    lines = _legends.series_marks(table, looks)
    return lines + _points.marks((table, "epochs", "epochs_run"))
