"""Noise floor: the same run twice.

Runs with equal settings and seed on machines of one name: the later repeat by the first one, in
throughput and in training time until the median of the last five test accuracies reached the
target. Each mark is one pair, on a logarithmic axis; the grey band reaches as far as the widest of
the pairs of a panel, of twenty and more as 95% of them, to both sides of 1 by the same factor. A
gain of one system over another that lies within it is no finding; of few pairs it is a lower bound.
A pair of which one run alone got there has no ratio and is within no factor: where there are such
pairs, among twenty and more over 5% of them, the floor is unbounded and all of the panel grey.
A triangle at the edge is a pair of which only one reached the target: to the right the first, to
the left the later one; a question mark one of which a run was planned and not run. The name of a
machine tells the model of its GPUs or processors: a repeat may have run on another one. The sample
counts each run that was repeated once.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from plots import (
    _absent,
    _axes,
    _commits,
    _floor,
    _hover,
    _legends,
    _panels,
    _runs,
    _series,
    style,
)
from plots._tables import Tables

COLUMNS = [*_floor.PLACE, "seed", "repeat", "quantity", "first", "again", "ratio", "floor"]
COLUMNS += ["run", "first_run", "is_one_commit", "is_planned", "is_lone"]


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs that were repeated, with their repeats."""
    runs = _prepare(summary)
    alike = [name for name in _series.SETTINGS if name in runs]
    group = runs.groupby([*alike, "seed"], dropna=False)
    return summary[summary["run"].isin(runs.loc[group["repeat"].transform("nunique") > 1, "run"])]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row for each quantity of each pair of runs."""
    runs = _series.name_series(_prepare(tables.summary), _floor.CELL)
    table = _floor.pairs(runs[runs["run"].isin(shown(tables.summary)["run"])])
    if table.empty:
        return _panels.nothing(runs, "was repeated", COLUMNS)
    rows = _panels.keys(table, ["workload", "devices"])
    cuts = {row: _panels.cut(table, ["workload", "devices"], row) for row in rows}
    lengths = [cuts[row]["name"].nunique() for row in rows]
    beside = 0.06 * table["name"].str.len().max() + 0.4
    titles = 0.063 * max(len(_panels.where(*row)) for row in rows)
    figure, panels = _panels.grid(
        rows,
        list(_floor.QUANTITIES.values()),
        (max(2.4, titles), 0.2 * sum(lengths) / len(rows) + 0.8),
        (beside, 0),
        sharey="row",
        height_ratios=[length + 2 for length in lengths],
    )
    for (row, quantity), panel in panels.items():
        here = cuts[row]
        of_quantity = here[here["quantity"] == quantity]
        _draw_panel(panel, of_quantity, list(dict.fromkeys(here["name"])), tables.summary["system"])
        where = _panels.where(*row) if quantity == "throughput" else ""
        _panels.head(panel, where, f"{quantity}: {_floor.said(of_quantity)}")
        if row == rows[-1]:
            panel.set_xlabel("later run by first")
    marks = [_legends.grey("a pair", marker="o")]
    if table["is_lone"].any():
        lone = {"marker": ">", "markerfacecolor": "white"}
        marks.append(_legends.grey("only one reached the target", **lone))
    _legends.legend(figure, marks)
    return figure, table[COLUMNS]


def remark(summary: pd.DataFrame, table: pd.DataFrame) -> str:
    """How many of the pairs are of one commit: the others differ in the code as well."""
    pairs = table.dropna(subset="ratio").drop_duplicates("run")
    planned = table.loc[table["is_planned"].astype(bool), "run"].nunique()
    alike = int(pairs["is_one_commit"].sum())
    said = [f"{alike} of {len(pairs)} pair{'s' * (len(pairs) != 1)} ran one commit."]
    if later := sorted(set(_commits.short(summary[summary["run"].isin(pairs["run"])]).dropna())):
        said.append(f"The later runs are of {', '.join(later)}.")
    if planned:
        said.append(f"{planned} more planned pair{'s were' if planned != 1 else ' was'} not run.")
    is_open = table["is_lone"].astype(bool) & np.isinf(table["floor"].astype(float))
    said += [
        f"The floor of {quantity} is unbounded ({_panels.where(workload, devices)}): no gain there "
        "is told from noise."
        for quantity, workload, devices in _panels.keys(
            table[is_open], ["quantity", "workload", "devices"]
        )
    ]
    return " ".join(said) if len(table) else ""


def _prepare(summary: pd.DataFrame) -> pd.DataFrame:
    """Clean runs; what was made before there were repeats ran once."""
    repeat = summary["repeat"].fillna(1) if "repeat" in summary else 1
    return _runs.prepare(summary.assign(repeat=repeat), with_repeats=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, names: list[str], systems: pd.Series) -> None:
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.grid(axis="y", visible=False)
    panel.axvline(1, color=style.FAINT, linewidth=0.8, zorder=1)
    _draw_floor(panel, _floor.factors(here["ratio"]), here["floor"].max())
    for name, members in here.groupby("name"):
        one = members.iloc[0]
        look = style.look(one["system"], one["learners"], systems) | {"linestyle": "none"}
        known = members.dropna(subset="ratio")
        (marks,) = panel.plot(
            known["ratio"], [names.index(name)] * len(known), alpha=0.8, zorder=3, **look
        )
        texts = [
            f"{_hover.configuration(pair)}, seed {pair.seed}: × {pair.ratio:.3f}"
            for pair in known.itertuples()
        ]
        _hover.tell(marks, texts)
        if members["is_planned"].any():
            said = f"{_hover.configuration(one)}: not run"
            _absent.question(panel, look, said, y=names.index(name))
        _mark_lone(panel, members[~members["is_planned"]], names.index(name), look)


def _draw_floor(panel: Axes, factors: pd.Series, floor: float) -> None:
    """The grey band, on an axis to both sides of 1 with ticks at the ends of the band."""
    if factors.empty:
        _axes.without_numbers(panel, "x")
        return
    most = max(factors.max(), 1.0001) ** 1.3
    band = min(floor, most)  # without an end all of the panel
    panel.axvspan(1 / band, band, color=style.FAINT, alpha=0.2, linewidth=0)
    end = min(band, factors.max())
    panel.set_xscale("log")
    panel.set_xlim(1 / most, most)
    panel.xaxis.set_major_locator(FixedLocator(sorted({1 / end, 1.0, end})))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.xaxis.set_major_formatter(lambda ratio, _: f"× {ratio:.3g}")


def _mark_lone(panel: Axes, members: pd.DataFrame, place: int, look: dict) -> None:
    """Triangles at the edges for pairs of which one has no value."""
    edge = {"transform": panel.get_yaxis_transform(), "clip_on": False}
    for missing, x, marker in (("again", 1, ">"), ("first", 0, "<")):
        other = "first" if missing == "again" else "again"
        if (members[missing].isna() & members[other].notna()).any():
            hollow = look | {"marker": marker, "markerfacecolor": "white", "markersize": 5}
            (mark,) = panel.plot(x, place, **hollow, **edge)
            said = f"only the {'later' if missing == 'first' else 'first'} run reached the target"
            _hover.tell(mark, f"{_hover.configuration(members.iloc[0])}: {said}")
