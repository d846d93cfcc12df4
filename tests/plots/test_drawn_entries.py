"""An entry of a legend shows what its figure draws."""

import pytest
from matplotlib.figure import Figure
from synthetic import run, tables
from test_legible import drawn
from test_say import not_run

from plots import _legends
from plots._entries import Entry


def shown(figure):
    """Marker, hollow or not, and line of each entry, by its words."""
    (legend,) = figure.legends
    return {
        text.get_text(): (
            line.get_marker(), line.get_markerfacecolor() == "white", line.get_linestyle() != "None"
        )
        for text, line in zip(legend.get_texts(), legend.legend_handles, strict=True)
    }  # fmt: skip


def test_a_series_that_never_got_there_has_the_hollow_mark_that_is_drawn():
    never = run(learners="8", median5_epochs=None, median5_s=None)
    runs = [run(learners=m, batch=b) for m, b in (("1", 16), ("1", 32), ("2", 16))]
    said = shown(drawn("epochs_to_accuracy", tables(*runs, never)))
    assert said["Crossbow m=1"] == ("o", False, True)
    assert said["Crossbow m=2"] == ("s", False, False)  # of one batch: there is no line
    assert said["Crossbow m=8"] == ("^", True, False)
    assert shown(drawn("time_split", tables(*runs, never)))["Crossbow m=8"] == (">", True, False)


def test_kinds_of_marks_are_named_where_there_are_any():
    runs = [run(learners=m) for m in ("1", "2")]
    never = run(learners="4", median5_epochs=None, median5_s=None)
    assert "target not reached" not in shown(drawn("time_split", tables(*runs)))
    assert "target not reached" in shown(drawn("time_split", tables(*runs, never)))
    assert "not the best, or one run" not in shown(drawn("accuracy_over_time", tables(*runs)))
    more = [run(learners="2", lr=lr) for lr in (0.2, 0.4)]
    figure = drawn("accuracy_over_time", tables(*runs, *more))
    assert "not the best, or one run" in shown(figure)


@pytest.mark.parametrize("name", ["epochs_to_accuracy", "model_averaging", "learners"])
def test_an_interval_is_named_where_a_median_has_one(name):
    given = [
        [run(learners=m, variant=v, seed=s, median5_s=s, median5_epochs=s, images_per_s=s)
         for m in ("1", "2") for v in ("released", "ea-sgd") for s in seeds]
        for seeds in ([1], [1, 2])
    ]  # fmt: skip
    one, two = (shown(drawn(name, tables(*runs))) for runs in given)
    assert "interval of the median" not in one and "interval of the median" in two


def test_a_batch_that_was_planned_alone_has_a_question_mark():
    runs = [run(learners=m, batch=16) for m in ("1", "2")]
    said = shown(drawn("throughput", tables(*runs, not_run(batch=64, learners="1"))))
    assert said["batch 16"][0] == "o" and said["batch 64"][0] == "$?$"


def test_ways_of_crossbow_have_their_fillings_in_memory():
    told = {"device_type": "cuda", "memory_bytes": 2**30, "learner_memory_bytes": 2**28}
    runs = [run(learners=m, variant=v, **told) for m in "12" for v in ("released", "ea-sgd")]
    figure = drawn("memory", tables(*runs))
    fillings = {
        line.get_fillstyle()
        for line in figure.axes[0].get_lines()
        if line.get_marker() == "o" and len(line.get_xdata())
    }
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    entries = dict(zip(names, legend.legend_handles, strict=True))
    of_legend = {entries[f"Crossbow, {name}"].get_fillstyle() for name in ("released", "ea-sgd")}
    assert of_legend == fillings and len(fillings) == 2


def test_what_is_not_drawn_has_no_entry_and_no_heading():
    figure = Figure()
    panel = figure.subplots()
    panel.plot([1, 2], [1, 2], label="a line", color="green")
    panel.plot([], [], label="nothing", color="red", marker="o")
    hidden = panel.plot([1, 2], [1, 2], label="hidden", color="blue")[0]
    hidden.set_visible(False)
    entries = [
        _legends._heading("a model"), Entry(label="nothing", color="red", marker="o"),
        _legends._heading("another"), Entry(label="a line", color="green", marker="o"),
        Entry(label="hidden", color="blue", linestyle="-"),
    ]  # fmt: skip
    _legends.legend(figure, entries)
    said = {text: look for text, look in shown(figure).items() if text.strip()}
    assert said == {"another": ("None", False, False), "a line": ("None", False, True)}
