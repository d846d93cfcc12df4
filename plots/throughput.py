"""Training throughput by learners per device.

Images per second of training, all devices together, as the median over epochs after the first.
Small marks are runs, lines join the medians over seeds of Crossbow at one batch of a learner, thin
upright lines are their 95% intervals (of up to three seeds the range). The auto-tuner is a star
just right of the number of learners it ended with. Baselines stand to the right, a dashed line
carries the fastest of each across. Throughput alone is compared: the fastest may be one that never
reaches the target accuracy. A cross at the bottom is a configuration with a run that has no
throughput, because it failed, a question mark one with a run that was planned and not run.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import (
    _absent,
    _axes,
    _hover,
    _legends,
    _medians,
    _panels,
    _points,
    _runs,
    _series,
    _slots,
    _stars,
    style,
)
from plots._tables import Tables

ROW = ["workload", "devices"]
CELL = [*ROW, "batch"]
PLACE = [*CELL, "system", "learners", "series"]
COLUMNS = [*PLACE, "slot", "median_images_per_s", "low_images_per_s", "high_images_per_s"]
COLUMNS += ["run", "seed", "status", "images_per_s"]
_WIDE = 12.0  # inches that numbers of devices may take side by side


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the median of its configuration."""
    runs = _runs.prepare(tables.summary)
    runs = _series.name_series(runs, [*CELL, "learners"], with_learners=False)
    if runs["images_per_s"].isna().all():
        return _panels.nothing(runs, "has a throughput", COLUMNS)
    table = _table(runs)
    slots = _slots.of_workloads(table)
    looks = style.batch_looks(table["batch"])
    of_crossbow = table["system"] == "crossbow"
    lines = style.variant_looks(table.loc[of_crossbow, "series"].unique())
    hues = style.hues(tables.summary["system"])
    wide, below = _slots.size(slots.values())
    places = {workload: _slots.in_turn(own, wide) for workload, own in slots.items()}
    span = _slots.span(places.values())
    size = (max(2.6, _slots.width(span, _slots.STEP)), 2.3)
    devices = sorted(table["devices"].unique())
    if size[0] * len(devices) <= _WIDE:
        rows, columns = sorted(table["workload"].unique()), devices
        cells = [(row, count) for row in rows for count in columns]
    else:
        rows, columns = _panels.keys(table, ROW), [""]
        cells = rows
    figure, grid = _panels.grid(rows, columns, size, (0, below))
    panels = dict(zip(cells, grid.values(), strict=True))
    lowest = dict(cells)  # the last number of devices of each workload
    for (workload, count), panel in panels.items():
        own = table[table["workload"] == workload]
        here = own[own["devices"] == count]
        is_first = count == devices[0] or rows == cells
        _panels.head_of_row(panel, workload, count, [count] if rows == cells else columns)
        _slots.frame(panel, places[workload], _slots.STEP, span)
        panel.tick_params(labelbottom=len(columns) > 1 or count == lowest[workload])
        here = here.assign(x=here["slot"].map(places[workload]))
        _draw_panel(panel, here, looks, lines, hues)
        _axes.amount_up([panel], own["images_per_s"])
        if is_first:
            panel.set_ylabel("images/s")
        else:
            panel.tick_params(labelleft=False)
    for panel in list(panels.values())[-len(columns) :]:
        panel.set_xlabel("Crossbow: learners per device")
    for place in range(0, len(cells), len(columns)):
        planned = [len(_panels.cut(table, ROW, cell)) > 0 for cell in cells[place:][: len(columns)]]
        _absent.blank(list(panels.values())[place:][: len(columns)], planned)
    _legends.legend(figure, _marks(table, looks, lines, hues))
    return figure, table[COLUMNS]


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's throughput, the median of its configuration, and its place along the axis."""
    table = _medians.add_medians(runs, PLACE, "images_per_s")
    table = table.assign(slot=[_slots.slot(run) for run in runs.itertuples()])
    order = [*CELL, "system", "series", "learners", "seed"]
    return table.sort_values(order, kind="stable").reset_index(drop=True)


def _draw_panel(
    panel: Axes, here: pd.DataFrame, looks: dict, lines: dict, hues: dict[str, str]
) -> None:
    gone = here["images_per_s"].isna() & (here["learners"] == "auto")
    _absent.along_bottom(panel, here[gone | _runs.is_planned(here)], looks)
    here = here[~_runs.is_planned(here)]
    is_crossbow, is_auto = here["system"] == "crossbow", here["learners"] == "auto"
    # Series of several ways to keep learners together stand side by side.
    turns = _points.turns(here[is_crossbow], list(lines)).reindex(here.index, fill_value=0)
    here = here.assign(x=here["x"] + 0.12 * turns)
    for (batch, series), members in here[is_crossbow & ~is_auto].groupby(["batch", "series"]):
        _points.line(panel, members, looks[batch] | lines[series], "images_per_s")
    aside = here.assign(x=here["x"] + 0.25)  # lest the star hides what was fixed
    for (batch, series), members in aside[is_auto].groupby(["batch", "series"]):
        star = _stars.look(looks[batch] | lines.get(series, {}))
        _stars.draw(panel, members, star, "images_per_s")
    for system, members in here[~is_crossbow].groupby("system"):
        level = {"color": hues[system], "linestyle": "--", "linewidth": 0.9, "zorder": 1}
        fastest = members.nlargest(1, "median_images_per_s")
        across = panel.axhline(members["median_images_per_s"].max(), **level)
        _hover.tell(across, _hover.medians(fastest, "images_per_s"))
        for batch, same in members.groupby("batch"):
            _points.line(panel, same, looks[batch] | {"linestyle": "none"}, "images_per_s")


def _marks(table: pd.DataFrame, looks: dict, lines: dict, hues: dict[str, str]) -> list[Line2D]:
    marks = _slots.marks(table, looks, lines)
    if ((table["system"] == "crossbow") & (table["learners"] == "auto")).any():
        marks.append(_legends.grey("auto-tuned", marker="*", markersize=9))
    for system in sorted(set(table["system"]) - {"crossbow"}):
        label = f"fastest {style.title(system)}"
        marks.append(Line2D([], [], color=hues[system], linestyle="--", linewidth=0.9, label=label))
    if (table["images_per_s"].isna() & ~_runs.is_planned(table)).any():
        marks.append(_legends.grey("failed", marker="x", markersize=5))
    return marks
