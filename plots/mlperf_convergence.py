"""Epochs to 75.9% of ResNet-50 on ImageNet, by batch, beside MLPerf's reference points.

Epochs until the test accuracy is at 75.9% for the first time, which is MLPerf Training's target,
against the images of one step of the whole system. Grey are the reference convergence points that
MLPerf publishes (all trained with LARS; runs, and the median of each batch; github.com/mlcommons/
logging, Apache-2.0, rounds 1.0 to 4.0), coloured are this suite's own runs of this network on the
whole of ImageNet; those are no MLPerf results, and without any there is nothing to compare. A
hollow triangle is a run that never reached 75.9%, at the epochs it had trained.
"""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import _absent, _axes, _hover, _legends, _medians, _panels, _runs, _series, style
from plots._entries import Entry
from plots._tables import Tables

TARGET = 0.759
PUBLISHED = Path(__file__).parent / "published" / "mlperf_resnet50.csv"
MLPERF = "MLPerf reference, LARS"
PLACE = ["system", "devices", "batch", "learners", "series"]
COLUMNS = ["series", "total_batch", "round", "run", "status", "epochs", "epochs_run"]
COLUMNS += ["median_epochs", "low_epochs", "high_epochs"]
_REFERENCE = {"color": style.FAINT, "marker": "d", "linestyle": "--", "label": MLPERF}


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs that can be compared with the reference points."""
    return summary[summary["model"].eq("resnet50") & summary["dataset"].eq("imagenet")]


meant = shown  # a plan of other networks is none for this figure


def remark(_: pd.DataFrame, table: pd.DataFrame) -> str:
    """What is drawn besides runs of this suite, which alone the sample counts."""
    if table.empty:
        return ""
    points = table[table["series"] == MLPERF]
    batches = points["total_batch"].nunique()
    return f"That is of this suite; drawn are MLPerf's {len(points)} runs at {batches} batches too."


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run of MLPerf's and of ours, with its configuration's median."""
    runs = _series.name_series(_runs.prepare(shown(tables.summary)), ["devices", "batch"])
    if runs.empty:
        every = _runs.prepare(tables.summary)
        return _panels.nothing(every, "is of ResNet-50 on the whole of ImageNet", COLUMNS)
    looks = style.series_looks(runs, tables.summary["system"])
    reference, ours = _reference(), _ours(runs, tables.epochs)
    figure = Figure(figsize=(4.8, 3), layout="constrained")
    panel = figure.subplots()
    _draw_series(panel, reference, _REFERENCE)
    for series, members in ours.groupby("series"):
        _draw_series(panel, members, looks[series])
    table = pd.concat([reference, ours])
    panel.set_xscale("log", base=2)
    _axes.log_ticks(panel.xaxis, table["total_batch"])
    panel.set_ylim(bottom=0)
    panel.set(xlabel="global batch (images a step)", ylabel="epochs to 75.9% test accuracy")
    _absent.note(panel, ours[~(ours["epochs_run"] > 0)])
    _legends.legend(figure, _marks(looks, ours))
    return figure, table.reindex(columns=COLUMNS)


def _reference() -> pd.DataFrame:
    published = pd.read_csv(PUBLISHED, dtype={"run": str, "round": str})
    table = published.rename(columns={"batch": "total_batch"}).assign(series=MLPERF)
    return _medians.add_medians(table, ["total_batch"], "epochs")


def _ours(runs: pd.DataFrame, epochs: pd.DataFrame) -> pd.DataFrame:
    """Our runs with the first epoch at the target; what diverged never got there."""
    at_target = epochs[epochs["test_acc"] >= TARGET].groupby("run")["epoch"].min()
    learners = pd.to_numeric(runs["learners"], errors="coerce").fillna(runs["learners_final"])
    table = runs.assign(
        epochs=runs["run"].map(at_target).where(runs["status"].isin(_runs.TRAINED)).astype(float),
        total_batch=runs["devices"] * learners * runs["batch"],
    )
    return _medians.add_medians(table, PLACE, "epochs", "epochs_run")


def _draw_series(panel: Axes, members: pd.DataFrame, look: dict) -> None:
    dots = style.named(look) | {"marker": ".", "markersize": 3, "linestyle": "none"}
    there = members.dropna(subset="epochs")
    (small,) = panel.plot(there["total_batch"], there["epochs"], alpha=0.7, **dots)
    _hover.tell(small, _texts(there, "epochs"))
    if "epochs_run" in members:
        late = members[members["epochs"].isna() & (members["epochs_run"] > 0)]
        hollow = dots | {"marker": "^", "markerfacecolor": "white", "markersize": 5}
        (marks,) = panel.plot(late["total_batch"], late["epochs_run"], **hollow)
        _hover.tell(marks, _hover.unreached(late, "epochs_run"))
    cell = [name for name in ("total_batch", *PLACE) if name in members]
    cells = members.dropna(subset="median_epochs").drop_duplicates(cell).sort_values(cell)
    (line,) = panel.plot(cells["total_batch"], cells["median_epochs"], **look)
    _hover.tell(line, _texts(cells, "median_epochs"))


def _texts(rows: pd.DataFrame, column: str) -> list[str]:
    """A row in words; MLPerf's have no devices."""
    return [
        f"{one.series}, global batch {one.total_batch:g}: {getattr(one, column):g} epochs"
        for one in rows.itertuples()
    ]


def _marks(looks: dict, ours: pd.DataFrame) -> list[Line2D]:
    marks: list[Line2D] = [Entry(**look) for look in (_REFERENCE, *looks.values())]
    marks.append(_legends.grey("a run", marker=".", markersize=3))
    if (ours["epochs"].isna() & (ours["epochs_run"] > 0)).any():
        marks.append(_legends.grey("75.9% not reached", marker="^", markerfacecolor="white"))
    return marks
