"""Epochs to the target accuracy by total batch.

Epochs until the median of the last five epochs' test accuracies reached the target, against the
images of one step of the whole system: devices × learners × batch of a learner (for the
auto-tuner, the learners it ended with). Small marks are runs, lines join the medians over seeds.
A run that never reached the target is a hollow triangle at the epochs it ran, and counts as
infinitely late: no median where half of the runs or more did not reach it. A cross at the bottom
is a run that ended before an epoch.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from plots import _axes, _panels, _runs, style
from plots._tables import Tables

CELL = ["workload", "devices", "batch"]
PLACE = [*CELL, "system", "learners", "series"]
COLUMNS = [*PLACE, "total_batch", "median_epochs", "median_total_batch", "reached", "runs", "run"]
COLUMNS += ["seed", "status", "epochs", "epochs_run"]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the median of its configuration."""
    runs = _runs.prepare(tables.summary)
    runs = _runs.name_series(runs[runs["target"].notna()], CELL)
    table = _table(runs)
    is_placed = table["total_batch"].notna() & (table["epochs_run"] > 0)
    if not is_placed.any():
        why = _runs.why_none(runs, "has a target and an epoch")
        return _panels.nothing_to_show(why), pd.DataFrame(columns=COLUMNS)
    looks = style.series_looks(runs)
    workloads, devices = sorted(table["workload"].unique()), sorted(table["devices"].unique())
    figure, panels = _panels.grid(workloads, devices, (3.1, 2.5), sharex="all", sharey="row")
    for (workload, count), panel in panels.items():
        here = table[(table["workload"] == workload) & (table["devices"] == count)]
        panel.set_title(_panels.devices_title(count))
        panel.set_xscale("log", base=2)
        panel.xaxis.set_major_locator(LogLocator(base=2, numticks=8))
        panel.xaxis.set_minor_locator(NullLocator())
        panel.xaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_major_locator(MaxNLocator(integer=True))
        panel.margins(y=0.1)
        _draw_panel(panel, here, looks)
        if count == devices[0]:
            panel.set_ylabel(_panels.side_title(workload, "", "epochs to target"))
        if workload == workloads[-1]:
            panel.set_xlabel("total batch (images a step)")
    _axes.start_at_zero(panels)
    _panels.legend(figure, _marks(looks, table))
    return figure, table[COLUMNS]


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's epochs and total batch, with the median and the counts of its configuration."""
    planned = pd.to_numeric(runs["learners"], errors="coerce")
    learners = planned.fillna(runs["learners_final"])
    table = runs.drop(columns="epochs").rename(columns={"median5_epochs": "epochs"})
    table["total_batch"] = runs["devices"] * learners * runs["batch"]
    group = table.groupby(PLACE, dropna=False)
    table["median_epochs"] = group["epochs"].transform(_runs.median_reached)
    table["median_total_batch"] = group["total_batch"].transform("median")
    table["reached"] = group["epochs"].transform("count")
    table["runs"] = group["run"].transform("size")
    return table.sort_values([*PLACE, "seed"], kind="stable").reset_index(drop=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, looks: dict) -> None:
    if here.empty:
        _panels.mark_not_run(panel)
    names = [name for name in looks if name in set(here["series"])]
    for place, name in enumerate(names):
        # Series that meet at one total batch stand side by side.
        shift = 2 ** (0.08 * (place - (len(names) - 1) / 2))
        members = here[here["series"] == name].assign(
            x=lambda rows, s=shift: rows["total_batch"] * s
        )
        _draw_series(panel, members, looks[name], shift)
    _panels.note(panel, here[here["total_batch"].isna()])


def _draw_series(panel: Axes, members: pd.DataFrame, look: dict, shift: float) -> None:
    medians = members.drop_duplicates("batch").sort_values("batch")
    panel.plot(medians["median_total_batch"] * shift, medians["median_epochs"], **look)
    small = look | {"linestyle": "none", "markersize": 2.5, "alpha": 0.7}
    panel.plot(members["x"], members["epochs"], **small)
    late = members[members["epochs"].isna()]
    trained = late[late["epochs_run"] > 0]
    hollow = {"marker": "^", "markerfacecolor": "white", "linestyle": "none", "markersize": 5}
    panel.plot(trained["x"], trained["epochs_run"], **(hollow | {"color": look["color"]}))
    untrained = late.drop(trained.index)["x"].dropna()
    edge = {"transform": panel.get_xaxis_transform(), "clip_on": False, "linestyle": "none"}
    if len(untrained):
        panel.plot(untrained, [0.03] * len(untrained), marker="x", color=look["color"], **edge)


def _marks(looks: dict, table: pd.DataFrame) -> list[Line2D]:
    marks = [Line2D([], [], label=name, **look) for name, look in looks.items()]
    late = table[table["epochs"].isna()]
    if (late["epochs_run"] > 0).any():
        marks.append(_panels.grey("target not reached", marker="^", markerfacecolor="white"))
    if not (late["epochs_run"] > 0).all():
        marks.append(_panels.grey("ended before an epoch", marker="x"))
    return marks
