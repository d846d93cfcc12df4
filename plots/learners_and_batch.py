"""Learners per device and batch size together.

Each cell is one number of learners per device and one batch of a learner, of Crossbow. Left: images
per second of training, all devices together. Right: training seconds until the median of the last
five epochs' test accuracies reached the target. Numbers are medians over seeds; the colour is
lighter where it is better, and the best of several has a frame. A cell without a median says how
many runs reached the target, how runs failed, or that they were planned and not run; a cell that
was not planned is empty. Runs that tune their learners are not among them.
"""

import itertools

import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from plots import _axes, _compare, _hover, _medians, _panels, _runs, style
from plots._tables import Tables

ROW = ["workload", "devices", "series"]
PLACE = [*ROW, "batch", "learners"]
# By column: the title, what it is where the target is not reached, and whether more is better.
PANELS = {
    "images_per_s": ("throughput (images/s)", "", True),
    "median5_s": ("training time to target (s)", "train_s", False),
}
COLUMNS = [*PLACE, "lr", "runs", "reached", "failures"]
COLUMNS += [f"{end}_{column}" for column in PANELS for end in ("median", "low", "high")]
# Why runs that differ from others in an amount alone have no place here.
LEFT_OUT = "no other learners and batches have their settings"


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs of Crossbow with several numbers of learners and several batches."""
    return summary[summary["run"].isin(_chosen(summary)["run"])]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a cell."""
    runs = _chosen(tables.summary)
    if runs["images_per_s"].isna().all():
        return _compare.nothing(
            tables.summary, "has a throughput with several learners and batches", COLUMNS
        )
    table = _cells(runs)
    rows = _panels.keys(table, ROW)
    sizes = [_panels.cut(table, ROW, row)["batch"].nunique() for row in rows]
    width = max(2.6, 0.62 * table["learners"].nunique() + 0.8)
    figure, panels = _panels.grid(
        rows,
        list(PANELS),
        (width, 0.34 * max(sizes) + 0.75),
        (0.8, 0),
    )
    are_named = table["series"].nunique() > 1
    for (row, column), panel in panels.items():
        _draw_panel(panel, _panels.cut(table, ROW, row), column)
        where = _panels.where(*row[:2], *([row[2]] if are_named else []))
        _panels.head(panel, where if column == "images_per_s" else "", PANELS[column][0])
        panel.set_ylabel("batch of a learner")
        panel.set_xlabel("learners per device m" if row == rows[-1] else "")
    return figure, table[COLUMNS]


def _chosen(summary: pd.DataFrame) -> pd.DataFrame:
    runs = _runs.prepare(summary)
    kept = runs[(runs["system"] == "crossbow") & (runs["learners"] != "auto")]
    over = ["learners", "batch"]
    return _compare.name_spread(kept, ["workload", "devices", *over], over, with_learners=False)


def _cells(runs: pd.DataFrame) -> pd.DataFrame:
    """One row a cell, with its medians and what became of its runs."""
    table = _medians.add_counts(runs, PLACE, "median5_s")
    for name, some in (("failures", runs), ("broken", runs[~_runs.is_planned(runs)])):
        said = {key: _runs.failures(members) for key, members in some.groupby(PLACE, dropna=False)}
        table[name] = [said.get(tuple(row), "") for row in runs[PLACE].values]
    for column, (_, trained, _) in PANELS.items():
        table = _medians.add_medians(table, PLACE, column, trained)
    table = table.drop_duplicates(PLACE)
    table = table.assign(learners=table["learners"].astype(int), batch=table["batch"].astype(int))
    return table.sort_values(PLACE, kind="stable", ignore_index=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, column: str) -> None:
    """A heat map: seaborn's, with words where there is no number, and what each cell tells."""
    _, trained, more_is_better = PANELS[column]
    told = here.assign(
        said=[_text(cell, column, trained) for cell in here.itertuples()],
        title=_hover.medians(here, column),
    )
    values, said, titles = (
        told.pivot(index="batch", columns="learners", values=name)
        for name in (f"median_{column}", "said", "title")
    )
    known = values.stack().dropna()
    several = known.nunique() > 1
    colors = "cividis" if more_is_better else "cividis_r"
    scale = {"vmin": known.min(), "vmax": known.max()} if several else {"vmin": 0, "vmax": 1}
    look = {"linewidths": 0.6, "linecolor": "white", "cbar": False, "annot_kws": {"fontsize": 6.5}}
    panel.grid(visible=False)
    panel.set_facecolor("#ececec")
    seaborn.heatmap(
        values if several else values * np.nan,
        ax=panel, cmap=colors, annot=said.fillna(""), fmt="", **look, **scale,
    )  # fmt: skip
    panel.invert_yaxis()
    panel.set(xlabel="", ylabel="")
    panel.tick_params(length=0, rotation=0)
    best = (known.max() if more_is_better else known.min()) if several else None
    for (y, batch), (x, learners) in itertools.product(enumerate(values.index), enumerate(values)):
        value, words = values.loc[batch, learners], said.loc[batch, learners]
        cell = {"fill": False, "linewidth": 1.6 if value == best else 0, "clip_on": False}
        mark = panel.add_patch(Rectangle((x, y), 1, 1, edgecolor=style.INK, **cell))
        if isinstance(words, str):
            why = f", {words}".replace("\n", " ") if np.isnan(value) else ""
            _hover.tell(mark, titles.loc[batch, learners] + why)
        if np.isnan(value) or not several:  # seaborn leaves cells without a colour without words
            at = {"ha": "center", "va": "center", "fontsize": 5.5, "color": style.INK}
            panel.text(x + 0.5, y + 0.5, words if isinstance(words, str) else "", **at)


def _text(cell, column: str, trained: str) -> str:
    """The number of one cell, or what became of its runs."""
    median = getattr(cell, f"median_{column}")
    if not np.isnan(median):
        return _panels.three_digits(median, "").strip() if trained else _axes.short_number(median)
    if trained and cell.runs and not cell.broken:
        return f"{cell.reached} of {cell.runs}\nreached"
    return cell.failures.replace(", ", "\n")
