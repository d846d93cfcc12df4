"""What a reader sees who rests the pointer on a mark: titles in the SVG, which browsers show."""

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape
from types import SimpleNamespace

import numpy as np
import pandas as pd
from matplotlib.artist import Artist

from plots import _units, style

_TOLD = "hover:"
_BETWEEN = "\x1f"  # the unit separator, which no label has
_GROUP = re.compile(r"""( *<g) id=(?:"([^"]*)"|'([^']*)')>""")
_SHARES = ("final_acc", "best_acc", "test_acc", "median_acc", "against_never", "against_ssgd")
_CONFIGURATION = ("series", "untold", "learners", "devices", "batch", "workload", "seed")
_LEARNERS = re.compile(r" (m=|auto)")
_POINT = re.compile(r"( *)(<use .*)/>")


def tell(mark: Artist, texts: str | Sequence[str]) -> None:
    """Gives a mark one text, or each point of a line its own.

    A point that is not drawn (NaN, or outside the page) must have no text among several.
    """
    if not texts:
        return
    mark.set_gid(_TOLD + (texts if isinstance(texts, str) else _BETWEEN.join(texts)))


def configuration(one) -> str:
    """Series, learners, batch, devices and workload of a row: the first words of a text."""
    parts = [one.series + getattr(one, "untold", "")]
    if one.series.startswith(style.title("crossbow")) and not _LEARNERS.search(one.series):
        parts.append(f"m={str(one.learners).removesuffix('.0')}")
    devices = f"{one.devices:g} device{'' if one.devices == 1 else 's'}"
    return ", ".join([*parts, f"b={one.batch:g}", devices, one.workload])


def amount(value: float, column: str) -> str:
    """A value of a column, with its unit."""
    if np.isinf(value):
        return "never"
    if column in _SHARES:
        return f"{value:.2%}"
    number = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return f"{number} {_units.of(column)}".strip()


def values(runs: pd.DataFrame, column: str) -> list[str]:
    """What each run has in a column, as texts of the points of a line."""
    return [
        f"{configuration(one)}: {amount(getattr(one, column), column)}{_seed(one)}"
        for one in _rows(runs, column)
    ]


def medians(cells: pd.DataFrame, name: str) -> list[str]:
    """The median and the interval of each configuration, as `_medians.add_medians` names them."""
    texts, columns = [], [f"{end}_{name}" for end in ("median", "low", "high")]
    for one in _rows(cells, *columns):
        ends = [getattr(one, column) for column in columns]
        median, low, high = (amount(value, name) for value in ends)
        said = "no median" if np.isnan(ends[0]) else f"median {median}"
        interval = "" if np.isnan(ends[1]) else f" ({low} to {high})"
        texts.append(f"{configuration(one)}: {said}{interval}")
    return texts


def along(texts: list[str], places: list[str]) -> str:
    """The text of a line through points with these texts, which differ in their places alone."""
    values = [text.rpartition(": ")[2] for text in texts]
    others = [f"{place}: {value}" for place, value in zip(places, values, strict=True)]
    return "; ".join([*texts[:1], *others[1:]])


def unreached(runs: pd.DataFrame, trained: str) -> list[str]:
    """How far runs came that never reached the target."""
    return [
        f"{configuration(one)}: not reached in {amount(getattr(one, trained), trained)}{_seed(one)}"
        for one in _rows(runs, trained)
    ]


def endings(runs: pd.DataFrame) -> list[str]:
    """Why runs have no number."""
    return [
        f"{configuration(one)}: no number, {one.status.replace('_', ' ')}{_seed(one)}"
        for one in _rows(runs, "status")
    ]


def _rows(runs: pd.DataFrame, *columns: str) -> Iterable:
    """Rows of what a text needs; pandas' own would define a class for every few of them."""
    wanted = [name for name in dict.fromkeys((*_CONFIGURATION, *columns)) if name in runs]
    for row in zip(*(runs[name] for name in wanted), strict=True):
        yield SimpleNamespace(**dict(zip(wanted, row, strict=True)))


def _seed(one) -> str:
    seed = getattr(one, "seed", np.nan)
    return "" if np.isnan(seed) else f" (seed {seed:g})"


def titled(svg: str) -> str:
    """The SVG of a figure with the texts of its marks as titles, in groups of class `mark`.

    Matplotlib writes an artist's id as that of its group, and one `use` element for each point.
    """
    lines, left = [], []
    for line in svg.split("\n"):
        if group := _GROUP.fullmatch(line):
            start, id_ = group[1], unescape(group[2] or group[3] or "")
            left = id_.removeprefix(_TOLD).split(_BETWEEN) if id_.startswith(_TOLD) else []
            if len(left) == 1:
                line = f'{start} class="mark">{_title(left.pop())}'
            elif left:
                line = f'{start} class="mark">'
        elif left and (point := _POINT.fullmatch(line)):
            line = f"{point[1]}{point[2]}>{_title(left.pop(0))}</use>"
        lines.append(line)
    return "\n".join(lines)


def _title(text: str) -> str:
    return f"<title>{escape(text, quote=False)}</title>"
