"""Test accuracy over training time.

Each line is the median over seeds of one configuration; every run is a step function that keeps the
accuracy of its last evaluated epoch. Thick, with large marks and the batch b of a learner, is the
best configuration of each system, and of Crossbow with one learner and with several: the one with
the least median time until the median of the last five epochs reached the target. Its band is the
lowest and highest seed. Median and band end with the shortest run: the runs that went on are drawn
one by one, thin. Lines of other systems than Crossbow are dashed. A run that diverged or failed is
left out of the median and drawn up to its last epoch, marked with a cross. Accuracies are spaced by
the logarithm of the error that is left; the dashed grey line is the target.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import _absent, _axes, _best, _hover, _labels, _legends, _panels, _runs, _series, style
from plots._curves import curves, lines, lost
from plots._tables import Tables

CELL = ["workload", "devices", "batch"]
COLUMNS = [*CELL, "series", "is_best", "kind", "run", "runs"]
COLUMNS += ["train_s", "test_acc", "lowest", "highest"]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and every point of its lines."""
    runs = _series.name_series(_runs.prepare(tables.summary), CELL)
    known = curves(tables.epochs)
    if not runs["run"].isin(known).any():
        return _panels.nothing(runs, "has an evaluated epoch", COLUMNS)
    runs = _best.add_best(runs)
    looks = _looks(runs[runs["run"].isin(known)], tables.summary["system"])
    rows, columns = sorted(runs["workload"].unique()), sorted(runs["devices"].unique())
    figure, panels = _panels.grid(rows, columns, (4.4, 2.8), sharex="row", sharey="row")
    drawn = []
    for (workload, devices), panel in panels.items():
        of_row = runs[runs["workload"] == workload]
        here = of_row[of_row["devices"] == devices]
        for (is_best, batch, series), members in here.groupby(["is_best", "batch", "series"]):
            for line in lines(members, known):
                cell = dict(zip(CELL, (workload, devices, batch), strict=True))
                line = line.assign(series=series, is_best=is_best, **cell)
                _draw_line(panel, line.assign(learners=members["learners"].iloc[0]), looks[series])
                drawn.append(line)
        _panels.head_of_row(panel, workload, devices, columns)
        _frame(panel, of_row, known)
        _absent.account(panel, here, here[~here["run"].isin(known)])
        panel.set_ylabel("test accuracy" if devices == columns[0] else "")
        panel.set_xlabel("training time (s)")
    for workload in rows:
        of_row = runs[runs["workload"] == workload]
        planned = [(of_row["devices"] == count).any() for count in columns]
        _absent.blank([panels[workload, count] for count in columns], planned)
    points = pd.concat(drawn, ignore_index=True)
    handles = _legends.series_marks(runs, looks)
    if not (points["is_best"] & (points["kind"] == "median")).all():
        thin = {"marker": "o", "markersize": 2.6, "linestyle": "-", "linewidth": 0.6}
        handles.append(_legends.grey("not the best, or one run", **thin))
    _legends.legend(figure, handles)
    return figure, points[COLUMNS]


def remark(summary: pd.DataFrame, _: pd.DataFrame) -> str:
    """Of how many runs the medians are."""
    return lost(summary)


def _looks(runs: pd.DataFrame, systems: pd.Series) -> dict[str, dict]:
    """Colour and marker of each series, and a line that tells the system in grey."""
    of_series = runs.drop_duplicates("series").set_index("series")["system"]
    others = sorted(set(of_series) - {"crossbow"})
    # Steps of mixed dashes can't be read.
    dashes = {system: (0, (3 + 2 * (turn % 3), 1.2)) for turn, system in enumerate(others)}
    return {
        name: look | {"linestyle": dashes.get(of_series[name], "-")}
        for name, look in style.series_looks(runs, systems).items()
    }


def _frame(panel: Axes, of_row: pd.DataFrame, known: dict) -> None:
    """Axes and target, which are one row's."""
    there = [known[run] for run in of_row["run"] if run in known]
    if not there:
        _axes.without_numbers(panel)
        return
    starts, ends = (pd.Series([seconds[place] for seconds, _ in there]) for place in (0, -1))
    _axes.amount_axis(panel, ends, starts)
    errors = pd.Series(1 - np.concatenate([accuracy for _, accuracy in there]))
    targets = of_row["target"].dropna().unique()
    errors = pd.concat([errors, pd.Series(1 - targets, dtype=float)])
    errors = errors[errors > 0]
    if errors.empty:
        return
    panel.set_yscale("log")
    panel.set_ylim(1.05 * errors.max(), 0.9 * errors.min())
    _axes.error_ticks(panel.yaxis, errors)
    for target in targets:
        panel.axhline(1 - target, color=style.FAINT, linestyle="--", linewidth=0.9, zorder=1)


def _draw_line(panel: Axes, line: pd.DataFrame, look: dict) -> None:
    seconds, error = line["train_s"], 1 - line["test_acc"]
    last = line.iloc[-1]
    kind, is_thick = last["kind"], last["is_best"] and last["kind"] == "median"
    thin = {"markevery": (0.1, 0.3), "markersize": 2.2, "linewidth": 0.5, "alpha": 0.35}
    widths = {"markevery": 0.15, "linewidth": 1.2, "zorder": 3} if is_thick else thin
    (drawn,) = panel.step(seconds, error, where="post", **look | widths)
    time = _panels.three_digits(last["train_s"])
    text = f"{_hover.configuration(last)}: {last['test_acc']:.1%} after {time}"
    _hover.tell(drawn, text if kind == "median" else f"{text} ({last['run']})")
    if is_thick:
        ends = [1 - line[column] for column in ("lowest", "highest")]
        band = {"step": "post", "color": look["color"], "alpha": 0.18, "linewidth": 0}
        _hover.tell(panel.fill_between(seconds, *ends, **band), text)
        end = (last["train_s"], error.iloc[-1])
        _labels.beside(panel, end, f"b={last['batch']:g}", color=look["color"], fontsize=6.5)
    if kind == "failed":
        cross = {"marker": "x", "color": look["color"], "markersize": 6, "linestyle": "none"}
        (end,) = panel.plot(seconds.iloc[-1:], error.iloc[-1:], **cross)
        _hover.tell(end, text)
