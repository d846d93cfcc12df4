"""Hardware efficiency: throughput and speed-up over devices.

Top: images per second of training, all devices together, as the median over epochs after the first.
Below: how many times that of one device with the same settings and seed it is. The dashed line is
the ideal, one device's throughput times the devices; the dotted ones are scaling efficiencies below
it. The batch is that of a learner, and stays as devices are added (weak scaling). Lines join the
medians over seeds, with the 95% interval of each as a bar (of up to three seeds their range); small
marks are runs. A cross at the bottom is a run without the number, because it or that on one device
failed; a question mark one that was planned, but it or that on one device was not run. Synchronous
SGD whose learning rate rises with the devices, as the batch of them all does, is one series: the
rate does not change the throughput. What else was planned on one number of devices alone, or on
each at another learning rate, is left to the figure of throughput.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import (
    _absent,
    _axes,
    _compare,
    _counts,
    _legends,
    _medians,
    _panels,
    _points,
    _runs,
    _series,
    style,
)
from plots._tables import Tables

CELL = ["workload", "batch"]
PLACE = [*CELL, "system", "learners", "series", "devices"]
COLUMNS = [*PLACE, "median_images_per_s", "low_images_per_s", "high_images_per_s"]
COLUMNS += ["median_speed_up", "low_speed_up", "high_speed_up", "median_efficiency"]
COLUMNS += ["run", "seed", "status", "images_per_s", "speed_up", "efficiency"]
PANELS = {"images_per_s": "images/s", "speed_up": "speed-up over one device"}
EFFICIENCIES = {1.0: "--", 0.75: ":", 0.5: ":"}


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs of what was planned on several numbers of devices."""
    return summary[summary["run"].isin(_chosen(summary)["run"])]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the medians of its configuration."""
    runs = _chosen(tables.summary)
    if runs["images_per_s"].isna().all():
        return _compare.nothing(
            tables.summary, "has a throughput on several numbers of devices", COLUMNS
        )
    table, looks = _table(runs), style.series_looks(runs, tables.summary["system"])
    shifts = _points.side_by_side(list(looks))
    batches = {
        workload: sorted(same["batch"].unique()) for workload, same in table.groupby("workload")
    }
    rows = [(workload, column) for workload in batches for column in PANELS]
    places = range(max(len(sizes) for sizes in batches.values()))
    figure, panels = _panels.grid(rows, places, (2.7, 2.1), sharey="row")
    for ((workload, column), place), panel in panels.items():
        if place >= len(batches[workload]):
            panel.set_visible(False)
            continue
        batch = batches[workload][place]
        here = _panels.cut(table, CELL, (workload, batch))
        if column == "images_per_s":
            _panels.head(panel, "" if place else workload, f"batch {batch:g}")
        _counts.learner_axis(panel, table["devices"])
        if place == 0:
            panel.set_ylabel(PANELS[column])
        panel.tick_params(labelbottom=column == "speed_up")
        if column == "speed_up":
            panel.set_xlabel("devices")
            _frame_speed_up(panel, here, table["devices"])
        for series, members in here.groupby("series"):
            aside = shifts[series] if column == "images_per_s" else 1  # lest it pass the ideal
            at = members.assign(x=members["devices"] * aside)
            _points.line(panel, at, looks[series], column)
    for workload, sizes in batches.items():
        rates = table.loc[table["workload"] == workload, "images_per_s"]
        of_row = [panels[(workload, "images_per_s"), place] for place in range(len(sizes))]
        _axes.amount_up(of_row, rates)
    lines = _legends.series_marks(table, looks)
    lines += _points.marks((table, "images_per_s", ""))
    _legends.legend(figure, lines)
    return figure, table[COLUMNS]


def _chosen(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs that others differ from in their devices alone, named alike along them."""
    runs = _with_rising_rates(_runs.prepare(summary))
    return _series.name_series(_compare.varied(runs, "devices"), CELL)


def _with_rising_rates(runs: pd.DataFrame) -> pd.DataFrame:
    """No `lr` where synchronous SGD has one on each number of devices, and a higher one on more."""
    rest = [name for name in _series.SETTINGS if name in runs and name not in ("devices", "lr")]
    rising = pd.Series(False, runs.index)
    for _, alike in runs[runs["system"] != "crossbow"].groupby(rest, dropna=False):
        pairs = alike[["devices", "lr"]].drop_duplicates().sort_values("devices")
        if pairs["devices"].is_unique and pairs["lr"].is_monotonic_increasing:
            rising[alike.index] = pairs["lr"].is_unique
    return runs.assign(lr=runs["lr"].mask(rising))


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's throughput and speed-up, with the medians of its configuration."""
    alike = [*CELL, "series"]
    one = runs[runs["devices"] == 1]
    table = runs.assign(
        speed_up=_compare.relative(runs, one, alike),
        status_speed_up=_compare.ending(runs, one, alike),
    )
    table = table.assign(efficiency=table["speed_up"] / table["devices"])
    for column in PANELS:
        table = _medians.add_medians(table, PLACE, column)
    table = table.assign(median_efficiency=table["median_speed_up"] / table["devices"])
    return table.sort_values([*PLACE, "seed"], kind="stable", ignore_index=True)


def _frame_speed_up(panel: Axes, here: pd.DataFrame, devices: pd.Series) -> None:
    """The ideal and what is below it, on axes that both count devices."""
    most = devices.max()
    panel.set_yscale("log", base=2)
    _counts.count_ticks(panel.yaxis, devices)
    panel.set_ylim(min(0.4, 0.8 * here["speed_up"].min()), 1.4 * most)
    for efficiency, line in EFFICIENCIES.items():
        ends = [efficiency, efficiency * most]
        panel.plot([1, most], ends, color=style.FAINT, linestyle=line, linewidth=0.9, zorder=1)
        if most > 1:
            at = {"fontsize": 6, "color": style.FAINT, "va": "center"}
            panel.text(1.05 * most, ends[1], f"{100 * efficiency:g}%", **at)
    if 1 not in set(here["devices"]):
        _absent.say(panel, "nothing on one device")
    elif here["speed_up"].isna().all():
        _absent.say(panel, "no pair with one device")
