"""The SVG tells a reader the value under the pointer."""

import re

import pytest
import synthetic
from matplotlib.figure import Figure
from test_figures import draw

from plots import _files, _hover


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


MARKED = ["accuracy_over_time", "autotune", "energy", "epochs_to_accuracy", "memory", "throughput"]
MARKED += ["target_rules", "time_split", "time_to_accuracy", "time_to_any_accuracy"]


@pytest.mark.parametrize("name", MARKED)
def test_marks_tell_their_configuration(name):
    figure, _ = draw(name, synthetic.gpu_matrix(devices=(1,), batches=(16,)))
    told = [mark.get_gid().split("\x1f") for mark in figure.findobj() if mark.get_gid()]
    texts = [text.removeprefix("hover:") for several in told for text in several]
    where = ", b=16, 1 device, resnet32 on cifar10 to 90%: "
    assert any(re.match(f"Crossbow,? m=4{where}", text) for text in texts)
    assert not any("nan" in text for text in texts)
