"""Training time to the target accuracy.

Seconds of training until the median of the last five epochs' test accuracies reached the target, in
the fifth epoch at the earliest. Filled marks are runs, the upright bar their median, the line its
95% interval (of up to three seeds their range), in bold the fastest configuration of each system on
as many devices (on any number, where these stand side by side), of Crossbow by synchronous model
averaging. A run that never reached the target is a hollow triangle at the time it had trained, and
counts as later than that: a median is given only where the runs that reached it show one. A run
that failed is left out; a question mark at the edge is one that was planned and not run. The batch
b is that of one learner. Where numbers of devices stand side by side, the numbers beside them are
the medians, and how many runs reached the target.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import (
    _axes,
    _bands,
    _best,
    _legends,
    _panels,
    _points,
    _runs,
    _series,
)
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
    beside = 0.06 * table["name"].str.len().max() + 1.6
    figure, bands = _bands.grid(
        table, tables.summary["system"], {"time": ""}, 4.0, beside, 0.9, sharex="workload"
    )
    for band in bands:
        times = table[table["workload"] == band.workload]
        for count in band.devices:
            panel = band.panels[count, "time"]
            _axes.amount_axis(panel, times["time_s"].fillna(times["trained_s"]))
            _draw_rows(band, panel, times[times["devices"] == count])
    bands[-1].label("time", "training time to target (s)")
    _bands.few_ticks(bands)
    _legends.legend(figure, _legends.run_marks(figure, "ended before an epoch"))
    return figure, table[COLUMNS]


def _times(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's time, with the median and the counts of its configuration."""
    table = _best.add_times(runs)
    table["name"] = _series.with_batch(table)
    failures = {key: _runs.failures(members) for key, members in table.groupby(_best.PLACE)}
    table["failures"] = [failures[tuple(row)] for row in table[_best.PLACE].values]
    table["best_of_system"] = _best.of_system(table, "median_s")
    order = {"by": ["workload", "devices", "system", "median_s", "batch", "series", "seed"]}
    return table.sort_values(**order, kind="stable").reset_index(drop=True)


def _draw_rows(band: _bands.Band, panel: Axes, here: pd.DataFrame) -> None:
    for place, members, look in band.rows(here):
        one = members.iloc[0]
        _points.row(panel, place, members, look, "time_s", "trained_s", "s")
        counts = one["reached"], one["runs"], one["failures"]
        band.note(place, one["devices"], _panels.three_digits(one["median_s"]), *counts)
        if one["best_of_system"]:
            band.embolden(place)
