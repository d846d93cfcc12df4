"""What synchronising costs in throughput.

Of learners that synchronise in every iteration. Relative to no synchronisation: throughput as a
share of that of the same learners when they never do: what is lacking to 100% is the overhead.
Relative to S-SGD: throughput of model averaging as a share of that of synchronous SGD on the same
engine, with as many learners and images. Each run is compared with the run of its own seed, which
may have been made on another machine of that name: a share as near to 100% as two runs of equal
settings are to each other, which the figure of the noise floor shows, is no finding. Lines join the
medians over seeds by learners per device, with the 95% interval of each as a bar (of up to three
seeds their range); small marks are pairs of runs. A cross at the bottom is a pair of which one
failed, a question mark one that was planned and of which one was not run.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import (
    _absent,
    _averaging,
    _compare,
    _counts,
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

ROW = ["workload", "devices", "batch"]
PLACE = [*ROW, "learners", "series", "variant"]
PANELS = {
    "against_never": "relative to no synchronisation",
    "against_ssgd": "relative to S-SGD",
}
# What tells the pairs of runs apart.
TOLD = ["variant", "tau"]
COLUMNS = [*PLACE, "run", "seed", "status", "images_per_s", *PANELS]
COLUMNS += [f"{end}_{column}" for column in PANELS for end in ("median", "low", "high")]
COLUMNS += [f"{what}_{column}" for column in PANELS for what in ("has", "is_one_commit")]


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs that are compared; what they are compared with has as many seeds."""
    return summary[summary["run"].isin(_chosen(summary)["run"])]


def used(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs that are compared, and those of learners that never synchronise."""
    runs = _runs.prepare(summary)
    never = runs[(runs["system"] == "crossbow") & (runs["tau"] == _averaging.NEVER)]
    return summary[summary["run"].isin({*never["run"], *_chosen(summary)["run"]})]


def remark(_: pd.DataFrame, table: pd.DataFrame) -> str:
    """How many of the pairs are of one commit, and which comparison was not planned."""
    if table.empty:
        return ""
    is_pair = table[list(PANELS)].notna().to_numpy()
    alike = is_pair & table[[f"is_one_commit_{name}" for name in PANELS]].to_numpy(bool)
    number = int(is_pair.sum())
    said = [f"{alike.sum()} of {number} pair{'s' * (number != 1)} ran one commit."]
    said += [
        f"Nothing was planned for throughput {title}."
        for name, title in PANELS.items()
        if not table[f"has_{name}"].any()
    ]
    return " ".join(said)


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the medians of its configuration."""
    table = _chosen(tables.summary)
    if table[list(PANELS)].isna().all(axis=None):
        return _compare.nothing(
            tables.summary, "has a pair that never synchronised, or by S-SGD", COLUMNS
        )
    rows = _panels.keys(table, ROW)
    told = [name for name in PANELS if table[f"has_{name}"].any()]
    figure, panels = _panels.grid(rows, told, (3.2, 2.3), sharex="all", sharey="all")
    for (row, column), panel in panels.items():
        here = _panels.cut(table, ROW, row)
        row_title = _panels.where(*row[:2], f"batch {row[2]:g}") if column == told[0] else ""
        _panels.head(panel, row_title, PANELS[column])
        _counts.learner_axis(panel, table["x"])
        _draw_panel(panel, here, column)
        if column == told[0]:
            panel.set_ylabel("relative throughput")
        if row == rows[-1]:
            panel.set_xlabel("learners per device m")
    panel = panels[rows[0], told[0]]
    low, high = panel.get_ylim()
    panel.set_ylim(low - (high - low) / 5, high)  # room for what is marked along the bottom
    for row in rows:
        own = _panels.cut(table, ROW, row)
        planned = [own[f"has_{name}"].any() for name in told]
        _absent.blank([panels[row, name] for name in told], planned)
    _legends.legend(figure, _marks(table))
    return figure, table[COLUMNS]


def _chosen(summary: pd.DataFrame) -> pd.DataFrame:
    """Each run of a cell that has pairs, its shares, and the medians of its configuration."""
    runs = _runs.prepare(summary)
    runs = runs[(runs["system"] == "crossbow") & (runs["learners"] != "auto")]
    alike = [*ROW, "learners", "series"]
    table = _series.name_series(runs, [*ROW, "learners", *TOLD], with_learners=False, untold=TOLD)
    never, ssgd = table["tau"] == _averaging.NEVER, table["variant"] == "ssgd"
    table, never, ssgd = table[table["tau"] == "1"], table[never], table[ssgd]
    for column, reference in (("against_never", never), ("against_ssgd", ssgd)):
        table[column] = _compare.relative(table, reference, alike)
        table[f"status_{column}"] = _compare.ending(table, reference, alike)
        table[f"is_one_commit_{column}"] = _compare.is_one_commit(table, reference, alike)
        cells = pd.MultiIndex.from_frame(table[alike])
        table[f"has_{column}"] = cells.isin(pd.MultiIndex.from_frame(reference[alike]))
    is_ssgd = table["variant"] == "ssgd"
    table["has_against_ssgd"] &= ~is_ssgd
    table["against_ssgd"] = table["against_ssgd"].mask(is_ssgd)
    table = table[table["has_against_never"] | table["has_against_ssgd"]]
    for column in PANELS:
        table = _medians.add_medians(table, PLACE, column)
    table = table.assign(x=table["learners"].astype(float))
    return table.sort_values([*PLACE, "seed"], kind="stable", ignore_index=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, column: str) -> None:
    here = here[here[f"has_{column}"]]
    if here.empty:
        return
    panel.axhline(1, color=style.FAINT, linestyle="--", linewidth=0.9, zorder=1)
    panel.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    shifts = _points.side_by_side(_averaging.in_order(here["variant"]))
    for (variant, _), members in here.groupby(["variant", "series"]):
        at = members.assign(x=members["x"] * shifts[variant])
        _points.line(panel, at, _averaging.variant_look(variant), column)


def _marks(table: pd.DataFrame) -> list[Line2D]:
    lines: list[Line2D] = [
        Entry(**_averaging.variant_look(name)) for name in _averaging.in_order(table["variant"])
    ]
    return lines + _points.marks(*((table[table[f"has_{name}"]], name, "") for name in PANELS))
