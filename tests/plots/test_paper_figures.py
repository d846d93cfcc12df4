"""The figures that compare runs in one respect: which runs, and the numbers of each."""

import importlib
from dataclasses import replace

import pandas as pd
import pytest
import synthetic
from synthetic import run, tables
from test_figures import draw, words
from test_say import not_run

from plots import _caption, synchronisation_overhead

ALL = ["accuracy_over_time", "epochs_to_accuracy", "hardware_efficiency", "learners"]
ALL += ["learners_and_batch", "model_averaging", "synchronisation_frequency"]
ALL += ["synchronisation_overhead", "throughput", "time_to_accuracy", "time_to_accuracy_overview"]
# Of runs that differ in one respect; the others draw any run.
OF_DIFFERENCES = ["hardware_efficiency", "learners", "learners_and_batch", "model_averaging"]
OF_DIFFERENCES += ["synchronisation_frequency", "synchronisation_overhead"]
NEVER = {"median5_s": None, "median5_epochs": None}


def seeds(values, column="images_per_s", **given):
    """A run for each value of a column, of the seeds 1, 2, ..."""
    return [run(seed=seed, **{column: value}, **given) for seed, value in enumerate(values, 1)]


def everything(**given):
    """A matrix that has something for every figure."""
    cells = [{"learners": m, "batch": b, "tau": 1} for m in ("1", "2", "4") for b in (16, 64)]
    cells += [{"devices": 2, "tau": 1}, {"tau": 0}, {"variant": "ea-sgd", "tau": 1}]
    cells += [{"variant": "ssgd", "tau": 1}, {"system": "pytorch", "learners": "1"}]
    return [run(**cell | given, seed=seed) for cell in cells for seed in (1, 2)]


@pytest.mark.parametrize("name", ALL)
def test_nothing_at_all_is_said_on_the_figure(name):
    figure, table = draw(name, synthetic.empty_tables())
    assert "no runs to show: the summary is empty" in words(figure)
    assert table.empty and len(table.columns)


@pytest.mark.parametrize("name", OF_DIFFERENCES)
def test_one_run_differs_from_nothing(name):
    figure, table = draw(name, tables(run(tau=1)))
    assert "no runs to show: none" in words(figure) and table.empty


@pytest.mark.parametrize("name", ALL)
def test_a_matrix_where_nobody_reached_the_target_is_drawn(name):
    figure, table = draw(name, tables(*everything(target=0.999, **NEVER)))
    assert len(table) and "no runs to show" not in words(figure)
    medians = [column for column in table if column in ("median_s", "median_median5_s")]
    assert table[medians].isna().all(axis=None)


@pytest.mark.parametrize("name", ALL)
def test_machines_are_apart(name):
    both = everything() + everything(machine="a laptop")
    _, table = draw(name, tables(*both))
    assert table["workload"].nunique() == 2


@pytest.mark.parametrize("name", ALL)
def test_four_models_on_four_numbers_of_devices_are_drawn(name):
    figure, table = draw(name, synthetic.four_models())
    if name not in OF_DIFFERENCES[3:]:
        assert table["workload"].nunique() == 4
        assert "resnet50 on imagenet to 53%" in words(figure).replace("\n", " ")


@pytest.mark.parametrize("name", [*OF_DIFFERENCES, "time_to_accuracy_overview"])
def test_the_caption_counts_the_runs_that_are_shown(name):
    whole = tables(*everything())
    _, table = draw(name, whole)
    runs = table["runs"].sum() if name == "learners_and_batch" else table["run"].nunique()
    said = _caption.caption(importlib.import_module(f"plots.{name}"), whole.summary, table)
    assert f"n = 2 seeds per configuration, {runs:g} runs." in said


def test_a_speed_up_stands_at_its_devices_where_the_ideal_is_its_own():
    runs = [
        run(devices=n, learners=m, images_per_s=100.0 * n) for n in (1, 4) for m in ("1", "2", "4")
    ]
    figure, _ = draw("hardware_efficiency", tables(*runs))
    _, speed_up = figure.axes
    marks = [line for line in speed_up.get_lines() if line.get_marker() != "None"]
    assert len(marks) > 3
    assert all(set(line.get_xdata()) <= {1, 4} for line in marks)


def test_speed_up_is_over_the_same_seed_on_one_device():
    one = seeds([100.0, 110.0], learners="2")
    two = seeds([180.0, 209.0, 400.0], learners="2", devices=2)
    alone = seeds([900.0], system="pytorch", learners="1")
    _, table = draw("hardware_efficiency", tables(*one, *two, *alone))
    assert set(table["series"]) == {"Crossbow m=2"}
    on_two = table[table["devices"] == 2]
    assert list(on_two["speed_up"])[:2] == pytest.approx([1.8, 1.9])
    assert pd.isna(on_two["speed_up"].iloc[2])  # no run of that seed on one device
    assert set(on_two["median_speed_up"].round(9)) == {1.85}
    assert set(on_two["median_efficiency"].round(9)) == {0.925}
    assert set(on_two["median_images_per_s"]) == {209.0}
    assert set(on_two["low_images_per_s"]) == {180.0}
    assert set(on_two["high_images_per_s"]) == {400.0}


def test_devices_are_compared_at_equal_settings_whatever_else_was_tried_on_one():
    given = [run(learners="1", lr=0.1, images_per_s=90.0)]
    given += [run(learners="1", lr=0.3, devices=n, images_per_s=r) for n, r in ((1, 100), (4, 390))]
    given += [run(system="pytorch", learners="1", lr=0.1 / n, devices=n) for n in (1, 4)]
    _, table = draw("hardware_efficiency", tables(*given))
    assert set(table["series"]) == {"Crossbow m=1"}
    assert list(table["images_per_s"]) == [100.0, 390.0]
    assert list(table["speed_up"]) == pytest.approx([1.0, 3.9])


def test_synchronous_sgd_whose_rate_rises_with_its_batch_is_one_series():
    ssgd = {"system": "pytorch", "learners": "1"}
    at = [run(**ssgd, lr=lr, devices=n, images_per_s=r) for lr, n, r in ((0.1, 1, 9), (0.4, 4, 27))]
    crossbow = [run(learners="1", lr=0.1 * n, devices=n) for n in (1, 4)]
    _, table = draw("hardware_efficiency", tables(*at, *crossbow))
    assert set(table["series"]) == {"PyTorch"}
    assert list(table["speed_up"]) == pytest.approx([1.0, 3.0])
    another = run(**ssgd, lr=0.8, devices=4)  # of two rates neither is that of the batch
    assert draw("hardware_efficiency", tables(*at, another))[1].empty


def test_without_runs_on_one_device_there_is_no_speed_up():
    runs = seeds([180.0], devices=2) + seeds([300.0], devices=4)
    figure, table = draw("hardware_efficiency", tables(*runs))
    assert table["speed_up"].isna().all() and "nothing on one device" in words(figure)


def test_the_trade_off_has_medians_of_all_three():
    few = seeds([2.0, 3.0, 4.0], "median5_s", learners="1", images_per_s=50.0, median5_epochs=6)
    many = seeds([1.0, None, None], "median5_s", learners="4", images_per_s=80.0)
    many = [(row | {"median5_epochs": row["median5_s"] and 9}, rows) for row, rows in many]
    alone = seeds([1.0], "median5_s", learners="2", batch=64)
    _, table = draw("learners", tables(*few, *many, *alone))
    assert set(table["batch"]) == {16}
    by_learners = table.drop_duplicates("learners").set_index("learners")
    assert list(by_learners["median_images_per_s"]) == [50, 80]
    assert by_learners.loc["1", ["median_median5_s", "median_median5_epochs"]].tolist() == [3, 6]
    assert by_learners.loc["4", ["median_median5_s", "median_median5_epochs"]].isna().all()
    assert (
        by_learners.loc["4", "low_median5_s"] == 1 and by_learners.loc["4", "high_median5_s"] > 1e9
    )


def test_cells_without_a_median_say_why():
    cells = [seeds([5.0] * 3, "median5_s", learners="1", batch=16, images_per_s=1234.0)]
    cells += [seeds([1.0, None, None], "median5_s", learners="2", batch=64)]
    cells += [[synthetic.failed("out_of_memory", "too big", learners="4", batch=64)]]
    cells += [seeds([4.0] * 3, "median5_s", learners="4", batch=16)]
    figure, table = draw("learners_and_batch", tables(*(one for cell in cells for one in cell)))
    assert len(table) == 4 and table["runs"].sum() == 10
    cell = table.set_index(["batch", "learners"]).loc[(16, 1)]
    assert (cell["median_median5_s"], cell["median_images_per_s"]) == (5, 1234)
    found = words(figure)
    assert "not run" not in found  # two cells were not planned
    assert "1 of 3\nreached" in found and found.count("1 out of memory") == 2
    assert "5.00" in found and "1.23k" in found


def test_frequencies_are_compared_where_nothing_else_differs():
    often = seeds([100.0, 120.0, 110.0], tau=1, final_acc=0.9)
    never = seeds([130.0], tau=0, final_acc=0.8)
    other = seeds([300.0], tau=4, lr=0.5)
    figure, table = draw("synchronisation_frequency", tables(*often, *never, *other))
    assert set(table["tau"]) == {"0", "1"}
    medians = table.drop_duplicates("tau").set_index("tau")
    assert medians["median_images_per_s"].to_dict() == {"1": 110, "0": 130}
    assert medians["median_final_acc"].to_dict() == {"1": 0.9, "0": 0.8}
    assert "never" in words(figure)


def test_overhead_is_of_pairs_of_one_seed():
    runs = seeds([90.0, 160.0], tau=1, variant="released") + seeds([100.0, 200.0], tau=0)
    runs = [(row | {"variant": "released"}, rows) for row, rows in runs]
    runs += seeds([80.0, 200.0, 70.0], tau=1, variant="ssgd")
    _, table = draw("synchronisation_overhead", tables(*runs))
    ours, theirs = (table[table["variant"] == name] for name in ("released", "ssgd"))
    assert list(ours["against_never"]) == pytest.approx([0.9, 0.8])
    assert list(ours["against_ssgd"]) == pytest.approx([90 / 80, 0.8])
    assert set(ours["median_against_never"].round(9)) == {0.85}
    assert list(theirs["against_never"])[:2] == pytest.approx([0.8, 1.0])
    assert pd.isna(theirs["against_never"].iloc[2]) and theirs["against_ssgd"].isna().all()


def test_a_caption_says_which_shares_of_throughput_are_of_one_commit():
    runs = seeds([90.0, 160.0, 100.0], tau=1)
    runs += [run(tau=0, seed=1), run(tau=0, seed=2, commit="another"), not_run(tau=0, seed=3)]
    figure, table = draw("synchronisation_overhead", whole := tables(*runs))
    said = _caption.caption(synchronisation_overhead, whole.summary, table)
    assert "1 of 2 pairs ran one commit. Nothing was planned for throughput relative to S" in said
    (panel,) = figure.axes
    low, high = panel.get_ylim()
    assert table["against_never"].min() > low + 0.15 * (high - low)  # above the question mark


def test_another_shape_is_no_reference():
    runs = seeds([90.0], tau=1) + seeds([100.0], tau=0, learners="4")
    figure, table = draw("synchronisation_overhead", tables(*runs))
    assert table.empty and "no runs to show" in words(figure)


def test_ways_to_average_are_compared_at_one_shape():
    sma = [run(seed=seed, variant="released", median5_s=float(seed)) for seed in (1, 2, 3)]
    elastic = [run(seed=seed, variant="ea-sgd", mu=0.0, median5_s=4.0) for seed in (1, 2)]
    elastic += [synthetic.diverged(2, seed=3, variant="ea-sgd", mu=0.0)]
    other = [run(variant="ea-sgd", learners="4")]
    figure, table = draw("model_averaging", tables(*sma, *elastic, *other))
    assert set(table["learners"]) == {"2"}
    times = table[table["kind"] == "time"].drop_duplicates("variant").set_index("variant")
    assert times["median_s"].to_dict() == {"released": 2.0, "ea-sgd": 4.0}
    epochs = table[(table["kind"] == "accuracy") & (table["epoch"] == 5)].set_index("variant")
    measured = [rows[4]["test_acc"] for _, rows in sma]
    assert epochs.loc["released", "median_acc"] == sorted(measured)[1]
    assert epochs.loc["released", "lowest_acc"] == min(measured)
    assert epochs.loc["ea-sgd", "runs"] == 2
    assert "EA-SGD" in words(figure) and "4.00 s, 2 of 3 reached (1 diverged)" in words(figure)


def test_the_overview_shows_the_best_of_each_system():
    cells = {
        5.0: {"learners": "1"},
        3.0: {"learners": "2"},
        2.0: {"learners": "4"},
        1.0: {"learners": "2", "variant": "ssgd"},
        0.5: {"learners": "4", "tau": 0},
        4.0: {"system": "pytorch", "learners": "1", "batch": 64},
        6.0: {"system": "pytorch", "learners": "1", "batch": 16},
    }
    runs = [
        run(median5_s=time, seed=seed, **cell) for time, cell in cells.items() for seed in (1, 2)
    ]
    figure, table = draw("time_to_accuracy_overview", tables(*runs, run(devices=2, learners="2")))
    on_one = table[table["devices"] == 1]
    assert on_one.groupby("group")["median_s"].first().to_dict() == {
        "Crossbow, m = 1": 5.0,
        "Crossbow, best m > 1": 2.0,
        "PyTorch": 4.0,
    }
    named = [
        label.get_text().replace("\n", " ") for label in figure.axes[0].get_xticklabels(minor=True)
    ]
    assert named == ["b=64", "m=1 b=16", "m=4 b=16", "", "", "m=2 b=16"]


def test_what_reached_the_target_goes_before_what_did_not():
    runs = seeds([None, None, 0.1], "median5_s", learners="2", batch=64)
    runs += seeds([None] * 3, "median5_s", learners="2", batch=16)
    _, table = draw("time_to_accuracy_overview", tables(*runs))
    assert set(table["batch"]) == {64} and table["median_s"].isna().all()


def test_summaries_without_variant_and_tau_are_drawn():
    whole = tables(*everything())
    older = replace(whole, summary=whole.summary.drop(columns=["variant", "tau"]))
    assert draw("synchronisation_frequency", older)[1].empty
    assert len(draw("time_to_accuracy_overview", older)[1])


@pytest.mark.parametrize("name", ["learners", "learners_and_batch"])
def test_runs_at_a_rate_that_other_learners_lack_are_named_as_left_out(name):
    runs = [run(learners=m, batch=b, lr=0.3) for m in ("1", "2") for b in (16, 64)]
    alone = [run(learners="1", batch=16, lr=0.1, run=f"{n}", seed=n) for n in (2, 3)]
    module = importlib.import_module(f"plots.{name}")
    whole = tables(*runs, *alone)
    table = draw(name, whole)[1]
    assert set(table["lr"]) == {0.3}
    said = _caption.caption(module, whole.summary, table)
    assert "Crossbow m=1, lr 0.1, batch 16, lenet on digits to 90%, 1 device." in said
    assert "Left out" not in _caption.caption(module, tables(*runs).summary, table)


def test_the_caption_of_averaging_names_what_of_its_title_was_not_planned():
    module = importlib.import_module("plots.model_averaging")
    for variants, said in ((("ea-sgd",), "S-SGD"), (("ssgd",), "EA-SGD"), (("ea-sgd", "ssgd"), "")):
        whole = tables(*(run(variant=name) for name in ("released", *variants)))
        _, table = draw("model_averaging", whole)
        text = _caption.caption(module, whole.summary, table)
        assert (f"Nothing was planned with {said}." in text) == bool(said)
        assert text.count("Nothing was planned") == bool(said)
