"""Learners per device and batch size together.

Each cell is one number of learners per device and one batch of a learner, of Crossbow. Left: images
per second of training, all devices together. Right: training seconds until the median of the last
five epochs' test accuracies reached the target. Numbers are medians over seeds; the colour is
lighter where it is better, and the best of several has a frame. A cell without a median says how
many runs reached the target, or how runs failed. Runs that tune their learners are not among them.
"""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, to_rgb
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
    failures = {key: _runs.failures(members) for key, members in runs.groupby(PLACE, dropna=False)}
    table = _medians.add_counts(runs, PLACE, "median5_s")
    table = table.assign(failures=[failures[tuple(row)] for row in runs[PLACE].values])
    for column, (_, trained, _) in PANELS.items():
        table = _medians.add_medians(table, PLACE, column, trained)
    table = table.drop_duplicates(PLACE)
    table = table.assign(learners=table["learners"].astype(int), batch=table["batch"].astype(int))
    return table.sort_values(PLACE, kind="stable", ignore_index=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, column: str) -> None:
    """A heat map in which each cell has its number, or says why it has none."""
    _, trained, more_is_better = PANELS[column]
    batches, learners = sorted(here["batch"].unique()), sorted(here["learners"].unique())
    known = here[f"median_{column}"].dropna()
    colors = colormaps["cividis" if more_is_better else "cividis_r"]
    scale = Normalize(known.min(), known.max()) if known.nunique() > 1 else None
    panel.set(xlim=(0, len(learners)), ylim=(0, len(batches)))
    panel.set_xticks([x + 0.5 for x in range(len(learners))], learners)
    panel.set_yticks([y + 0.5 for y in range(len(batches))], batches)
    panel.tick_params(length=0)
    panel.grid(visible=False)
    at = {"ha": "center", "va": "center", "color": style.INK, "zorder": 3}
    empty = {(y, x) for y in range(len(batches)) for x in range(len(learners))}
    for cell, text in zip(here.itertuples(), _hover.medians(here, column), strict=True):
        y, x = batches.index(cell.batch), learners.index(cell.learners)
        empty.remove((y, x))
        median = getattr(cell, f"median_{column}")
        face = "#ececec" if np.isnan(median) else colors(scale(median)) if scale else "white"
        is_dark = np.dot(to_rgb(face), (0.3, 0.6, 0.1)) < 0.45
        patch = Rectangle((x, y), 1, 1, facecolor=face, edgecolor="white", linewidth=0.6)
        said = _text(cell, column, trained)
        why = f", {said}".replace("\n", " ") if np.isnan(median) else ""
        _hover.tell(panel.add_patch(patch), text + why)
        look = {"fontsize": 5.5 if np.isnan(median) else 6.5}
        look |= {"color": "white"} if is_dark else {}
        panel.text(x + 0.5, y + 0.5, said, **at | look)
        if scale and median == (known.max() if more_is_better else known.min()):
            frame = {"fill": False, "edgecolor": style.INK, "linewidth": 1.6, "clip_on": False}
            panel.add_patch(Rectangle((x, y), 1, 1, zorder=2, **frame))
    for y, x in sorted(empty):
        panel.add_patch(Rectangle((x, y), 1, 1, facecolor="#ececec", edgecolor="white"))
        panel.text(x + 0.5, y + 0.5, "not run", fontsize=5.5, **at)


def _text(cell, column: str, trained: str) -> str:
    """The number of one cell, or what became of its runs."""
    median = getattr(cell, f"median_{column}")
    if not np.isnan(median):
        return _panels.three_digits(median, "").strip() if trained else _axes.short_number(median)
    if not cell.failures:
        return f"{cell.reached} of {cell.runs}\nreached"
    return cell.failures.replace(", ", "\n")
