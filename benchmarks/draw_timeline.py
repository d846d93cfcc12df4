"""Which stream computed when, a panel per rank."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from benchmarks.draw_numbers import make_numbers
from benchmarks.draw_sources import tell
from benchmarks.inputs import AGAIN, BRING, object_of, rows_of
from benchmarks.results import source_of
from plots import style

NUMBERS = ["rank", "stream", "start_us", "end_us"]
SHOWN = 0.75  # of the table, which has two iterations


def draw(folder: Path) -> tuple[Figure, str]:
    """The figure and its caption.

    Raises:
        ValueError: a file is missing or is not what it should be; one sentence.
    """
    path = folder / "timeline.csv"
    spans = pd.DataFrame(rows_of(path, ["kind", *NUMBERS], AGAIN))
    make_numbers(spans, path, NUMBERS)
    overlap = object_of(folder / "overlap.json", ["run"], f"it says what was traced; {BRING}")
    end_us = SHOWN * spans["end_us"].max()
    spans = spans[spans["start_us"] < end_us]
    hues = style.hues([])
    colors = {"compute": hues["crossbow"], "all-reduce": hues["pytorch"]}
    ranks = list(spans.groupby("rank"))
    rows = max(group["stream"].nunique() for _, group in ranks)
    figure = Figure(figsize=(7, (0.16 * rows + 0.7) * len(ranks)), layout="constrained")
    panels = figure.subplots(len(ranks), 1, squeeze=False, sharex=True)[:, 0]
    for panel, (rank, group) in zip(panels, ranks, strict=True):
        # In the order of their numbers, but all-reduces at the bottom.
        lanes = sorted(group.groupby(["kind", "stream"]), key=lambda lane: lane[0][::-1])
        lanes.sort(key=lambda lane: lane[0][0] == "all-reduce")
        for place, ((kind, _), kernels) in enumerate(lanes):
            starts, lengths = kernels["start_us"], kernels["end_us"] - kernels["start_us"]
            bars = list(zip(starts / 1000, lengths / 1000, strict=True))
            # No outline, which would close the gaps.
            look = {"facecolor": colors[kind], "linewidth": 0}
            panel.broken_barh(bars, (place - 0.4, 0.8), rasterized=True, **look)
        panel.set_yticks(range(len(lanes)), [str(stream) for (_, stream), _ in lanes])
        panel.set_ylabel("stream")
        panel.invert_yaxis()
        panel.grid(axis="y", visible=False)
        if overlap["run"]["devices"] > 1:
            panel.set_title(f"GPU {rank}", loc="left")
    panels[-1].set_xlabel("milliseconds")
    panels[-1].set_xlim(0, end_us / 1000)
    if (spans["kind"] == "all-reduce").any():
        handles = [Patch(color=color, label=kind) for kind, color in colors.items()]
        figure.legend(handles=handles, loc="outside upper right", ncols=2)
    source = source_of(folder / "overlap.json")
    return figure, f"{_caption(overlap)} {tell(figure, [('', source)])}"


def _caption(overlap: dict) -> str:
    run, devices = overlap["run"], overlap["run"]["devices"]
    ranks = {name: value for name, value in sorted(overlap.items()) if name.startswith("rank")}
    at_once = " and ".join(f"{rank['kernels_at_once']:.1f}" for rank in ranks.values())
    text = (
        f"About one and a half iterations of {run['model']} with {run['learners']} learners of "
        f"batch {run['batch']} on {devices} GPU{'s' * (devices > 1)}, as a profiler "
        f"saw them; each bar is kernels that followed each other closely on a stream. "
    )
    if len(ranks) < devices:
        shown = [name.replace("rank", "GPU") for name in ranks]
        text += f"Watched: {' and '.join(shown)}. "
    text += f"{at_once} kernels ran at once on average while any did."
    if devices > 1:
        shares = " and ".join(f"{rank['all_reduce_overlapped']:.0%}" for rank in ranks.values())
        text += (
            f" Of the all-reduces' time, {shares} passed while learners computed; it includes the "
            f"time in which a GPU waits for the other{'s' * (devices > 2)}. Each GPU's time starts "
            "with its own first kernel."
        )
    return text
