"""Which phases of a run each clock counts, of one run on an H200."""

from matplotlib.figure import Figure

from bench.clock import PHASES
from docs.pictures._reference import rows

# What a clock counts: columns of epochs.csv and status.json.
CLOCKS = {"wall_s": PHASES, "train_s": ("train",), "eval_s": ("eval",)}
HUES = {
    "setup": "#7F7F7F",
    "compile": "#56B4E9",
    "warmup": "#B5A900",
    "train": "#0072B2",
    "eval": "#E69F00",
    "checkpoint": "#CC79A7",
    "other": "#B8B8B8",
}


def draw() -> Figure:
    """A bar for each clock, in the order of the phases, with what it leaves out as an outline."""
    seconds = rows("phases").set_index("phase")["seconds"]
    figure = Figure(figsize=(7.4, 2), layout="constrained")
    panel = figure.subplots()
    for place, (clock, counted) in enumerate(CLOCKS.items()):
        start = 0.0
        for phase in PHASES:
            long = seconds[phase]
            look = {"color": HUES[phase]} if phase in counted else {"fill": False}
            edge = {"edgecolor": "white" if phase in counted else "#c9c9c9", "linewidth": 0.6}
            bar = panel.barh(place, long, left=start, height=0.62, **look | edge)
            if place == 0:
                bar.set_label(f"{phase} {long:.1f} s")
            start += long
        total = sum(seconds[phase] for phase in counted)
        panel.text(start * 1.01, place, f"{clock} = {total:.1f} s", va="center")
    panel.set_yticks([])
    panel.set(xlabel="seconds, by phase", ylim=(len(CLOCKS) - 0.5, -0.5))
    panel.spines["left"].set_visible(False)
    panel.grid(axis="y", visible=False)
    figure.legend(loc="outside upper left", ncols=len(PHASES), columnspacing=1, handlelength=0.9)
    return figure
