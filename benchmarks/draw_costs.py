"""What learners, records and an all-reduce cost, a panel each, beside the laws."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks import draw_panels
from benchmarks.draw_numbers import make_numbers
from benchmarks.draw_sources import tell
from benchmarks.inputs import rows_of
from benchmarks.results import source_of
from plots import _axes, _counts, _hover, style

AXES = {
    "learners": ("learners of one device", "time of an iteration"),
    "records": ("records", "time of an epoch"),
    "all-reduce": ("bytes", "time of an all-reduce"),
}
NAMES, NUMBERS = ["curve", "cell", "call"], ["x", "measured_s", "law_s", "error"]
TABLES = {"learners": "engine", "records": "records_cost", "all-reduce": "all_reduce"}


def draw(folder: Path) -> tuple[Figure, str]:
    """The figure and its caption.

    Raises:
        ValueError: cost_curves.csv, or what lies beside it, is not what it should be; one sentence.
    """
    path = folder / "cost_curves.csv"
    again = f"`python -m benchmarks.cost_curves {folder}` writes it"
    table = pd.DataFrame(rows_of(path, [*NAMES, *NUMBERS], again))
    make_numbers(table, path, NUMBERS)
    there = [curve for curve in AXES if curve in set(table["curve"])]
    if not there:
        raise ValueError(f"{path} has no curve of {', '.join(AXES)}: {again}")
    figure = Figure(figsize=(max(3.4 * len(there), 4.2), 3.1), layout="constrained")
    panels = figure.subplots(1, len(there), squeeze=False)[0]
    for panel, curve in zip(panels, there, strict=True):
        _panel(panel, table[table["curve"] == curve])
        panel.set_xlabel(AXES[curve][0])
        panel.set_ylabel(AXES[curve][1])
    draw_panels.legends([panels])
    errors = "; ".join(
        f"{curve}: {table[table['curve'] == curve]['error'].abs().median():.1%}" for curve in there
    )
    sources = [
        (f"{curve}, call {call}", source_of(folder / f"{TABLES[curve]}-{call}.json"))
        for curve, call in zip(table["curve"], table["call"], strict=True)
    ]
    return figure, (
        "Marks are measured times; lines are what the law says of each point when it is fitted "
        "without it. Both axes logarithmic. "
        "Median error by panel: " + errors + ". "
        "All-reduces between more than two devices are by what two told. Measured: "
        f"{tell(figure, sources)}"
    )


def _panel(panel: Axes, rows: pd.DataFrame) -> None:
    cells = list(rows.groupby(["cell", "call"], sort=False))
    looks = style.batch_looks(range(len(cells)))
    for place, ((cell, call), points) in enumerate(cells):
        look, points = looks[place], points.sort_values("x")
        panel.plot(points["x"], points["law_s"], color=look["color"], linewidth=1)
        name = f"{cell}, call {call}"
        (dots,) = panel.plot(points["x"], points["measured_s"], linestyle="", label=name, **look)
        said = [
            f"{name}, {one.x:g}: {one.measured_s:.3g} s, by the law {one.law_s:.3g} s"
            for one in points.itertuples()
        ]
        _hover.tell(dots, said)
    panel.set_xscale("log")
    panel.set_yscale("log")
    if rows["curve"].iloc[0] == "learners":
        _counts.count_ticks(panel.xaxis, rows["x"])
    else:
        _axes.log_ticks(panel.xaxis, rows["x"])
    _axes.log_ticks(panel.yaxis, pd.concat([rows["measured_s"], rows["law_s"]]))
    panel.yaxis.set_major_formatter(lambda seconds, _: _axes.short_time(seconds))
