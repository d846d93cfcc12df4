"""The files of one figure: SVG, PDF and PNG, the table of what is drawn, and the caption."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bench.whole_file import whole_file
from plots import _hover, _labels

# Without a date the same runs give the same bytes.
_METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def write(folder: Path, name: str, figure: Figure, table: pd.DataFrame, caption: str) -> None:
    """Writes NAME.svg, NAME.pdf, NAME.png, NAME.csv and NAME.txt; each is whole or absent."""
    write_images(folder, name, figure)
    _replace(folder / f"{name}.csv", table.to_csv(index=False, lineterminator="\n").encode())
    _replace(folder / f"{name}.txt", caption.encode())


def write_images(folder: Path, name: str, figure: Figure) -> None:
    """Writes NAME.svg, whose marks have titles, NAME.pdf and NAME.png."""
    settle(figure)
    for form, metadata in _METADATA.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=form, metadata=metadata, bbox_inches="tight")
        image = buffer.getvalue()
        if form == "svg":
            image = _hover.titled(image.decode()).encode()
        _replace(folder / f"{name}.{form}", image)


def settle(figure: Figure) -> None:
    """Solve the layout once, round it, and move names apart in it.

    Its last digits differ from one process to the next, and an SVG's ids are hashes of them.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position(np.round(axes.get_position().bounds, 5))
    _labels.apart(figure)


def _replace(path: Path, content: bytes) -> None:
    """Replaces a file in one move, so that a reader never meets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(content)
