"""Learners per device and batch size together.

Each cell is one number of learners per device and one batch of a learner, of Crossbow. Left: images
per second of training, all devices together. Right: training seconds until the median of the last
five epochs' test accuracies reached the target. Numbers are medians over seeds; the colour is
lighter where it is better, and the best of each panel has a frame. A cell without a median says how
many runs reached the target, or how runs failed. Runs that tune their learners are not among them.
"""

import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from plots import _axes, _compare, _medians, _panels, _runs, style
from plots._tables import Tables

ROW = ["workload", "devices", "series"]
PLACE = [*ROW, "batch", "learners"]
# By column: the title, what it is where the target is not reached, and whether more is better.
PANELS = {
    "images_per_s": ("throughput (images/s)", "", True),
    "median5_s": ("training time to target (s)", "train_s", False),
}
COLUMNS = [*PLACE, "runs", "reached", "failures"]
COLUMNS += [f"{end}_{column}" for column in PANELS for end in ("median", "low", "high")]


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs of Crossbow with several numbers of learners and several batches."""
    return summary[summary["run"].isin(_chosen(summary)["run"])]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a cell."""
    runs = _chosen(tables.summary)
    if runs["images_per_s"].isna().all():
        every = _runs.prepare(tables.summary)
        why = _runs.why_none(every, "has a throughput with several learners and batches")
        return _panels.nothing_to_show(why), pd.DataFrame(columns=COLUMNS)
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
        panel.set_title(PANELS[column][0])
        panel.set_ylabel("batch of a learner")
        if column == "images_per_s":
            where = [_panels.devices_title(row[1]), *([row[2]] if are_named else [])]
            panel.set_ylabel(_panels.side_title(row[0], *where, "", "batch of a learner"))
        panel.set_xlabel("learners per device m" if row == rows[-1] else "")
    return figure, table[COLUMNS]


def _chosen(summary: pd.DataFrame) -> pd.DataFrame:
    runs = _runs.prepare(summary)
    kept = runs[(runs["system"] == "crossbow") & (runs["learners"] != "auto")]
    over = ["learners", "batch"]
    return _compare.name_spread(kept, ["workload", "devices", *over], over, with_learners=False)


def _cells(runs: pd.DataFrame) -> pd.DataFrame:
    """One row a cell, with its medians and what became of its runs."""
    group = runs.groupby(PLACE, dropna=False)
    failures = {key: _runs.failures(members) for key, members in group}
    table = runs.assign(
        runs=group["run"].transform("size"),
        reached=group["median5_s"].transform("count"),
        failures=[failures[tuple(row)] for row in runs[PLACE].values],
    )
    for column, (_, trained, _) in PANELS.items():
        table = _medians.add_medians(table, PLACE, column, trained)
    table = table.drop_duplicates(PLACE)
    table = table.assign(learners=table["learners"].astype(int), batch=table["batch"].astype(int))
    return table.sort_values(PLACE, kind="stable", ignore_index=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, column: str) -> None:
    """A heat map: seaborn's, and words where there is no number."""
    _, trained, more_is_better = PANELS[column]
    values = here.pivot(index="batch", columns="learners", values=f"median_{column}")
    words = here.assign(text=[_text(cell, column, trained) for cell in here.itertuples()])
    words = words.pivot(index="batch", columns="learners", values="text").fillna("not run")
    colors = "cividis" if more_is_better else "cividis_r"
    known = values.stack().dropna()
    scale = {"vmin": known.min(), "vmax": known.max()} if len(known) else {"vmin": 0, "vmax": 1}
    panel.grid(visible=False)
    panel.set_facecolor("#ececec")
    look = {"linewidths": 0.6, "linecolor": "white", "cbar": False, "annot_kws": {"fontsize": 6.5}}
    seaborn.heatmap(values, ax=panel, cmap=colors, annot=words, fmt="", **look, **scale)
    panel.invert_yaxis()
    panel.tick_params(length=0, rotation=0)
    if len(known):
        batch, learners = known.idxmax() if more_is_better else known.idxmin()
        corner = values.columns.get_loc(learners), values.index.get_loc(batch)
        frame = {"fill": False, "edgecolor": style.INK, "linewidth": 1.6, "clip_on": False}
        panel.add_patch(Rectangle(corner, 1, 1, **frame))
    # seaborn leaves cells without a value without their words.
    for y, batch in enumerate(values.index):
        for x, learners in enumerate(values.columns):
            if np.isnan(values.loc[batch, learners]):
                at = {"ha": "center", "va": "center", "fontsize": 5.5, "color": style.INK}
                panel.text(x + 0.5, y + 0.5, words.loc[batch, learners], **at)


def _text(cell, column: str, trained: str) -> str:
    """The number of one cell, or what became of its runs."""
    median = getattr(cell, f"median_{column}")
    if not np.isnan(median):
        return _panels.three_digits(median, "").strip() if trained else _axes.short_number(median)
    if not cell.failures:
        return f"{cell.reached} of {cell.runs}\nreached"
    return cell.failures.replace(", ", "\n")
