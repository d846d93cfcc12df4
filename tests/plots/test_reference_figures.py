"""The committed figures are what their tables give, can be read, and show what legends name."""

import importlib
from functools import cache

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import same_color
from synthetic import four_models
from test_legible import FOLDER, drawn, overlaps, reference, texts

from plots import _caption, _files, known, style
from plots.__main__ import main

# Whose pictures are compared, which takes longer: a row of names, an axis, a heat map.
PICTURES = ("energy", "learners_and_batch", "synchronisation_overhead")


@cache
def draw(name):
    with matplotlib.rc_context(style.RC):
        return importlib.import_module(f"plots.{name}").draw(reference())


@cache
def settled(name):
    """The figure as it is written."""
    if name == "mlperf_convergence":  # the reference has no run to stand beside MLPerf's
        return drawn(name, four_models())
    figure, _ = draw(name)
    with matplotlib.rc_context(style.RC):
        _files.settle(figure)
    return figure


@pytest.mark.parametrize("name", known())
def test_a_committed_figure_is_what_its_tables_give(name):
    _, table = draw(name)
    caption = _caption.caption(importlib.import_module(f"plots.{name}"), reference().summary, table)
    committed = FOLDER / "figures" / name
    assert table.to_csv(index=False) == committed.with_suffix(".csv").read_text()
    assert caption == committed.with_suffix(".txt").read_text()


def test_committed_pictures_are_what_their_tables_give(tmp_path):
    given = [f"--{name}={FOLDER / name}.csv" for name in ("summary", "epochs", "autotune")]
    assert main([*PICTURES, *given, f"--out={tmp_path}"]) == 0
    for picture in (tmp_path / f"{name}.svg" for name in PICTURES):
        assert picture.read_text() == (FOLDER / "figures" / picture.name).read_text()


@pytest.mark.parametrize("name", known())
def test_no_two_words_of_a_figure_overlap(name):
    figure = settled(name)
    assert len(texts(figure)) > 4
    assert not overlaps(figure)


def marks(figure):
    """Colour, marker, whether it is hollow, and line of what has points in a figure."""
    found = []
    for line in (line for panel in figure.axes for line in panel.get_lines()):
        points = np.isfinite(np.asarray(line.get_xydata(), float)).all(axis=1).sum()
        if points and line.get_visible() and line.axes.get_visible():
            found.append((line, points > 1 and line.get_linestyle() != "None"))
    return found


@pytest.mark.parametrize("name", sorted({*known()} - {"learners_and_batch"}))  # it has none
def test_a_figure_has_every_mark_and_line_of_its_legend(name):
    figure = settled(name)
    (legend,) = figure.legends
    of_figure = marks(figure)
    for text, entry in zip(legend.get_texts(), legend.legend_handles, strict=True):
        is_ink = same_color(entry.get_color(), style.INK)
        alike = [
            one for one in of_figure if is_ink or same_color(one[0].get_color(), entry.get_color())
        ]
        if not is_ink and entry.get_linestyle() != "None":
            assert any(has_line for _, has_line in alike), text
        if not is_ink and entry.get_marker() != "None":
            hollow = entry.get_markerfacecolor() == "white"
            shapes = [
                (line.get_marker(), line.get_markerfacecolor() == "white") for line, _ in alike
            ]
            assert (entry.get_marker(), hollow) in shapes, text
