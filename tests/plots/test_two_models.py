"""Two models on one machine: each row of panels has its own names, marks and places."""

from functools import cache

import pandas as pd
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from synthetic import run, tables
from test_legible import drawn

from plots import _caption, _legends, _points, _runs, _series, style, time_to_accuracy

OTHER = {"model": "resnet32", "dataset": "cifar10", "target": 0.88}


@cache
def two_models():
    """One network where the rate alone is varied, and one in two variants, on more devices."""
    runs = [run(learners=m, lr=0.03) for m in ("1", "2", "4", "auto")]
    runs += [run(learners="4", lr=lr) for lr in (0.01, 0.1)]
    runs += [run(system="pytorch", learners="1", lr=lr) for lr in (0.01, 0.03, 0.1)]
    runs += [
        run(learners=m, variant=variant, devices=devices, **OTHER)
        for m in ("1", "2", "4")
        for variant in ("released", "ea-sgd")
        for devices in (1, 2)
    ]
    return tables(*runs)


def legend(figure):
    (only,) = figure.legends
    said = [(text.get_text(), text.get_fontweight()) for text in only.get_texts()]
    return [one for one in said if one[0].strip()]


def test_what_one_model_alone_has_stands_below_its_name():
    said = legend(drawn("epochs_to_accuracy", two_models()))
    bold = [text for text, weight in said if weight == "bold"]
    assert bold == ["lenet on digits to 90%", "resnet32 on cifar10 to 88%"]
    names = [text for text, _ in said]
    assert names.index(bold[0]) < names.index("PyTorch, lr 0.1") < names.index(bold[1])
    assert names.index(bold[1]) < names.index("Crossbow m=4, ea-sgd")


def test_no_column_of_a_legend_ends_with_a_heading():
    marks = [_legends.grey(f"mark {turn}", marker="o") for turn in range(20)]
    for place in range(1, 20):
        figure = Figure(figsize=(4.5, 2))
        _legends.legend(figure, [*marks[:place], _legends._heading("a model"), *marks[place:]])
        figure.draw_without_rendering()
        columns = {}
        for text in figure.legends[0].get_texts():
            columns.setdefault(round(text.get_window_extent().x0), []).append(text.get_text())
        assert len(columns) > 1
        assert all([*filter(str.strip, own)][-1] != "a model" for own in columns.values())


def test_what_both_models_have_is_named_once_and_first():
    runs = [run(learners=m, **of) for m in ("1", "2") for of in ({}, OTHER)]
    said = legend(drawn("epochs_to_accuracy", tables(*runs, run(learners="4", **OTHER))))
    assert [text for text, _ in said][:4] == [
        "Crossbow m=1",
        "Crossbow m=2",
        "resnet32 on cifar10 to 88%",
        "Crossbow m=4",
    ]


def test_no_two_series_of_a_model_have_one_marker():
    figure = drawn("epochs_to_accuracy", two_models())
    (only,) = figure.legends
    groups = [[]]
    for line in only.legend_handles:
        if line.get_marker() == line.get_linestyle() == "None":
            groups.append([])
        elif not same_color(line.get_color(), style.INK) and line.get_markerfacecolor() != "white":
            groups[-1].append(str(line.get_marker()))
    assert [len(group) for group in groups][:3] == [0, 9, 6]
    assert all(len(set(group)) == len(group) for group in groups)


def test_the_rate_that_goes_without_saying_is_one_for_all_numbers_of_learners():
    runs = _series.name_series(
        _runs.prepare(two_models().summary), ["workload", "devices", "batch"]
    )
    unsaid = runs[runs["series"].str.fullmatch(r"Crossbow (m=\d|auto)")]
    assert set(unsaid["lr"]) == {0.03} and set(unsaid["learners"]) == {"1", "2", "4", "auto"}


def test_captions_say_the_rate_that_goes_without_saying():
    given = two_models().summary
    said = _caption.caption(time_to_accuracy, given, given)
    assert "Where a name has no learning rate it is 0.03 of Crossbow (lenet on digits to 9" in said
    one = given[given["model"] == OTHER["model"]]
    assert "no learning rate" not in _caption.caption(time_to_accuracy, one, one)


def test_a_series_alone_stands_at_its_tick_and_several_around_it():
    runs = pd.DataFrame({"x": [1, 1, 1, 2, 4, 4], "series": [*"aba", "b", *"cb"]})
    assert list(_points.turns(runs, "abc")) == [-0.5, 0.5, -0.5, 0, 0.5, -0.5]
    panel = drawn("throughput", two_models()).axes[0]
    at = {x for line in panel.get_lines() if line.get_marker() == "o" for x in line.get_xdata()}
    assert set(panel.get_xticks()[:2]) <= at


def test_a_star_hides_no_number_of_learners_that_was_fixed():
    given = tables(*(run(learners=m) for m in ("1", "2", "3", "auto")))  # that ends with 3
    for name in ("learners", "throughput"):
        lines = drawn(name, given).axes[0].get_lines()
        stars = {x for line in lines if line.get_marker() == "*" for x in line.get_xdata()}
        fixed = {x for line in lines if line.get_marker() == "o" for x in line.get_xdata()}
        assert len(stars) == 1 and not stars & fixed
        assert sum(x < min(stars) for x in fixed) == 3


def test_a_panel_of_which_nothing_was_planned_has_no_words():
    figure = drawn("time_split", two_models())
    (blank,) = [panel for panel in figure.axes if not panel.axison]
    assert not blank.get_title("left")
    assert not any(text.get_visible() for text in blank.texts)


def test_a_model_has_places_for_its_own_baselines_alone():
    device = {"device_type": "cuda"}
    runs = [run(learners=m, **of, **device) for m in ("1", "2") for of in ({}, OTHER)]
    slow = run(system="pytorch", learners="1", precision="fp32", **OTHER, **device)
    fast = run(system="pytorch", learners="1", precision="bf16", **OTHER, **device)
    given = tables(*runs, run(system="pytorch", learners="1", **device), slow, fast)
    for name, columns in (("throughput", 1), ("memory", 2)):
        first, *_, last = drawn(name, given).axes[::columns]
        said = [[text.get_text() for text in panel.get_xticklabels()] for panel in (first, last)]
        assert said == [["1", "2", "PyTorch"], ["1", "2", "PyTorch, bf16", "PyTorch, fp32"]]
        assert list(first.get_xticks()[:2]) == list(last.get_xticks()[:2])
        inches = [panel.get_window_extent().width for panel in (first, last)]
        assert inches[0] == inches[1]
    right = drawn("memory", given).axes[1]
    assert [text.get_text() for text in right.get_xticklabels()] == ["1", "2"]
