"""Test accuracy over training time.

Each line is the median over seeds of one configuration, the band its lowest and highest seed;
every run is a step function that keeps the accuracy of its last evaluated epoch. Median and band
end with the shortest run: the runs that went on are drawn one by one, thin. A run that diverged
or failed is left out of the median and drawn up to its last epoch, marked with a cross. The
dashed grey line is the target. Panels of a row are batch sizes of one learner, rows numbers of
devices.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from plots import _axes, _hover, _panels, _runs, style
from plots._curves import curves, lines
from plots._tables import Tables

CELL = ["workload", "devices", "batch"]
COLUMNS = [*CELL, "series", "kind", "run", "runs", "train_s", "test_acc", "lowest", "highest"]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and every point of its lines."""
    runs = _runs.name_series(_runs.prepare(tables.summary), CELL)
    known = curves(tables.epochs)
    if not runs["run"].isin(known).any():
        why = _runs.why_none(runs, "has an evaluated epoch")
        return _panels.nothing_to_show(why), pd.DataFrame(columns=COLUMNS)
    looks = style.series_looks(runs)
    rows = _panels.keys(runs, ["workload", "devices"])
    batches = {name: sorted(own["batch"].unique()) for name, own in runs.groupby("workload")}
    columns = range(max(map(len, batches.values())))
    figure, panels = _panels.grid(rows, columns, (2.6, 2.1), sharex="row", sharey="row")
    drawn = []
    for (row, column), panel in panels.items():
        if column >= len(batches[row[0]]):
            panel.set_visible(False)
            continue
        batch = batches[row[0]][column]
        of_row = runs[(runs["workload"] == row[0]) & (runs["devices"] == row[1])]
        here = of_row[of_row["batch"] == batch]
        _frame(panel, of_row, known)
        panel.set_title(f"batch {batch:g}")
        if column == 0:
            panel.set_ylabel(
                _panels.side_title(row[0], _panels.devices_title(row[1]), "", "test accuracy")
            )
        if row == rows[-1]:
            panel.set_xlabel("training time (s)")
        if here.empty:
            _panels.mark_not_run(panel)
        for series, members in here.groupby("series"):
            for line in lines(members, known):
                line = line.assign(series=series, **dict(zip(CELL, (*row, batch), strict=True)))
                _draw_line(panel, line, looks[series])
                drawn.append(line)
        _panels.note(panel, here[~here["run"].isin(known)])
    _panels.legend(figure, [Line2D([], [], label=name, **look) for name, look in looks.items()])
    return figure, pd.concat(drawn, ignore_index=True)[COLUMNS]


def _frame(panel: Axes, of_row: pd.DataFrame, known: dict) -> None:
    """Axes and target, which are one row's."""
    times = [known[run][0] for run in of_row["run"] if run in known]
    starts, ends = ([seconds[place] for seconds in times] for place in (0, -1))
    _axes.amount_axis(panel, pd.Series(ends), pd.Series(starts))
    panel.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    for target in of_row["target"].dropna().unique():
        panel.axhline(target, color=style.FAINT, linestyle="--", linewidth=0.9, zorder=1)


def _draw_line(panel: Axes, line: pd.DataFrame, look: dict) -> None:
    seconds, accuracy = line["train_s"], line["test_acc"]
    kind = line["kind"].iloc[0] if len(line) else "median"
    if kind == "median":
        (median,) = panel.step(seconds, accuracy, where="post", markevery=0.2, **look)
        if len(line):
            last, time = line.iloc[-1], _panels.three_digits(seconds.iloc[-1])
            _hover.tell(
                median, f"{_hover.configuration(last)}: {last['test_acc']:.1%} after {time}"
            )
        panel.fill_between(
            seconds,
            line["lowest"],
            line["highest"],
            step="post",
            color=look["color"],
            alpha=0.18,
            linewidth=0,
        )
        return
    thin = look | {"marker": "", "linewidth": 0.6, "alpha": 0.8}
    panel.step(seconds, accuracy, where="post", **thin)
    if kind == "failed":
        end = {"marker": "x", "color": look["color"], "markersize": 6, "linestyle": "none"}
        panel.plot(seconds.iloc[-1:], accuracy.iloc[-1:], **end)
