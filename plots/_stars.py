"""Stars: runs that tuned their learners, at the number that they ended with."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from plots import _hover, _points, style


def look(of_batch: dict, size: float = 9) -> dict:
    """How the star of a run is drawn: in the colour of its batch, with the label of its series."""
    star = {"marker": "*", "markersize": size, "linestyle": "none", "zorder": 4}
    return star | style.named(of_batch) | {"markeredgecolor": style.INK, "mew": 0.5}


def draw(panel: Axes, runs: pd.DataFrame, star: dict, column: str, trained: str = "") -> None:
    """A star for each run, at its `x`, up its value in `column`.

    A run that did not get there within what it has `trained` is hollow there, with a line to where
    it could be.
    """
    there = runs.dropna(subset=["x", column])
    (stars,) = panel.plot(there["x"], there[column], **star)
    _hover.tell(stars, _hover.values(there, column))
    if not trained:
        return
    color = star["color"]
    late = runs[runs[column].isna() & (runs[trained] > 0)]
    hollow = star | {"markerfacecolor": "white", "markeredgecolor": color, "mew": 1.1}
    (stars,) = panel.plot(late["x"], late[trained], **hollow)
    texts = _hover.unreached(late, trained)
    _hover.tell(stars, texts)
    for one, text in zip(late.itertuples(), texts, strict=True):
        low = getattr(one, trained)
        _points.bar(panel, [(one.x, low), (one.x, _points.end(low, np.inf))], color, text)
