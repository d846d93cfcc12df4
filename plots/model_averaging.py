"""Synchronous model averaging against elastic averaging and synchronous SGD.

Runs of Crossbow's engine with the same learners and batch that differ in how learners are kept
together. Left: test accuracy over epochs, the median over seeds with its lowest and highest seed as
a band, as far as all seeds got that neither diverged nor failed; the dashed grey line is the
target. Right: training seconds until the median of the last five epochs' test accuracies reached
the target. Filled marks are runs, the upright bar is their median, the line its 95% interval (of up
to three seeds their range). A run that never reached the target is a hollow triangle at the time it
had trained, and counts as later than that. A run that failed is left out; a question mark at the
edge is one that was planned and not run.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import (
    _absent,
    _averaging,
    _axes,
    _compare,
    _curves,
    _hover,
    _legends,
    _medians,
    _panels,
    _points,
    _runs,
    _series,
    style,
)
from plots._entries import Entry
from plots._tables import Tables

ROW = ["workload", "devices", "batch", "learners", "tau"]
PLACE = [*ROW, "variant", "series"]
COLUMNS = [*PLACE, "kind", "epoch", "median_acc", "lowest_acc", "highest_acc", "runs"]
COLUMNS += ["median_s", "low_s", "high_s", "run", "seed", "status", "time_s", "trained_s"]


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs that others differ from in the variant, and what follows from it."""
    return summary[summary["run"].isin(_chosen(summary)["run"])]


def remark(summary: pd.DataFrame, table: pd.DataFrame) -> str:
    """Of how many runs the medians of accuracy are, and what of the title was not planned."""
    lacking = [name for name in ("ea-sgd", "ssgd") if not table["variant"].eq(name).any()]
    titles = " nor ".join(_averaging.variant_title(name) for name in lacking)
    planned = f"Nothing was planned with {titles}." if lacking and len(table) else ""
    return " ".join(said for said in (_curves.lost(summary), planned) if said)


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row an epoch of a configuration, or a run with its time."""
    runs = _chosen(tables.summary)
    if runs.empty:
        return _compare.nothing(tables.summary, "averaged its learners in several ways", COLUMNS)
    times = runs.rename(columns={"median5_s": "time_s", "train_s": "trained_s"})
    times = _medians.add_medians(times, PLACE, "time_s", "trained_s", "s").assign(kind="time")
    times = _medians.add_counts(times, PLACE, "time_s").rename(columns={"runs": "counted"})
    accuracies = _accuracies(runs, tables.epochs)
    rows = _panels.keys(runs, ROW)
    figure, panels = _panels.grid(rows, ["accuracy", "time"], (3.1, 1.9), (1.3, 0))
    for row in rows:
        left, right = panels[row, "accuracy"], panels[row, "time"]
        own = _panels.cut(times, ROW, row)
        _draw_accuracy(left, _panels.cut(accuracies, ROW, row), own["target"])
        _absent.mark_not_run(left, own)
        _panels.head(left, _panels.where(*row[:2], _shape(row)))
        left.set_ylabel("test accuracy")
        _draw_times(right, own)
    panels[rows[-1], "accuracy"].set_xlabel("epochs")
    panels[rows[-1], "time"].set_xlabel("training time to target (s)")
    lines = [
        Entry(**_averaging.variant_look(name)) for name in _averaging.in_order(runs["variant"])
    ]
    marks = _legends.run_marks(figure, "ended before an epoch")
    if (times["low_s"] < times["high_s"]).any():
        marks.append(_legends.grey("interval of the median", marker="_", markersize=11))
    _legends.legend(figure, [*lines, *marks])
    return figure, pd.concat([accuracies, times], ignore_index=True).reindex(columns=COLUMNS)


def _chosen(summary: pd.DataFrame) -> pd.DataFrame:
    runs = _runs.prepare(summary)
    # Momentum follows: Algorithm 1 has none of its own.
    follows = ("alpha", "mu", "momentum")
    differ = _compare.varied(runs[runs["system"] == "crossbow"], "variant", follows)
    alike = [*ROW, "variant"]
    return _series.name_series(differ, alike, with_learners=False, untold=["variant"])


def _accuracies(runs: pd.DataFrame, epochs: pd.DataFrame) -> pd.DataFrame:
    """One row an epoch that all trained runs of a configuration have evaluated."""
    trained = runs[runs["status"].isin(_runs.TRAINED)]
    points = epochs[["run", "epoch", "test_acc"]].merge(trained[[*PLACE, "run"]], on="run")
    planned = trained.groupby(PLACE, dropna=False)["run"].transform("size")
    points = points.merge(trained[["run"]].assign(planned=planned), on="run")
    of_epoch = points.groupby([*PLACE, "epoch", "planned"], dropna=False)["test_acc"]
    table = of_epoch.agg(
        median_acc="median", lowest_acc="min", highest_acc="max", runs="count"
    ).reset_index()
    return table[table["runs"] == table["planned"]].assign(kind="accuracy")


def _shape(row: tuple) -> str:
    """Learners and batch of a row, and its tau where that is not 1."""
    *_, batch, learners, tau = row
    interval = "" if tau in ("", "1") else f", τ {_averaging.tau_title(tau)}"
    return f"m={learners}, batch {batch:g}{interval}"


def _draw_accuracy(panel: Axes, here: pd.DataFrame, targets: pd.Series) -> None:
    _axes.whole_ticks(panel.xaxis)
    panel.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    for target in targets.dropna().unique():
        panel.axhline(target, color=style.FAINT, linestyle="--", linewidth=0.9, zorder=1)
    for (variant, _), points in here.groupby(["variant", "series"]):
        look = _averaging.variant_look(variant)
        (line,) = panel.plot(points["epoch"], points["median_acc"], markevery=0.2, **look)
        band = {"color": look["color"], "alpha": 0.18, "linewidth": 0}
        ends = points["lowest_acc"], points["highest_acc"]
        last = points.iloc[-1]
        text = f"{_hover.configuration(last)}: {last['median_acc']:.1%} in epoch {last['epoch']:g}"
        _hover.tell(line, f"{text}, {_averaging.variant_title(variant)}")
        _hover.tell(panel.fill_between(points["epoch"], *ends, **band), text)


def _draw_times(panel: Axes, here: pd.DataFrame) -> None:
    turns = here["variant"].map(_averaging.in_order(here["variant"]).index)
    names = []
    for place, (_, members) in enumerate(here.groupby([turns, "series"])):
        variant, series = members[["variant", "series"]].iloc[0]
        names.append(_averaging.variant_title(variant) + series.removeprefix("Crossbow"))
        look = _averaging.variant_look(variant)
        _points.row(panel, place, members, look, "time_s", "trained_s", "s")
        one = members.iloc[0]
        time = _panels.three_digits(one["median_s"])
        note = _panels.outcome(time, one["reached"], one["counted"], _runs.failures(members))
        _panels.note_beside(panel, place, note)
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.grid(axis="y", visible=False)
    _axes.amount_axis(panel, here["time_s"].fillna(here["trained_s"]))
