"""The SVG tells a reader the value under the pointer."""

import re

import numpy as np
import pytest
import synthetic
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from test_figures import draw

from plots import _files, _hover, known


def drawn(folder, *calls):
    """The text of the SVG of a panel with lines, each told its texts."""
    figure = Figure()
    panel = figure.subplots()
    for points, texts in calls:
        (line,) = panel.plot(range(len(points)), points, "o-")
        if texts:
            _hover.tell(line, texts)
    _files.write_images(folder, "a", figure)
    return (folder / "a.svg").read_text()


def test_each_point_has_its_own_text(tmp_path):
    svg = drawn(tmp_path, ([3, 1, 2], ["three", "one", "two"]), ([5, 6], None))
    found = re.findall(r"<use [^>]*><title>(\w+)</title></use>", svg)
    assert found == ["three", "one", "two"]
    assert svg.count('<g class="mark">') == 1


def test_one_text_is_that_of_the_whole_mark(tmp_path):
    svg = drawn(tmp_path, ([1, 2], 'm < 2 & "auto", it\'s 5 µs'))
    assert svg.count('<g class="mark"><title>m &lt; 2 &amp; "auto", it\'s 5 µs</title>') == 1
    assert "hover:" not in svg


def test_texts_that_no_point_took_are_not_given_to_the_next_mark(tmp_path):
    svg = drawn(tmp_path, ([1, float("nan")], ["one", "nowhere"]), ([5, 6], ["five", "six"]))
    assert re.findall(r"<title>(\w+)</title>", svg)[-2:] == ["five", "six"]
    assert "nowhere" not in svg


def told(figure):
    """The texts of all marks of a figure."""
    several = [
        mark.get_gid() for mark in figure.findobj() if (mark.get_gid() or "")[:6] == "hover:"
    ]
    return [text for texts in several for text in texts.removeprefix("hover:").split("\x1f")]


@pytest.mark.parametrize("name", known())
@pytest.mark.parametrize("kind", ["gpus", "averaging", "repeats", "never"])
def test_every_mark_begins_with_its_configuration(name, kind):
    figure, table = draw(name, MATRICES[kind]())
    for panel in figure.axes:
        for line in panel.get_lines():
            drawn = np.isfinite(np.asarray(line.get_ydata(), float)).any() and len(line.get_xdata())
            is_mark = line.get_marker() not in ("", "None", None)
            assert not (drawn and is_mark) or line.get_gid(), (name, line)
        for artist in panel.collections:  # the cells of a heat map have rectangles that tell
            assert artist.get_gid() or isinstance(artist, QuadMesh), (name, artist)
    if len(table):
        assert all(re.match("(Crossbow|PyTorch|TensorFlow)", text) for text in told(figure))
        assert all(re.search(r", b=\d+, \d+ devices?, \w+ on ", text) for text in told(figure))
        assert not any("nan" in text for text in told(figure))
        assert not [text for text in told(figure) if not re.search(r": .*\d|: (no|only) ", text)]


MATRICES = {
    "gpus": lambda: synthetic.gpu_matrix(devices=(1, 2), batches=(16, 256)),
    "averaging": synthetic.averaging_matrix,
    "repeats": lambda: synthetic.tables(
        *(synthetic.run(repeat=r, seed=s) for r in (1, 2) for s in (1, 2))
    ),
    "never": lambda: synthetic.tables(
        *(
            synthetic.run(seed=s, learners=m, median5_s=None, median5_epochs=None)
            for s in (1, 2)
            for m in ("1", "2", "auto")
        ),
        synthetic.failed("failed", "cut off", learners="4"),
        synthetic.diverged(3, learners="8"),
    ),
}
UNITS = {
    "throughput": "images/s",
    "time_to_accuracy": "s",
    "epochs_to_accuracy": "epochs",
    "memory": "GiB",
    "learners": "epochs",
    "energy": "mJ per image",
    "hardware_efficiency": "times one device",
}


@pytest.mark.parametrize(("name", "unit"), UNITS.items())
def test_a_run_tells_its_value_with_its_unit(name, unit):
    figure, _ = draw(name, MATRICES["gpus"]())
    where = "Crossbow.* b=16, [12] devices?, resnet32 on cifar10 to 90%"
    assert any(re.fullmatch(rf"{where}: [\d.,]+ {unit} \(seed 2\)", text) for text in told(figure))


def test_a_mark_tells_what_its_figure_compares():
    texts = told(draw("synchronisation_overhead", MATRICES["averaging"]())[0])
    assert any(text.startswith("Crossbow, ea-sgd, τ 1, m=2, b=32, 1 device, ") for text in texts)


def test_a_run_tells_how_far_it_came_or_how_it_ended():
    texts = told(draw("learners", MATRICES["never"]())[0])
    assert any("not reached in 12 epochs (seed 2)" in text for text in texts)
    assert any("no number, failed (seed 1)" in text for text in texts)


def test_variants_have_markers_of_their_own():
    figure, _ = draw("time_split", MATRICES["averaging"]())
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    markers = {
        str(line.get_marker())
        for name, line in zip(names, legend.get_lines(), strict=True)
        if name.startswith("Crossbow m=2")
    }
    assert len(markers) == sum(name.startswith("Crossbow m=2") for name in names) > 4
