"""The committed figures are those of the committed tables, by the code as it is."""

import importlib

import matplotlib
import pytest
from test_legible import FOLDER, reference

from plots import _caption, _files, known, style

# Whose pictures are compared as well, which takes longer: a row of names, an axis, a heat map.
PICTURES = ("energy", "learners_and_batch", "synchronisation_overhead")


@pytest.mark.parametrize("name", known())
def test_a_committed_figure_is_what_its_tables_give(name, tmp_path):
    module, given = importlib.import_module(f"plots.{name}"), reference()
    with matplotlib.rc_context(style.RC):
        figure, table = module.draw(given)
        caption = _caption.caption(module, given.summary, table)
        if name in PICTURES:
            _caption.mark_changed(figure, module, given.summary)
            _files.write(tmp_path, name, figure, table, caption)
            drawn = (tmp_path / f"{name}.svg").read_text()
            assert drawn == (FOLDER / f"figures/{name}.svg").read_text()
    committed = FOLDER / "figures" / name
    assert table.to_csv(index=False) == committed.with_suffix(".csv").read_text()
    assert caption == committed.with_suffix(".txt").read_text()
