"""Figures of what was measured: `python -m benchmarks.draw FOLDER`.

Draws what FOLDER has the numbers for: engine.csv, timeline.csv with overlap.json, tuning.csv with
tuning.json. Each figure is an SVG, a PNG, and its caption as text.
"""

import argparse
import sys
from pathlib import Path

import matplotlib

from benchmarks import draw_engine, draw_timeline, draw_tuning
from plots import style

FIGURES = {"engine": draw_engine, "timeline": draw_timeline, "tuning": draw_tuning}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.draw", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    there = {name: module for name, module in FIGURES.items() if (folder / f"{name}.csv").exists()}
    if not there:
        sys.exit(f"{folder} has none of {', '.join(f'{name}.csv' for name in FIGURES)}")
    with matplotlib.rc_context(style.RC):
        for name, module in there.items():
            figure, caption = module.draw(folder)
            # Without a date the same numbers give the same bytes.
            form = {"bbox_inches": "tight"}
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None}, **form)
            figure.savefig(folder / f"{name}.png", **form)
            (folder / f"{name}.txt").write_text(caption + "\n")


if __name__ == "__main__":
    main()
