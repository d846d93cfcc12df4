"""Training time to the target by three rules.

When a target counts as reached: with the first epoch at it, with the first epoch at which the
median of the last five is (the paper's rule), or with the epoch from which accuracy stays at it.
Filled marks are runs, bars their median, lines its interval (of up to three runs the range). A run
that never got there by a rule is a hollow triangle at the time it had trained, and stays in the
median as one that needs longer than that. A cross is a run that failed, which is left out, or that
ended before an epoch; a question mark one that was planned and not run. The batch b is that of one
learner. Where numbers of devices stand side by side, the numbers beside them are the medians, and
how many runs reached the target.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.metrics import RULES
from plots import _axes, _bands, _legends, _medians, _panels, _points, _runs, _series
from plots._tables import Tables

CELL = ["workload", "devices", "batch"]
PLACE = [*CELL, "system", "learners", "series"]
COLUMNS = [*PLACE, "rule", "median_s", "low_s", "high_s", "reached", "runs"]
COLUMNS += ["run", "seed", "status", "s", "train_s"]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run and rule with the median of its configuration."""
    runs = _runs.prepare(tables.summary)
    runs = _series.name_series(runs[runs["target"].notna()], CELL)
    if runs.empty:
        return _panels.nothing(runs, "has a target", COLUMNS)
    table = _table(runs)
    beside = 0.06 * table["name"].str.len().max() + 1.3
    titles = {rule: rule for rule in RULES}
    figure, bands = _bands.grid(
        table, tables.summary["system"], titles, 1.6, beside, 1.8, sharex="all"
    )
    for band in bands:
        for count in band.devices:
            here = _panels.cut(table, ["workload", "devices"], (band.workload, count))
            _draw_rows(band, [band.panels[count, rule] for rule in RULES], here)
        for panel in band.panels.values():
            _axes.amount_axis(panel, table["s"].fillna(table["train_s"]))
    bands[-1].label(RULES[1], "training time to target (s)")
    _bands.few_ticks(bands)
    _legends.legend(figure, _legends.run_marks(figure, "failed"))
    return figure, table[COLUMNS]


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's time by each rule, with the median and the counts of its configuration."""
    kept = [*PLACE, "run", "seed", "status", "train_s"]
    by_rule = [
        runs[kept].assign(rule=rule, s=pd.to_numeric(runs[f"{rule}_s"], errors="coerce"))
        for rule in RULES
    ]
    table = pd.concat(by_rule, ignore_index=True)
    table["name"] = _series.with_batch(table)
    cell = [*PLACE, "rule"]
    table = _medians.add_medians(table, cell, "s", "train_s")
    table = _medians.add_counts(table, cell, "s")
    depth = pd.to_numeric(table["learners"], errors="coerce")
    table = table.assign(depth=depth, turn=table["rule"].map(RULES.index))
    order = ["workload", "devices", "system", "depth", "learners", "batch", "series", "turn"]
    return table.sort_values([*order, "seed"], kind="stable", ignore_index=True)


def _draw_rows(band: _bands.Band, panels: list[Axes], here: pd.DataFrame) -> None:
    for place, members, look in band.rows(here):
        for panel, (_, by_rule) in zip(panels, members.groupby("turn"), strict=True):
            _points.row(panel, place, by_rule, look, "s", "train_s", "s")
        band.note(place, members["devices"].iloc[0], *_numbers(members))


def _numbers(members: pd.DataFrame) -> tuple[str, str, int, str]:
    """The medians by the three rules, how many runs reached the target by them, of how many."""
    by_rule = members.drop_duplicates("rule")
    times = " / ".join(_panels.three_digits(time, "").strip() for time in by_rule["median_s"])
    counts = "/".join(str(count) for count in by_rule["reached"])
    failures = _runs.failures(members.drop_duplicates("run"))
    return f"{times} s", counts, by_rule["runs"].iloc[0], failures
