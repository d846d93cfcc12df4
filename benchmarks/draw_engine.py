"""Throughput over the number of learners, a panel per network."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks import draw_panels
from benchmarks.draw_numbers import make_numbers
from benchmarks.draw_sources import tell
from benchmarks.inputs import AGAIN, rows_of
from benchmarks.results import source_of
from plots import _axes, _hover, style

# The form that is drawn of Crossbow, and the two that are drawn of PyTorch.
STRONGEST = {"precision": "bf16", "compile": "True", "graph": "True", "channels_last": "True"}
PLAIN = {"precision": "fp32", "compile": "False", "graph": "False"}
COLUMNS = ["system", "model", "dataset", "devices", "batch", "learners", "unroll", *STRONGEST]
COLUMNS += ["images_per_s", "call"]
LINES = {"-": "Crossbow", "--": "PyTorch, compiled, one graph", ":": "PyTorch, eager fp32"}
NETWORKS = {"lenet": "LeNet", "resnet32": "ResNet-32", "resnet50": "ResNet-50", "vgg16": "VGG-16"}


class NoSweep(ValueError):
    """One sentence: engine.csv has no numbers for the figure."""


def draw(folder: Path) -> tuple[Figure, str]:
    """The figure and its caption. Of each network, the last call with most of its sweeps.

    Raises:
        NoSweep: engine.csv has none.
        ValueError: it is not what it should be; one sentence.
    """
    table = folder / "engine.csv"
    rows = pd.DataFrame(rows_of(table, COLUMNS, AGAIN, may_be_none=True), columns=COLUMNS)
    rows = rows[(rows["devices"] == "1") & rows["unroll"].isin(["", "1"])]
    make_numbers(rows, table, ["batch", "learners", "images_per_s"])
    sweeps = _of(rows, "crossbow", STRONGEST)
    swept = sweeps.groupby(["model", "call", "batch"], sort=False)["learners"].nunique()
    swept = swept[swept > 1].groupby(["model", "call"], sort=False).sum()
    calls = {
        model: of_one[::-1].idxmax()[1] for model, of_one in swept.groupby("model", sort=False)
    }
    sweeps = sweeps[sweeps["call"] == sweeps["model"].map(calls)]
    if not calls:
        raise NoSweep(
            f"{folder / 'engine.csv'} has no sweep of Crossbow's learners on one GPU in the form "
            "that is drawn: bf16, compiled, graph, channels last"
        )
    batches = style.batch_looks(sweeps["batch"])
    figure, panels = draw_panels.grid(len(calls), 2.4, 3.4, sharex=True, sharey=True)
    for panel, (model, call) in zip(panels, calls.items(), strict=True):
        _panel(panel, rows[(rows["model"] == model) & (rows["call"] == call)], batches)
        panel.set_title(NETWORKS.get(model, model))
    panels[0].set_yscale("log", base=2)
    _axes.log_ticks(panels[0].yaxis, _speed_ups(sweeps)["speed_up"])
    panels[0].yaxis.set_major_formatter("{x:g} ×")
    for panel in draw_panels.firsts(panels):
        panel.set_ylabel("throughput by that of one learner")
    handles = [Line2D([], [], label=f"b = {batch}", **look) for batch, look in batches.items()]
    drawn = {line.get_linestyle() for panel in panels for line in panel.get_lines()}
    handles += [
        Line2D([], [], color=style.INK, linestyle=line, label=label)
        for line, label in LINES.items()
        if line in drawn
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    sources = [(f"call {c}", source_of(folder / f"engine-{c}.json")) for c in calls.values()]
    return figure, (
        "Throughput on one GPU over the number of learners, by batch size b of a learner, as a "
        "multiple of that of one learner, which is named below; both axes "
        "logarithmic. PyTorch at the same batch, where measured. Crossbow and PyTorch's stronger "
        "form: bf16, channels last, torch.compile, one CUDA graph an iteration. Median of three "
        f"stretches; {tell(figure, sources)}"
    )


def _speed_ups(sweeps: pd.DataFrame) -> pd.DataFrame:
    """The sweeps that have one learner, with `single`, its images per second, and `speed_up`."""
    sweep = ["model", "call", "batch"]
    single = sweeps[sweeps["learners"] == 1].set_index(sweep)["images_per_s"].rename("single")
    sweeps = sweeps.join(single[~single.index.duplicated(keep="last")], on=sweep, how="inner")
    return sweeps.assign(speed_up=sweeps["images_per_s"] / sweeps["single"])


def _of(rows: pd.DataFrame, system: str, form: dict[str, str]) -> pd.DataFrame:
    kept = rows["system"] == system
    for column, value in form.items():
        kept &= rows[column] == value
    return rows[kept]


def _panel(panel: Axes, rows: pd.DataFrame, batches: dict[int, dict]) -> None:
    sweeps = _speed_ups(_of(rows, "crossbow", STRONGEST))
    below = ["learners"]
    for batch, sweep in sweeps.groupby("batch"):
        sweep = sweep.sort_values("learners")
        (line,) = panel.plot(sweep["learners"], sweep["speed_up"], **batches[batch])
        _hover.tell(line, [_text(one) for one in sweep.itertuples()])
        color, single = batches[batch]["color"], sweep["single"].iloc[0]
        below.append(f"b = {batch}: 1 × is {_axes.short_number(single)} images/s")
        for form, style_of_line in ((STRONGEST, "--"), (PLAIN, ":")):
            for one in _of(rows[rows["batch"] == batch], "pytorch", form).itertuples():
                look = {"color": color, "linestyle": style_of_line, "linewidth": 1}
                _hover.tell(panel.axhline(one.images_per_s / single, **look), _text(one))
    panel.set_xscale("log", base=2)
    panel.xaxis.set_major_formatter("{x:g}")
    panel.set_xlabel("\n".join(below))


def _text(one) -> str:
    """A measurement in words."""
    learners = f" m={one.learners:g}" if one.system == "crossbow" else ""
    rate = _hover.amount(one.images_per_s, "images_per_s")
    where = f"b={one.batch:g}, 1 device, {one.model} on {one.dataset}"
    return f"{style.title(one.system)}{learners}, {one.precision}, {where}: {rate}"
