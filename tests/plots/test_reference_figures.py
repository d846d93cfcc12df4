"""The committed figures are what their tables give, by the code as it is, and can be read."""

import importlib
from functools import cache

import matplotlib
import pytest
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
    if name == "mlperf_convergence":  # the reference has no run to stand beside MLPerf's
        figure = drawn(name, four_models())
    else:
        figure, _ = draw(name)
        with matplotlib.rc_context(style.RC):
            _files.settle(figure)
    assert len(texts(figure)) > 4
    assert not overlaps(figure)
