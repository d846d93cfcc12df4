"""Hardware and statistical efficiency by learners per device.

Left: images per second of training, all devices together. Middle: epochs until the median of the
last five epochs' test accuracies reached the target. Right: the product of the two, training
seconds until then. Lines join the medians over seeds at one batch of a learner, with the 95%
interval of each as a bar (of up to three seeds their range); small marks are runs. The auto-tuner
is a star just right of the number of learners it ended with. A run that never reached the target is
a hollow triangle, or star, at what it had trained, with a line to where it could be: it counts as
later than that. A cross at the bottom is a run without the number, because it failed, a question
mark one that was planned and not run.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

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
    _stars,
    style,
)
from plots._entries import Entry
from plots._tables import Tables

ROW = ["workload", "devices"]
PLACE = [*ROW, "batch", "learners", "series"]
# By column: the label, and what it is where the target is not reached.
PANELS = {
    "images_per_s": ("throughput (images/s)", ""),
    "median5_epochs": ("epochs to target", "epochs_run"),
    "median5_s": ("training time to target (s)", "train_s"),
}
COLUMNS = [
    *PLACE,
    "lr",
    "learners_final",
    "run",
    "seed",
    "status",
    "epochs_run",
    "train_s",
    *PANELS,
]
COLUMNS += [f"{end}_{column}" for column in PANELS for end in ("median", "low", "high")]

_ASIDE = 2**0.2  # a tuned run's star by the learners it ended with, beside those that were fixed
# Why runs that differ from others in an amount alone have no place here.
LEFT_OUT = "no other number of learners has their settings"


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs of Crossbow that were planned with several numbers of learners."""
    return summary[summary["run"].isin(_chosen(summary)["run"])]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the medians of its configuration."""
    runs = _chosen(tables.summary)
    if runs["images_per_s"].isna().all():
        return _compare.nothing(
            tables.summary, "has a throughput with several numbers of learners", COLUMNS
        )
    table = _table(runs)
    unknown = set(table.loc[table["is_unknown"], "x"])
    looks = style.batch_looks(table["batch"])
    lines = style.variant_looks(table["series"].unique())
    rows = _panels.keys(table, ROW)
    figure, panels = _panels.grid(rows, list(PANELS), (2.9, 2.2), sharex="all")
    for (row, column), panel in panels.items():
        here = _panels.cut(table, ROW, row)
        label, trained = PANELS[column]
        _counts.learner_axis(panel, table["x"])
        panel.xaxis.set_major_formatter(lambda x, _: "auto" if x in unknown else f"{x:g}")
        _draw_panel(panel, here, column, looks, lines)
        amounts = here[column].fillna(here[trained or column])
        panel.set_ylabel(label)
        if column == "median5_epochs":
            _axes.whole_ticks(panel.yaxis)
            _axes.close_up([panel], amounts)
        else:
            _axes.amount_up([panel], amounts)
        if column == "images_per_s":
            _panels.head(panel, _panels.where(*row))
        if row == rows[-1]:
            panel.set_xlabel("learners per device m")
    _legends.legend(figure, _marks(table, looks, lines))
    return figure, table[COLUMNS]


def _chosen(summary: pd.DataFrame) -> pd.DataFrame:
    runs = _runs.prepare(summary)
    alike = [*ROW, "batch", "learners"]
    of_crossbow = runs[runs["system"] == "crossbow"]
    return _compare.name_spread(of_crossbow, alike, over=["learners"], with_learners=False)


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run at its learners, with the medians of its configuration."""
    planned = pd.to_numeric(runs["learners"], errors="coerce")
    # Where a tuned run would end is not known before it ran: beyond all others.
    beyond = 2 * max([1.0, *planned.dropna(), *runs["learners_final"].dropna()])
    is_unknown = _runs.is_planned(runs) & planned.isna()
    x = planned.fillna(runs["learners_final"]).mask(is_unknown, beyond)
    table = runs.assign(x=x, is_unknown=is_unknown)
    for column, (_, trained) in PANELS.items():
        table = _medians.add_medians(table, PLACE, column, trained)
    return table.sort_values([*PLACE, "seed"], kind="stable", ignore_index=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, column: str, looks: dict, lines: dict) -> None:
    trained = PANELS[column][1]
    if trained:
        here = here[here["target"].notna()]
    if trained and here.empty:
        _absent.say(panel, "no target")
    is_tuned = here["learners"] == "auto"
    for (batch, series), members in here[~is_tuned].groupby(["batch", "series"]):
        look = looks[batch] | lines[series]
        _points.line(panel, members, look, column, trained)
    aside = here.assign(x=here["x"].where(_runs.is_planned(here), here["x"] * _ASIDE))
    for (batch, series), members in aside[is_tuned].groupby(["batch", "series"]):
        look = looks[batch] | lines[series]
        _points.mark_planned(panel, members[_runs.is_planned(members)], look)
        _stars.draw(panel, members, _stars.look(look, 8), column, trained)


def _marks(table: pd.DataFrame, looks: dict, lines: dict) -> list[Line2D]:
    marks: list[Line2D] = [Entry(label=f"batch {batch:g}", **look) for batch, look in looks.items()]
    if len(lines) > 1:
        dark = {"color": style.INK}
        marks += [Entry(marker="o", **dark, **look) for look in lines.values()]
    if (table["learners"] == "auto").any():
        marks.append(_legends.grey("auto-tuned", marker="*", markersize=8))
    fixed = table[table["learners"] != "auto"]
    return marks + _points.marks(*((fixed, name, late) for name, (_, late) in PANELS.items()))
