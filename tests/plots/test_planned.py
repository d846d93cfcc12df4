"""What was planned and not run is on every figure; where nothing was planned nothing is said."""

import importlib
import re
from dataclasses import replace

import pytest
import synthetic
from synthetic import run, tables
from test_figures import draw, words
from test_say import not_run

from plots import _absent, _caption, _points, _runs, _series

# Two settings of one cell that most figures tell apart, on CUDA where memory and energy are known.
ON = {"device_type": "cuda", "tau": 1}


def cells():
    """A matrix for every figure: one seed of each configuration, and a later repeat of each."""
    shapes = [{"learners": m, "batch": b} for m in ("1", "2", "4") for b in (16, 64)]
    shapes += [{"devices": 2}, {"tau": 0}, {"variant": "ea-sgd"}, {"learners": "auto"}]
    shapes += [{"system": "pytorch", "learners": "1"}]
    return [ON | shape for shape in shapes]


def marks(figure):
    return [
        line
        for panel in figure.axes
        if panel.get_visible()
        for line in panel.get_lines()
        if line.get_marker() == _absent.NOT_RUN["marker"]
    ]


MARKED = ["autotune", "energy", "epochs_to_accuracy", "hardware_efficiency", "learners", "memory"]
MARKED += ["model_averaging", "noise_floor", "scaling_methods", "synchronisation_frequency"]
MARKED += ["synchronisation_overhead", "target_rules", "throughput", "time_to_accuracy"]
MARKED += ["time_to_accuracy_overview"]
SAID = ["accuracy_over_time", "learners_and_batch", "time_split", "time_to_any_accuracy"]


@pytest.mark.parametrize("name", [*MARKED, *SAID])
def test_a_run_that_was_planned_is_on_the_figure(name):
    made = [run(**cell, repeat=1) for cell in cells()]
    again = [run(**cells()[0], run="again")]
    again[0][0]["repeat"] = 2
    shapes = {"learners": "8"}, {"learners": "8", "batch": 64}, {"devices": 4}
    planned = [not_run(**ON | shape) for shape in shapes]
    planned += [not_run(**ON | {"variant": "ea-sgd", "learners": "4"})]
    planned += [not_run(**ON | {"tau": 0, "learners": "4"}), not_run(**ON | {"learners": "auto"})]
    planned += [not_run(**ON | {"learners": "auto", "batch": 64})]
    planned += [not_run(**ON | {"learners": "auto", "devices": 4})]
    planned += [not_run(**ON | {"system": "pytorch", "learners": "1", "batch": 256})]
    if name == "noise_floor":
        planned = [not_run(**cells()[1], run="later")]
        planned[0][0]["repeat"] = 2
    whole, without = tables(*made, *again, *planned), tables(*made, *again)
    figure, table = draw(name, whole)
    before, _ = draw(name, without)
    assert not marks(before) and "not run" not in words(before)
    assert "not run" in words(figure)  # by the legend, where there are marks
    assert bool(marks(figure)) == (name in MARKED)
    module = importlib.import_module(f"plots.{name}")
    said = _caption.caption(module, whole.summary, table)
    assert "planned runs" in said or "1 more planned pair was not run" in said


@pytest.mark.parametrize("name", ["accuracy_over_time", "time_split", "throughput"])
def test_where_nothing_was_planned_nothing_is_said(name):
    here = run(device_type="cuda")
    other = {"model": "vgg16", "devices": 2, "device_type": "cuda"}
    figure, _ = draw(name, tables(here, run(**other)))
    assert "not run" not in words(figure) and not marks(figure)
    beside = run(**other | {"devices": 1})
    figure, _ = draw(name, tables(here, beside, not_run(**other)))
    assert words(figure).count("not run") == 1
    assert sum(panel.axison for panel in figure.axes) == 3  # of four
    assert words(figure).count("2 devices") <= 1  # over the panel that was planned alone


def test_a_batch_that_was_not_planned_has_no_panel():
    made = [run(batch=16), run(batch=64), run(batch=16, devices=2)]
    figure, _ = draw("time_to_any_accuracy", tables(*made))
    assert "not run" not in words(figure)
    assert sum(panel.get_visible() for panel in figure.axes) == 3


def test_a_pair_that_was_not_run_did_not_fail():
    base = {"tau": 1, "variant": "released"}
    made = [run(**base, seed=1), run(**base, seed=2), run(**base, seed=3)]
    never = [run(**base | {"tau": 0}, seed=1), not_run(**base | {"tau": 0}, seed=2)]
    figure, table = draw("synchronisation_overhead", tables(*made, *never))
    assert len(marks(figure)) == 1 and "failed" not in words(figure)
    assert table["against_never"].notna().sum() == 1
    broken = synthetic.failed("failed", "the driver went away", **base | {"tau": 0}, seed=2)
    figure, _ = draw("synchronisation_overhead", tables(*made, never[0], broken))
    assert not marks(figure) and "failed" in words(figure)


@pytest.mark.parametrize("number", [1, 2, 5, 20])
def test_series_side_by_side_stay_at_their_place(number):
    shifts = list(_points.side_by_side([str(place) for place in range(number)]).values())
    assert len(set(shifts)) == number
    assert 2**-0.1001 < min(shifts) <= 1 <= max(shifts) < 2**0.1001


def test_twenty_series_stand_at_their_devices():
    rates = [0.01 * place for place in range(1, 21)]
    runs = [run(lr=lr, devices=devices) for lr in rates for devices in (1, 8)]
    figure, _ = draw("hardware_efficiency", tables(*runs))
    at = [x for line in figure.axes[0].get_lines() for x in line.get_xdata()]
    assert all(0.9 < x < 1.1 or 7.4 < x < 8.6 for x in at)


def test_an_amount_that_is_named_in_one_cell_is_named_in_all():
    cells = [(1, 0.1), (1, 0.3), (2, 0.1), (4, 0.3)]
    given = tables(*(run(devices=n, lr=rate) for n, rate in cells)).summary
    runs = _series.name_series(_runs.prepare(given), ["workload", "devices", "batch"])
    assert list(runs["series"]) == [f"Crossbow m=2, lr {rate}" for _, rate in cells]


def test_the_usual_setting_goes_without_saying():
    shapes = [(m, b) for m in ("1", "2", "4") for b in (16, 64)]
    made = [run(learners=m, batch=b, tau=1, alpha="1/k") for m, b in shapes]
    made += [run(learners="4", batch=64, tau=1, alpha=0.1)]
    runs = _series.name_series(
        _runs.prepare(tables(*made).summary), ["devices", "batch", "learners"]
    )
    assert set(runs["series"][:-1].str.split(",").str[1:].map(tuple)) == {()}
    assert runs["series"].iloc[-1].endswith("α 0.1")
    figure, table = draw("learners_and_batch", tables(*made))
    assert len(table) == 6 and "not run" not in words(figure)


def test_captions_say_what_the_schedule_does_to_epochs():
    whole = tables(run(epochs=50, schedule="cosine(warmup=0.1)"))
    for name in ("epochs_to_accuracy", "time_split"):
        module = importlib.import_module(f"plots.{name}")
        _, table = draw(name, whole)
        said = _caption.caption(module, whole.summary, table)
        assert "planned for 50 epochs, over which a cosine schedule" in said
        constant = replace(whole, summary=whole.summary.assign(schedule="constant"))
        assert "planned for" not in _caption.caption(module, constant.summary, table)


def test_a_run_that_makes_no_error_is_drawn(recwarn):
    row, epochs = run(target=1.0)
    perfect = [one | {"test_acc": 1.0} for one in epochs]
    for name in ("time_to_any_accuracy", "accuracy_over_time"):
        draw(name, tables((row, perfect), run(seed=2, target=1.0)))
        draw(name, tables((row, perfect)))
    assert not [one for one in recwarn if "divide" in str(one.message)]


def test_a_caption_of_an_empty_figure_names_the_machine():
    whole = tables(run(seed=1), not_run(seed=2))
    module = importlib.import_module("plots.noise_floor")
    said = _caption.caption(module, whole.summary, draw("noise_floor", whole)[1])
    assert "n = 0 runs; the matrix has 1 of 2 planned runs. 2 x AMD EPYC, Linux." in said


def test_a_caption_says_whether_repeats_are_of_one_commit():
    pair = [run(repeat=1, commit="1111111"), run(repeat=2, commit="2222222", run="again")]
    for (row, _), repeat in zip(pair, (1, 2), strict=True):
        row["repeat"] = repeat
    whole = tables(*pair)
    module = importlib.import_module("plots.noise_floor")
    figure, table = draw("noise_floor", whole)
    said = _caption.caption(module, whole.summary, table)
    assert "0 of 1 pair ran one commit. The later runs are of 2222222." in said
    assert "one pair, × " in words(figure) and "95%" not in words(figure)


@pytest.mark.parametrize("unknown", [None, "", float("nan")])
def test_unknown_commits_are_not_the_same(unknown):
    whole = tables(*(run(repeat=repeat, run=f"run {repeat}") for repeat in (1, 2)))
    averaged = synthetic.averaging_matrix().summary.query("devices == 1")
    for name, summary in (
        ("noise_floor", whole.summary.assign(commit=unknown)),
        ("synchronisation_overhead", averaged.assign(commit=unknown)),
        ("synchronisation_overhead", averaged.drop(columns="commit")),
    ):
        _, table = draw(name, replace(whole, summary=summary))
        said = _caption.caption(importlib.import_module(f"plots.{name}"), summary, table)
        assert re.search(r"\b0 of \d+ pairs? ran one commit", said) and "Commit" not in said


def test_a_workload_of_which_nothing_was_run_takes_no_panels_and_is_named_below():
    other = {"model": "vgg16", "dataset": "cifar100"}
    made = [run(machine="a"), run(machine="b", seed=2)]  # of two machines workloads tell them
    planned = [not_run(**other), not_run(**other, seed=2), not_run(learners="8")]
    whole = tables(*made, *planned)
    assert set(_runs.prepare(whole.summary)["model"]) == {made[0][0]["model"]}
    assert "8" in set(_runs.prepare(whole.summary)["learners"])
    figure, table = draw("time_to_accuracy", whole)
    assert "vgg16" not in words(figure)
    text = _caption.caption(importlib.import_module("plots.time_to_accuracy"), whole.summary, table)
    assert "Nothing was run of vgg16 on cifar100 to" in text and "2 planned." in text
    assert "Nothing" not in _caption.caption(_runs, tables(*planned).summary, table)
    assert len(_runs.prepare(tables(*planned).summary)) == 3


def test_of_several_machines_what_was_planned_stands_with_the_runs_like_it():
    one, other = {"machine": "a box"}, {"machine": "the other"}
    made = [run(learners="2", **one), run(learners="4", **other), run(learners="4", seed=2, **one)]
    made += [run(learners="4", seed=3, **other), run(devices=2, learners="2", **other)]
    planned = [not_run(learners="2", seed=2), not_run(learners="2", seed=3)]
    planned += [not_run(learners="4", seed=4), not_run(learners="8", devices=2)]
    planned += [not_run(learners="8", devices=4)]
    runs = _runs.prepare(tables(*made, *planned).summary)
    of_planned = runs.loc[_runs.is_planned(runs), "workload"].str.rpartition(", ")[2]
    assert list(of_planned) == ["a box", "a box", "the other", "the other", "the other"]
    figure, table = draw("time_to_accuracy", tables(*made, *planned))
    assert set(table["workload"].str.rpartition(", ")[2]) == {"a box", "the other"}
    assert "(2 not run)" in words(figure) and "(1 not run)" in words(figure)
    on_cpu = [run(**one), run(**other), not_run(device_type="cuda")]
    assert "machine not known" in words(draw("time_to_accuracy", tables(*on_cpu))[0])
