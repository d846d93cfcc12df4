"""Figures drawn from the summary and the epochs of a matrix: one file here is one figure."""

from pathlib import Path

_NOT_FIGURES = {"style"}


def known() -> list[str]:
    """Names of the figures: the file names in this folder, found without importing any of them."""
    stems = (path.stem for path in Path(__file__).parent.glob("*.py"))
    return sorted(stem for stem in stems if stem[0] != "_" and stem not in _NOT_FIGURES)
