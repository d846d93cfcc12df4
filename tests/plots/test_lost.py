"""A run that diverged or ran out of memory counts as the worst, in figures as in claims."""

import importlib

import numpy as np
import pytest
import synthetic
from synthetic import run, tables
from test_figures import draw
from test_measured import TRACE, traced

from plots import _caption

GPU = {"device_type": "cuda", "tau": 1, "variant": "released"}


def lost(**given):
    return synthetic.failed("out_of_memory", "CUDA out of memory", **GPU | given)


def seeds(number_lost, **given):
    """Three seeds, of which so many are lost."""
    return [
        lost(seed=seed, **given) if seed <= number_lost else run(seed=seed, **GPU | given)
        for seed in (1, 2, 3)
    ]


def medians(name, column, runs):
    """The medians and lower ends by series and learners."""
    _, table = draw(name, tables(*runs))
    of_two = table[table["learners"].astype(str) == "2"]
    return of_two[f"median_{column}"].iloc[0], of_two[f"low_{column}"].iloc[0]


BESIDE = [run(seed=s, learners=m, **GPU) for s in (1, 2, 3) for m in ("1", "4")]
# What each needs beside the three seeds, to have a figure at all.
OTHERS = {
    "throughput": BESIDE,
    "learners": BESIDE,
    "learners_and_batch": [run(learners=m, batch=b, **GPU) for m in ("1", "2") for b in (32, 64)],
    "synchronisation_frequency": [run(seed=s, **GPU | {"tau": 2}) for s in (1, 2, 3)],
    "scaling_methods": BESIDE,
    "hardware_efficiency": [run(seed=s, devices=2, **GPU) for s in (1, 2, 3)],
}


@pytest.mark.parametrize("name", OTHERS)
def test_two_of_three_seeds_lost_leave_no_median_throughput(name):
    beside = OTHERS[name]
    median, low = medians(name, "images_per_s", seeds(2) + beside)
    assert np.isnan(median) and low == 0
    kept = [one[0]["images_per_s"] for one in seeds(1)[1:]]
    median, low = medians(name, "images_per_s", seeds(1) + beside)
    assert median == min(kept) and low == 0


def test_a_lost_run_takes_more_energy_and_memory_than_any():
    _, table = draw("energy", tables(*seeds(2)))
    assert table["median_joules_per_image"].isna().all()
    assert set(table["high_joules_per_image"]) == {np.inf}
    lines = {}
    for number in (0, 1, 2):
        figure, _ = draw("memory", tables(*seeds(number), *BESIDE))
        (line,) = [one for one in figure.axes[0].get_lines() if one.get_linestyle() == "-"]
        lines[number] = list(line.get_xdata())
    assert lines == {0: [1, 2, 4], 1: [1, 2, 4], 2: [1, 4]}


def test_a_fixed_number_of_learners_that_lost_its_runs_is_a_cross():
    tuned = run(learners="auto", learners_final=3, **GPU)
    figure, table = draw("autotune", traced(TRACE, tuned, *seeds(2)))
    assert table.loc[table["kind"] == "fixed", "images_per_s"].isna().all()
    assert [line.get_marker() for line in figure.axes[1].get_lines()].count("x") == 1
    _, table = draw("autotune", traced(TRACE, tuned, *seeds(1)))
    assert table.loc[table["kind"] == "fixed", "images_per_s"].notna().all()


def test_a_speed_up_of_a_lost_run_is_none_but_not_that_beside_a_lost_one():
    one = [run(seed=s, **GPU) for s in (1, 2, 3)]
    many = [one[0] for one in seeds(2, devices=2)]
    _, table = draw("hardware_efficiency", tables(*one, *((row, []) for row in many)))
    of_two = table[table["devices"] == 2]
    assert of_two["median_speed_up"].isna().all() and set(of_two["low_speed_up"]) == {0}
    both = [run(seed=s, devices=2, **GPU) for s in (1, 2, 3)]
    _, table = draw("hardware_efficiency", tables(*seeds(2), *both))
    of_two = table[table["devices"] == 2]
    assert of_two["median_speed_up"].notna().all()  # of the seed that has a pair
    assert (of_two["low_speed_up"] > 0).all()


def test_of_configurations_without_a_median_that_with_lost_runs_is_not_the_best():
    never = {"median5_s": None, "median5_epochs": None}
    good = [run(seed=s, batch=64, final_acc=0.6, **GPU, **never) for s in (1, 2, 3)]
    bad = [run(seed=3, batch=16, final_acc=0.8, **GPU, **never)]
    bad += [lost(seed=s, batch=16) for s in (1, 2)]
    _, table = draw("time_to_accuracy_overview", tables(*good, *bad))
    assert set(table["batch"]) == {64}


@pytest.mark.parametrize("name", ["accuracy_over_time", "model_averaging"])
def test_a_median_accuracy_says_of_how_many_runs_it_is(name):
    runs = [run(seed=1, **GPU), synthetic.diverged(3, seed=2, **GPU)]
    runs += [lost(seed=3), run(seed=1, **GPU | {"variant": "ea-sgd"})]
    whole = tables(*runs)
    _, table = draw(name, whole)
    said = _caption.caption(importlib.import_module(f"plots.{name}"), whole.summary, table)
    assert "2 of 4 runs diverged or ran out of memory" in said
    whole = tables(runs[0], runs[-1])
    said = _caption.caption(importlib.import_module(f"plots.{name}"), whole.summary, table)
    assert "diverged or ran out of memory: medians" not in said
