"""Figures of what was measured: `python -m benchmarks.draw FOLDER [NAME]`.

Draws NAME, or all that FOLDER has the numbers for: engine.csv, timeline.csv with overlap.json,
tuning.csv with tuning.json, the same of another batch as tuning-b64, scaling_prediction.csv with
engine.csv, cost_curves.csv. Each figure is an SVG, a PDF, a PNG, and its caption as text.
"""

import argparse
import functools
import sys
from pathlib import Path

import matplotlib

from benchmarks import draw_costs, draw_engine, draw_scaling, draw_timeline, draw_tuning
from plots import _files, style

FIGURES = {
    "engine": draw_engine.draw,
    "timeline": draw_timeline.draw,
    "tuning": draw_tuning.draw,
    "tuning-b64": functools.partial(draw_tuning.draw, name="tuning-b64"),
    "scaling_prediction": draw_scaling.draw,
    "cost_curves": draw_costs.draw,
}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.draw", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FIGURES))
    options = parser.parse_args()
    folder, asked = options.folder, options.names or FIGURES
    there = [name for name in FIGURES if name in asked and (folder / f"{name}.csv").exists()]
    if not there:
        sys.exit(f"{folder} has none of {', '.join(f'{name}.csv' for name in asked)}")
    with matplotlib.rc_context(style.RC):
        for name in there:
            try:
                figure, caption = FIGURES[name](folder)
            except draw_engine.NoSweep as error:
                if options.names or len(there) == 1:
                    sys.exit(str(error))
                print(error)
                continue
            except (OSError, ValueError) as error:
                sys.exit(f"Error: {error}")
            _files.write_images(folder, name, figure)
            (folder / f"{name}.txt").write_text(caption + "\n")


if __name__ == "__main__":
    main()
