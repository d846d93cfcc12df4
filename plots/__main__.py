"""Draws figures: python -m plots NAME... --summary CSV --epochs CSV --autotune CSV --out FOLDER."""

import argparse
import importlib
import sys
from pathlib import Path

import matplotlib

from bench.refuse import refuse
from plots import _caption, _files, _tables, known, style


def main(arguments: list[str] | None = None) -> int:
    """Draws the figures; a refusal is one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m plots", description="Draw figures.")
    parser.add_argument("names", nargs="+", metavar="NAME", help=", ".join(known()))
    parser.add_argument("--summary", type=Path, default=Path("results/summary.csv"))
    parser.add_argument("--epochs", type=Path, default=Path("results/epochs.csv"))
    parser.add_argument("--autotune", type=Path, default=Path("results/autotune.csv"))
    parser.add_argument("--out", type=Path, default=Path("results/figures"))
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(known()):
        return refuse(f"There is no figure {min(unknown)!r}; known are {', '.join(known())}.")
    try:
        tables = _tables.read(options.summary, options.epochs, options.autotune)
    except FileNotFoundError as error:
        return refuse(f"There is no {error.filename}; join the runs first.")
    except (OSError, ValueError) as error:
        return refuse(f"Cannot read the runs: {error}.")
    with matplotlib.rc_context(style.RC):
        for name in options.names:
            module = importlib.import_module(f"plots.{name}")
            figure, table = module.draw(tables)
            caption = _caption.caption(module, tables.summary, table)
            _caption.mark_changed(figure, module, tables.summary)
            try:
                _files.write(options.out, name, figure, table, caption)
            except OSError as error:
                said = f"{options.out}: {error.strerror}; give --out a folder"
                return refuse(f"{said} that can be written to.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
