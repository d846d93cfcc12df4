"""How often learners synchronise.

By the iterations from one synchronisation to the next, tau: throughput of all devices together,
test accuracy of the central model after the last epoch, and training seconds until the median of
the last five epochs' test accuracies reached the target. Learners that never synchronise meet at
the end of each epoch alone, where their mean is evaluated. Runs along a line differ in nothing
else. Lines join the medians over seeds, with the 95% interval of each as a bar (of up to three
seeds their range); small marks are runs. A run that never reached the target is a hollow triangle
at the time it had trained, and counts as later than that. A cross at the bottom is a run without
the number, because it failed, a question mark one that was planned and not run.
"""

import pandas as pd
from matplotlib.figure import Figure

from plots import (
    _averaging,
    _axes,
    _compare,
    _legends,
    _medians,
    _panels,
    _points,
    _runs,
    _series,
    style,
)
from plots._tables import Tables

ROW = ["workload", "devices", "batch"]
PLACE = [*ROW, "learners", "series", "tau"]
PANELS = {
    "images_per_s": ("throughput (images/s)", ""),
    "final_acc": ("final test accuracy", ""),
    "median5_s": ("training time to target (s)", "train_s"),
}
COLUMNS = [*PLACE, "run", "seed", "status", "train_s", *PANELS]
COLUMNS += [f"{end}_{column}" for column in PANELS for end in ("median", "low", "high")]


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs that others differ from in tau alone."""
    return summary[summary["run"].isin(_chosen(summary)["run"])]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the medians of its configuration."""
    runs = _chosen(tables.summary)
    if runs["images_per_s"].isna().all():
        return _compare.nothing(tables.summary, "synchronised in several intervals", COLUMNS)
    taus = _averaging.tau_order(runs["tau"])
    table = runs.assign(x=runs["tau"].map(taus.index).astype(float))
    for column, (_, trained) in PANELS.items():
        table = _medians.add_medians(table, PLACE, column, trained)
    table = table.sort_values([*ROW, "series", "x", "seed"], kind="stable", ignore_index=True)
    looks = style.series_looks(table, tables.summary["system"])
    rows = _panels.keys(table, ROW)
    figure, panels = _panels.grid(rows, list(PANELS), (2.7, 2.2), sharex="all")
    for (row, column), panel in panels.items():
        here = _panels.cut(table, ROW, row)
        label, trained = PANELS[column]
        for series, members in here.groupby("series"):
            _points.line(panel, members, looks[series], column, trained)
        panel.set_xticks(range(len(taus)), map(_averaging.tau_title, taus))
        panel.set_xlim(-0.3, len(taus) - 0.7)
        panel.set_ylabel(label)
        if column == "final_acc":
            panel.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
        else:
            _axes.amount_up(
                [panel], here[column].fillna(here[trained]) if trained else here[column]
            )
        if column == "images_per_s":
            _panels.head(panel, _panels.where(*row[:2], f"batch {row[2]:g}"))
        if row == rows[-1]:
            panel.set_xlabel("synchronised every τ iterations")
    lines = _legends.series_marks(table, looks)
    lines += _points.marks(*((table, name, trained) for name, (_, trained) in PANELS.items()))
    _legends.legend(figure, lines)
    return figure, table[COLUMNS]


def _chosen(summary: pd.DataFrame) -> pd.DataFrame:
    runs = _runs.prepare(summary)
    differ = _compare.varied(runs[runs["tau"] != ""], "tau")
    return _series.name_series(differ, [*ROW, "learners", "tau"], untold=["tau"])
