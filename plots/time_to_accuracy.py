"""Training time to the target accuracy.

Seconds of training until the median of the last five epochs' test accuracies reached the target.
Filled marks are runs, the upright bar their median, the line its 95% interval (of up to three seeds
their range), in bold the fastest configuration of each system, of Crossbow by synchronous model
averaging. A run that never reached the target is a hollow triangle at the time it had trained, and
counts as later than that: a median is given only where the runs that reached it show one. A run
that failed is left out; a question mark at the edge is one that was planned and not run. The batch
b is that of one learner.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import _averaging, _axes, _best, _panels, _points, _runs, _series, style
from plots._tables import Tables

CELL = ["workload", "devices", "batch"]
COLUMNS = [
    *_best.PLACE,
    "median_s",
    "low_s",
    "high_s",
    "reached",
    "runs",
    "failures",
    "best_of_system",
]
COLUMNS += ["run", "seed", "status", "time_s", "trained_s"]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the median of its configuration."""
    runs = _runs.prepare(tables.summary)
    runs = _series.name_series(runs[runs["target"].notna()], CELL)
    if runs.empty:
        return _panels.nothing(runs, "has a target", COLUMNS)
    table = _times(runs)
    workloads, devices = sorted(runs["workload"].unique()), sorted(runs["devices"].unique())
    lengths = [
        max(len(_names(_cut(table, workload, count))) for workload in workloads)
        for count in devices
    ]
    beside = 0.06 * max(0, table["series"].str.len().max() - 18)  # of a long name
    figure, panels = _panels.grid(
        devices,
        workloads,
        (5.2 + beside, 0.17 * sum(lengths) / len(devices) + 0.5),
        sharex="col",
        height_ratios=[length + 1 for length in lengths],
    )
    for (count, workload), panel in panels.items():
        panel.set_title(_panels.where(workload, count))
        of_column = table[table["workload"] == workload]
        _axes.amount_axis(panel, of_column["time_s"].fillna(of_column["trained_s"]))
        _draw_panel(panel, _cut(table, workload, count))
    for workload in workloads:
        planned = [count for count in devices if len(_cut(table, workload, count))]
        for count in devices:
            if count not in planned:
                panels[count, workload].set_axis_off()
        last = panels[planned[-1], workload]
        if table.loc[table["workload"] == workload, ["time_s", "trained_s"]].notna().any(axis=None):
            last.tick_params(labelbottom=True)
        last.set_xlabel("training time to target (s)")
    _panels.legend(figure, _panels.run_marks("ended before an epoch"))
    return figure, table[COLUMNS]


def _times(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's time, with the median and the counts of its configuration."""
    table = _best.add_times(runs)
    failures = {key: _runs.failures(members) for key, members in table.groupby(_best.PLACE)}
    table["failures"] = [failures[tuple(row)] for row in table[_best.PLACE].values]
    own = table["median_s"].mask(_averaging.is_other(table))
    of_system = [table[name] for name in ("workload", "devices", "system")]
    table["best_of_system"] = own.notna() & (own == own.groupby(of_system).transform("min"))
    order = {"by": ["workload", "devices", "system", "median_s", "batch", "series", "seed"]}
    return table.sort_values(**order, kind="stable").reset_index(drop=True)


def _cut(table: pd.DataFrame, workload: str, devices: float) -> pd.DataFrame:
    here = table[(table["workload"] == workload) & (table["devices"] == devices)]
    return here.assign(name=here["series"] + here["batch"].map(lambda b: f", b={b:g}"))


def _names(here: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(here["name"]))


def _draw_panel(panel: Axes, here: pd.DataFrame) -> None:
    names = _names(here)
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.grid(axis="y", visible=False)
    systems = set(here["system"])
    for place, (_, members) in enumerate(here.groupby("name", sort=False)):
        one = members.iloc[0]
        look = style.look(one["system"], one["learners"], systems)
        _points.row(panel, place, members, look, "time_s", "trained_s", "s")
        _note(panel, place, one)
        if one["best_of_system"]:
            panel.get_yticklabels()[place].set_fontweight("bold")


def _note(panel: Axes, place: int, one: pd.Series) -> None:
    """The numbers of one configuration, to the right of its marks."""
    time = _panels.three_digits(one["median_s"])
    at = {"transform": panel.get_yaxis_transform(), "va": "center", "fontsize": 6.5}
    panel.text(
        1.02,
        place,
        _panels.outcome(time, one["reached"], one["runs"], one["failures"]),
        color=style.INK,
        **at,
    )
