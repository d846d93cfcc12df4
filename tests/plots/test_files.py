"""The files of a figure are the same bytes whenever it is drawn."""

import numpy as np
from matplotlib.figure import Figure

from plots import _files


def test_no_last_digit_of_a_solved_layout_is_left(tmp_path):
    """They differ from process to process, and an SVG's ids are hashes of them."""
    figure = Figure(layout="constrained")
    panels = figure.subplots(2, 3)
    for panel in panels.flat:
        panel.set_ylabel("a label that takes some place")
    _files.write_images(tmp_path, "figure", figure)
    for axes in figure.axes:
        bounds = axes.get_position().bounds
        np.testing.assert_array_almost_equal_nulp(bounds, np.round(bounds, 5), 8)
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".pdf", ".png"}
