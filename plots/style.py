"""How every figure looks: sizes, the colour of each system, and marks that survive greyscale."""

import math
import zlib
from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

RC = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "savefig.dpi": 200,
    # Outlines rather than text: the figure looks the same where the font is not installed.
    "svg.fonttype": "path",
    # Whole fonts rather than drawn letters: publishers refuse the latter in a PDF.
    "pdf.fonttype": 42,
    # Without a fixed salt the ids, and so the bytes, of an SVG differ from one draw to the next.
    "svg.hashsalt": "crossbow",
}

INK = "#222222"
FAINT = "#8a8a8a"
WARNING = "#a51616"
LINESTYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))

# From Okabe and Ito's palette, which colour-blind readers can tell apart.
_HUES = {"crossbow": "#0072B2", "pytorch": "#D55E00", "tensorflow": "#E69F00"}
# Of other systems: well apart from these and from Crossbow's shades, for readers who are red-green
# colour-blind as well.
_SPARE_HUES = ("#009E73", "#8C564B", "#E91E63", "#8B0000", "#D8A0A0", "#1B4D2E")
_SYSTEM_MARKERS = {"pytorch": "X", "tensorflow": "P"}
_SPARE_MARKERS = ("<", ">", "d", "h", "H", "8")
_LEARNER_MARKERS = {"1": "o", "2": "s", "4": "^", "8": "D", "16": "v", "auto": "*"}
_LEARNER_MARKERS |= {"3": "p", "6": "h", "12": "d", "24": "8", "32": "H"}
# Of further series of one system and number of learners, where no other has them.
_FURTHER_MARKERS = ("D", "v", "p", "h", "d", "<", "8", "H", "o", "s", "^", "P", "X", (4, 1, 0))
_FURTHER_MARKERS += ((6, 1, 0), (4, 1, 45), (3, 1, 60))
_FILLINGS = ("full", "left", "top", "right", "bottom")
_TITLES = {"crossbow": "Crossbow", "pytorch": "PyTorch", "tensorflow": "TensorFlow"}
BATCH_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def title(system: str) -> str:
    """The name of a system as people write it."""
    return _TITLES.get(system, system)


def _spare_slots(systems: Iterable[str]) -> dict[str, int]:
    """A palette slot for each system without a fixed one: by its name, moved on when taken."""
    slots: dict[str, int] = {}
    for system in sorted(set(systems) - set(_HUES)):
        slot = zlib.crc32(system.encode())
        while slot % len(_SPARE_HUES) in slots.values() and len(slots) < len(_SPARE_HUES):
            slot += 1
        slots[system] = slot % len(_SPARE_HUES)
    return slots


def hues(systems: Iterable[str]) -> dict[str, str]:
    """The colour of each system; of all that the runs have, it is the same in every figure."""
    systems = set(systems)
    return _HUES | {name: _SPARE_HUES[slot] for name, slot in _spare_slots(systems).items()}


def markers(systems: Iterable[str]) -> dict[str, str]:
    """The marker of each system but Crossbow, whose marker tells the number of learners."""
    slots = _spare_slots(set(systems))
    return _SYSTEM_MARKERS | {name: _SPARE_MARKERS[slot] for name, slot in slots.items()}


def look(system: str, learners: str, systems: Iterable[str]) -> dict:
    """Colour and marker of one system at one number of learners, among all that the runs have."""
    systems = set(systems) | {system}
    hue = hues(systems)[system]
    if system != "crossbow":
        return {"color": hue, "marker": markers(systems)[system]}
    return {"color": _shade(hue, learners), "marker": _LEARNER_MARKERS.get(learners, "p")}


def _shade(hue: str, learners: str) -> tuple[float, ...]:
    """Darker with more learners, so that the order is seen without colour as well."""
    learners = "32" if learners == "auto" else learners
    depth = min(math.log2(float(learners)) / 5, 1)  # 0 for one learner, 1 from 32 on
    goal, share = (1, 0.55 - 1.4 * depth) if depth < 0.4 else (0, depth - 0.4)
    return tuple(c + (goal - c) * share for c in to_rgb(hue))


def warn_above(figure: Figure, words: str) -> None:
    """Words above a figure that has been drawn, for what must not be overlooked."""
    figure.draw_without_rendering()  # the layout decides where it ends
    above = figure.get_tightbbox().ymax / figure.get_figheight() + 0.01
    figure.text(0, above, words, va="bottom", fontsize=7, weight="bold", color=WARNING)


def series_looks(runs: pd.DataFrame, systems: Iterable[str]) -> dict[str, dict]:
    """How to draw each series: colour by system and learners, its own marker, the line by rest.

    The label is its name, by which a legend finds its marks.

    `systems` are all that there are runs of, also where a figure shows some alone.

    What differs in more than system and learners takes markers that no other series of its
    workloads has: those of one workload stand in panels of their own.
    """
    depth = pd.to_numeric(runs["learners"], errors="coerce").fillna(float("inf"))
    first = runs.assign(depth=depth).drop_duplicates("series")
    systems = sorted(set(systems))
    ordered = list(first.sort_values(["system", "depth", "series"]).itertuples())
    workloads = runs.groupby("series")["workload"].agg(set)
    looks: dict[str, dict] = {}
    for one in ordered:
        mark = look(one.system, one.learners, systems)
        beside = [other for other in ordered if workloads[other.series] & workloads[one.series]]
        own = {look(other.system, other.learners, systems)["marker"] for other in beside}
        drawn = [looks[other.series] for other in beside if other.series in looks]
        taken = {other["marker"] for other in drawn}
        if mark["marker"] in taken:
            free = (marker for marker in _FURTHER_MARKERS if marker not in own | taken)
            mark["marker"] = next(free, mark["marker"])
        shift = 0 if one.system == "crossbow" else 1 + systems.index(one.system) % len(LINESTYLES)
        lines = LINESTYLES[shift:] + LINESTYLES[:shift]
        # Two series never share both marker and line, or they would be one in greyscale.
        near = [o["linestyle"] for o in drawn if mark["marker"] == o["marker"]]
        near += [o["linestyle"] for o in drawn if mark["color"] == o["color"]]
        looks[one.series] = mark | {
            "linestyle": next((n for n in lines if n not in near), lines[0]),
            "label": one.series,
        }
    return looks


def variant_looks(names: Iterable[str]) -> dict[str, dict]:
    """Line and filling of series where colour and marker tell the batch."""
    names = sorted(names)
    lines, fillings = LINESTYLES * len(names), _FILLINGS * len(names)
    return {
        name: {
            "linestyle": line,
            "fillstyle": filling,
            "markerfacecoloralt": "white",
            "label": name,
        }
        for name, line, filling in zip(names, lines, fillings, strict=False)
    }


def named(look: dict) -> dict:
    """The colour of a look, and its label where it has one."""
    return {key: look[key] for key in ("color", "label") if key in look}


def batch_looks(batches: Iterable[int]) -> dict[int, dict]:
    """Colour and marker of each batch size, where the batch is what a figure tells apart."""
    batches = sorted(set(batches))
    # Viridis but for its yellow end, which is too pale for a line; light to dark in greyscale.
    colors = colormaps["viridis_r"](np.linspace(0.15, 1, len(batches)))
    return {
        batch: {"color": to_hex(color), "marker": BATCH_MARKERS[place % len(BATCH_MARKERS)]}
        for place, (batch, color) in enumerate(zip(batches, colors, strict=True))
    }
