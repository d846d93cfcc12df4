"""What stands on a figure can be read: words that overlap are found, and moved apart."""

import importlib
import itertools
from functools import cache

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Affine2D
from suite import REPOSITORY
from synthetic import run, tables
from test_say import not_run

from plots import _files, _labels, _panels, _tables, style

FOLDER = REPOSITORY / "results/reference/nvidia-h200"


@cache
def reference():
    names = ("summary", "epochs", "autotune")
    return _tables.read(*(FOLDER / f"{name}.csv" for name in names))


def tick_labels(axis):
    """The labels of ticks within the view: the others are not drawn."""
    low, high = sorted(axis.get_view_interval())
    room = 1e-6 * (high - low)
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    return [
        label
        for tick in ticks
        if low - room <= tick.get_loc() <= high + room
        for label in (tick.label1, tick.label2)
    ]


def texts(figure):
    """Each text that is drawn."""
    found = list(figure.texts)
    for panel in (panel for panel in figure.axes if panel.get_visible()):
        found += [*panel.texts, panel.title, panel._left_title]
        for axis in (panel.xaxis, panel.yaxis) if panel.axison else ():
            found += [axis.label, *tick_labels(axis)]
    found += [text for legend in figure.legends for text in legend.findobj(Text)]
    return [text for text in found if text.get_visible() and text.get_text()]


def lines(text):
    """The lines of a text, each with the corners of its place, turned as it is."""
    _labels.box_of(text)  # of an annotation: puts the words in their place
    _, parts, _ = text._get_layout(text.figure._get_renderer())
    at = text.get_transform().transform(text.get_unitless_position())
    turn = Affine2D().rotate_deg(text.get_rotation())
    for line, (width, ascent, descent), start in parts:
        corners = [(0, -descent), (width, -descent), (width, ascent), (0, ascent)]
        yield line, turn.transform(corners) + start + at


def do_meet(a, b):
    """Whether two rectangles overlap by more than a dot: they do in the direction of every side."""
    for one in (a, b):
        for side in (one[1] - one[0], one[2] - one[1]):
            first, second = (corners @ side / np.hypot(*side) for corners in (a, b))
            if min(first.max(), second.max()) - max(first.min(), second.min()) <= 1:
                return False
    return True


def overlaps(figure):
    """The pairs of lines of two texts that stand on each other."""
    known = [list(lines(text)) for text in texts(figure)]
    return [
        (first, second)
        for one, other in itertools.combinations(known, 2)
        for (first, a), (second, b) in itertools.product(one, other)
        if do_meet(a, b)
    ]


def drawn(name, given):
    with matplotlib.rc_context(style.RC):
        figure, _ = importlib.import_module(f"plots.{name}").draw(given)
        _files.settle(figure)
    return figure


@pytest.mark.parametrize(("inches", "do_they"), [(0.3, True), (0.8, False)])
def test_turned_words_of_several_lines_are_seen_to_overlap(inches, do_they):
    figure = Figure(figsize=(4, 4))
    turned = {"rotation": 35, "rotation_mode": "anchor", "ha": "right", "va": "top"}
    two = [
        figure.text(0.6 + aside / 4, 0.6, "one line\nand another\nand one more", **turned)
        for aside in (0, inches)
    ]
    assert two[0].get_window_extent().overlaps(two[1].get_window_extent())
    assert bool(overlaps(figure)) == do_they


def test_names_of_marks_at_one_place_are_moved_apart():
    met = {"median5_epochs": 6, "images_per_s": 500.0}
    runs = [run(learners=m, batch=b, **met) for m in ("1", "2") for b in (16, 64)]
    runs += [run(system="pytorch", learners="1", **met | {"median5_epochs": 6.05})]
    figure = drawn("time_split", tables(*runs))
    names = [text for text in figure.axes[0].texts if text.get_label() == _labels._MOVABLE]
    assert sum(name.get_visible() for name in names) == 5
    assert not overlaps(figure)
    for name in names:
        name.set_position((4, 0))
    assert overlaps(figure)


def test_a_run_that_fell_short_stands_at_the_epochs_it_ran():
    never = {"median5_s": None, "median5_epochs": None, "epochs": 50}
    runs = [run(learners=m, **never) for m in ("1", "2", "4", "8", "auto")]
    figure = drawn("time_split", tables(*runs))
    lines = figure.axes[0].get_lines()
    at = [x for line in lines if line.get_marker() == ">" for x in line.get_xdata()]
    assert set(at) == {50}


def test_lines_of_two_systems_differ_without_colour_and_marks():
    figure = drawn("accuracy_over_time", tables(run(), run(system="pytorch", learners="1")))
    styles = {line.get_linestyle() for line in figure.axes[0].get_lines() if line.get_marker()}
    assert {"-", "--"} <= styles


def test_many_rows_are_lower_each():
    few, _ = _panels.grid(range(4), range(2), (3, 2.2))
    many, _ = _panels.grid(range(16), range(2), (3, 2.2))
    assert few.get_figheight() == pytest.approx(9.0)
    assert many.get_figheight() == pytest.approx(16 * 1.6 + 0.2)


def test_every_number_of_learners_has_its_tick():
    cells = [run(learners=m, device_type="cuda") for m in ("1", "2", "4", "8", "16", "32")]
    for name in ("memory", "throughput"):
        figure = drawn(
            name, tables(*cells, run(system="pytorch", learners="1", device_type="cuda"))
        )
        said = [label.get_text() for label in figure.axes[0].get_xticklabels()]
        assert said == ["1", "2", "4", "8", "16", "32", "PyTorch"]


def test_a_name_that_was_moved_is_joined_with_its_mark():
    met = {"median5_epochs": 6, "images_per_s": 500.0}
    runs = [run(learners=m, batch=b, **met) for m in ("1", "2") for b in (16, 64)]
    figure = drawn("time_split", tables(*runs))
    names = [text for text in figure.axes[0].texts if text.get_label() == _labels._MOVABLE]
    for name in names:
        assert name.arrow_patch.get_visible() == (name.xyann[1] != 0)
    assert {name.xyann[1] != 0 for name in names} == {True, False}


def test_every_series_of_accuracies_has_its_marker_also_on_thin_lines():
    runs = [run(learners=m, lr=lr) for m in ("1", "4") for lr in (0.1, 0.2, 0.4)]
    runs += [run(system="pytorch", learners="1", lr=lr) for lr in (0.1, 0.2)]
    lines = drawn("accuracy_over_time", tables(*runs)).axes[0].get_lines()
    markers = [line.get_marker() for line in lines if len(line.get_xdata()) > 2]
    assert len(markers) == len(set(map(str, markers))) == len(runs)


@pytest.mark.parametrize("name", ["target_rules", "time_to_accuracy", "energy"])
def test_a_question_mark_at_the_edge_stands_free_of_what_was_measured(name):
    times = [
        {"median5_s": s, "first_s": s, "sustained_s": s, "joules_per_image": s} for s in (1, 9)
    ]
    runs = [run(device_type="cuda", seed=s, **one) for s, one in enumerate(times, 1)]
    figure = drawn(name, tables(*runs, not_run(device_type="cuda", seed=3)))
    found = 0
    for panel in figure.axes:
        boxes = {"$?$": [], "s": []}
        for line in panel.get_lines():
            if line.get_marker() in boxes and len(line.get_xdata()):
                size = line.get_markersize() * figure.dpi / 144
                at = line.get_transform().transform(line.get_xydata())[:, 0]
                boxes[line.get_marker()] += [(x - size, x + size) for x in at]
        found += len(boxes["$?$"])
        for (_, question), (mark, _) in itertools.product(boxes["$?$"], boxes["s"]):
            assert question < mark
    assert found


def test_throughput_of_many_devices_and_names_is_no_wider_than_a_page():
    names = [run(system="pytorch", learners="1", schedule=f"a long word {n}") for n in range(6)]
    runs = [run(devices=d, learners=m) for d in (1, 2, 4) for m in ("1", "2", "4", "8", "16")]
    figure = drawn("throughput", tables(*runs, *names))
    assert figure.get_figwidth() < 12
    assert len({panel.get_ylim() for panel in figure.axes}) == 1
    assert len(drawn("throughput", tables(*runs)).axes) == 3


def test_the_name_of_a_baseline_stands_below_the_axis():
    how = {"precision": "bf16", "compile": True, "channels_last": True, "graph": True}
    others = [run(system="pytorch", learners="1", **one) for one in (how, {"precision": "fp32"})]
    figure = drawn("throughput", tables(run(), *others))
    panel = figure.axes[0]
    for label in panel.get_xticklabels():
        assert label.get_window_extent().y1 < panel.get_window_extent().y0


def test_no_name_of_a_mark_hides_a_run():
    found = 0
    for panel in drawn("time_split", reference()).axes:
        names = [text for text in panel.texts if text.get_label() == _labels._MOVABLE]
        boxes = [_labels.box_of(name) for name in names if name.get_visible()]
        dots = [line.get_xydata() for line in panel.get_lines() if line.get_marker() == "."]
        found += len(boxes)
        for x, y in panel.transData.transform(np.concatenate([*dots, np.empty((0, 2))])):
            assert not any(box.contains(x, y) for box in boxes)
    assert found > 15
