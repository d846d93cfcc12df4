"""Draw a picture of the pages: `python -m docs.pictures NAME`, into docs/images/NAME.svg."""

import argparse
import importlib
from pathlib import Path

import matplotlib

from plots import style
from plots._files import settle

FOLDER = Path(__file__).resolve().parent
NAMES = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m docs.pictures", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--out", type=Path, default=FOLDER.parent / "images")
    options = parser.parse_args()
    with matplotlib.rc_context(style.RC):
        figure = importlib.import_module(f"docs.pictures.{options.name}").draw()
        settle(figure)
        out = options.out / f"{options.name}.svg"
        figure.savefig(out, metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    main()
