"""Training time to the target, split into epochs and throughput.

Time is epochs, times the images of an epoch, by throughput: hardware efficiency up, statistical
efficiency to the left. Both axes are logarithmic, so that configurations along a grey line take the
time that it names, but for what the first epoch takes beyond another, as where connecting devices
is part of it: throughput is the median over epochs after the first. Marks are medians of a
configuration that has one, b the batch of a learner, lines join the batches of a series, dots are
runs; epochs are those until the median of the last five test accuracies reached the target. A
hollow triangle is a run that never did, at the epochs it had trained.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import (
    _absent,
    _axes,
    _equal_time,
    _hover,
    _labels,
    _legends,
    _medians,
    _panels,
    _runs,
    _schedules,
    _series,
    style,
)
from plots._tables import Tables

CELL = ["workload", "devices", "batch"]
PLACE = [*CELL, "system", "learners", "series"]
COLUMNS = [*PLACE, "images_per_epoch", "median_epochs", "low_epochs", "high_epochs"]
COLUMNS += ["median_images_per_s", "low_images_per_s", "high_images_per_s", "reached", "runs"]
COLUMNS += ["run", "seed", "status", "epochs", "epochs_run", "images_per_s"]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the medians of its configuration."""
    runs = _runs.prepare(tables.summary)
    runs = _series.name_series(runs[runs["target"].notna()], CELL)
    table = _table(runs, tables.epochs)
    if table["images_per_s"].isna().all():
        return _panels.nothing(runs, "has a target and an epoch", COLUMNS)
    looks = style.series_looks(table[table["images_per_s"].notna()], tables.summary["system"])
    rows, columns = sorted(table["workload"].unique()), sorted(table["devices"].unique())
    figure, panels = _panels.grid(rows, columns, (3.3, 2.7), sharex="row", sharey="row")
    for (workload, devices), panel in panels.items():
        here = _panels.cut(table, ["workload", "devices"], (workload, devices))
        _panels.head_of_row(panel, workload, devices, columns)
        _draw_panel(panel, here, looks)
        if devices == columns[0]:
            panel.set_ylabel("images/s")
        panel.set_xlabel("epochs to target" if workload == rows[-1] else "")
    for workload in rows:
        of_row = table[table["workload"] == workload]
        for devices in columns:
            _frame(panels[workload, devices], of_row)
        planned = [(of_row["devices"] == devices).any() for devices in columns]
        _absent.blank([panels[workload, devices] for devices in columns], planned)
    kinds = [
        _legends.grey("a run", marker=".", markersize=3),
        _legends.grey("target not reached", marker=">", markerfacecolor="white"),
    ]
    handles = [*_legends.series_marks(table, looks), *_legends.drawn_kinds(figure, kinds)]
    _legends.legend(figure, handles)
    return figure, table[COLUMNS]


def remark(summary: pd.DataFrame, _: pd.DataFrame) -> str:
    """What the planned epochs and the schedule mean for the epochs to the target."""
    return _schedules.budget(summary)


def _table(runs: pd.DataFrame, epochs: pd.DataFrame) -> pd.DataFrame:
    """Each run's two factors, with the medians and the counts of its configuration."""
    last = epochs.sort_values("epoch").drop_duplicates("run", keep="last").set_index("run")
    table = runs.drop(columns="epochs").rename(columns={"median5_epochs": "epochs"})
    table["images_per_epoch"] = table["run"].map(last["images"] / last["epoch"])
    table = _medians.add_medians(table, PLACE, "epochs", "epochs_run")
    table = _medians.add_medians(table, PLACE, "images_per_s")
    table = _medians.add_counts(table, PLACE, "epochs")
    return table.sort_values([*PLACE, "seed"], kind="stable", ignore_index=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, looks: dict) -> None:
    for series, members in here[here["series"].isin(looks)].groupby("series"):
        look = looks[series] | {"markeredgecolor": "white", "mew": 0.4, "linewidth": 0.9}
        dots = style.named(look) | {"marker": ".", "markersize": 3, "linestyle": "none"}
        there = members.dropna(subset=["epochs", "images_per_s"])
        (small,) = panel.plot(there["epochs"], there["images_per_s"], zorder=4, **dots)
        _hover.tell(small, _hover.values(there, "epochs"))
        late = members[members["epochs"].isna() & (members["epochs_run"] > 0)]
        late = late.dropna(subset="images_per_s")
        hollow = dots | {"marker": ">", "markerfacecolor": "white", "markersize": 4}
        (marks,) = panel.plot(late["epochs_run"], late["images_per_s"], **hollow)
        _hover.tell(marks, _hover.unreached(late, "epochs_run"))
        cells = members.drop_duplicates("batch").sort_values("batch")
        (line,) = panel.plot(
            cells["median_epochs"], cells["median_images_per_s"], **look | {"marker": ""}
        )
        known = cells.dropna(subset=["median_epochs", "median_images_per_s"])
        texts = [_value(one) for one in known.itertuples()]
        _hover.tell(line, _hover.along(texts, [f"b={batch:g}" for batch in known["batch"]]))
        for one in known.itertuples():
            (mark,) = panel.plot(one.median_epochs, one.median_images_per_s, markersize=5.5, **look)
            _hover.tell(mark, _value(one))
            where, is_left = (one.median_epochs, one.median_images_per_s), one.system == "crossbow"
            _labels.beside(panel, where, f"b={one.batch:g}", is_left, color=style.INK)
    _absent.account(panel, here, here[here["images_per_s"].isna()])


def _value(one) -> str:
    """What a mark stands for, in words."""
    seconds = one.median_epochs * one.images_per_epoch / one.median_images_per_s
    factors = f"{one.median_epochs:g} epochs at {one.median_images_per_s:.0f} images/s"
    return f"{_hover.configuration(one)}: {factors}, {_panels.three_digits(seconds)}"


def _frame(panel: Axes, of_row: pd.DataFrame) -> None:
    """Logarithmic axes around all of a row, and lines of equal time."""
    x = of_row["epochs"].fillna(of_row["epochs_run"])
    x, y = x[x > 0], of_row["images_per_s"].dropna()
    if x.empty or y.empty:
        _axes.without_numbers(panel)
        return
    panel.set(xscale="log", yscale="log")
    room = np.clip((x.max() / x.min()) ** 0.3, 1.06, 1.25)
    panel.set_xlim(x.min() / room, x.max() * room)
    below = max(1.4, (y.max() / y.min()) ** 0.25)  # for what is said at the bottom
    panel.set_ylim(y.min() / below, y.max() * 1.4)
    _axes.log_ticks(panel.xaxis, x, whole=True)
    _axes.log_ticks(panel.yaxis, y)
    images = of_row["images_per_epoch"].median()
    if pd.notna(images):  # else no epoch of these runs is told
        _equal_time.draw(panel, images, y.min() / 1.4)
