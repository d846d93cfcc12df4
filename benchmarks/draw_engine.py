"""Throughput over the number of learners, a panel per network."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from bench import environment, record
from plots import style

# The form that is drawn of Crossbow, and the two that are drawn of PyTorch.
STRONGEST = {"precision": "bf16", "compile": "True", "graph": "True", "channels_last": "True"}
PLAIN = {"precision": "fp32", "compile": "False", "graph": "False"}
NETWORKS = {"lenet": "LeNet", "resnet32": "ResNet-32", "resnet50": "ResNet-50", "vgg16": "VGG-16"}


def draw(folder: Path) -> tuple[Figure, str]:
    """The figure and its caption. Of each network, the last call with most of its sweeps."""
    rows = pd.read_csv(folder / "engine.csv", dtype=str, keep_default_na=False)
    rows = rows[(rows["devices"] == "1") & rows["unroll"].isin(["", "1"])]
    numbers = ["batch", "learners", "images_per_s"]
    rows[numbers] = rows[numbers].apply(pd.to_numeric)
    sweeps = _of(rows, "crossbow", STRONGEST)
    swept = sweeps.groupby(["model", "call", "batch"], sort=False)["learners"].nunique()
    swept = swept[swept > 1].groupby(["model", "call"], sort=False).sum()
    calls = {
        model: of_one[::-1].idxmax()[1] for model, of_one in swept.groupby("model", sort=False)
    }
    sweeps = sweeps[sweeps["call"] == sweeps["model"].map(calls)]
    batches = style.batch_looks(sweeps["batch"])
    figure = Figure(figsize=(max(2.4 * len(calls), 4.2), 3.2), layout="constrained")
    panels = figure.subplots(1, len(calls), squeeze=False)[0]
    for panel, (model, call) in zip(panels, calls.items(), strict=True):
        _panel(panel, rows[(rows["model"] == model) & (rows["call"] == call)], batches)
        panel.set_title(NETWORKS.get(model, model))
    panels[0].set_ylabel("images per second")
    handles = [Line2D([], [], label=f"b = {batch}", **look) for batch, look in batches.items()]
    handles += [
        Line2D([], [], color=style.INK, label="Crossbow"),
        Line2D([], [], color=style.INK, linestyle="--", label="PyTorch, compiled, one graph"),
        Line2D([], [], color=style.INK, linestyle=":", label="PyTorch, eager fp32"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    machines = {
        call: environment.machine(record.read_json(folder / f"engine-{call}.json"), "cuda")
        for call in dict.fromkeys(calls.values())
    }
    where = "; ".join(f"call {call}: {machine}" for call, machine in machines.items())
    return figure, (
        "Images per second on one GPU over the number of learners, by batch size b of a learner; "
        "both axes logarithmic. Crossbow and PyTorch's stronger form: bf16, channels last, "
        f"torch.compile, one CUDA graph an iteration. Median of three stretches; {where}."
    )


def _of(rows: pd.DataFrame, system: str, form: dict[str, str]) -> pd.DataFrame:
    kept = rows["system"] == system
    for column, value in form.items():
        kept &= rows[column] == value
    return rows[kept]


def _panel(panel: Axes, rows: pd.DataFrame, batches: dict[int, dict]) -> None:
    sweeps = _of(rows, "crossbow", STRONGEST)
    for batch, sweep in sweeps.groupby("batch"):
        sweep = sweep.sort_values("learners")
        panel.plot(sweep["learners"], sweep["images_per_s"], **batches[batch])
    for form, line in ((STRONGEST, "--"), (PLAIN, ":")):
        for one in _of(rows, "pytorch", form).itertuples():
            if one.batch in batches:
                color = batches[one.batch]["color"]
                panel.axhline(one.images_per_s, color=color, linestyle=line, linewidth=1)
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panel.yaxis.set_major_formatter("{x:,.0f}")
    panel.yaxis.set_minor_locator(NullLocator())
    ticks = [m for m in (1, 2, 4, 8, 16, 32) if m <= sweeps["learners"].max()]
    panel.set_xticks(ticks, [str(m) for m in ticks])
    panel.set_xlabel("learners")
