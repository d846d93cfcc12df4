"""What is drawn is what was measured, censored runs included."""

from dataclasses import replace

import numpy as np
import pytest
import synthetic
from synthetic import run, tables
from test_figures import draw, words

from bench.summary_columns import SPEC_COLUMNS
from plots import _caption, _tables
from plots._curves import median_step


def curve(seconds, accuracy):
    return np.array(seconds, float), np.array(accuracy, float)


def with_times(*times, **given):
    return [
        run(seed=seed, median5_s=time, median5_epochs=time and time * 2, **given)
        for seed, time in enumerate(times)
    ]


def test_the_median_of_steps_ends_with_the_shortest_run():
    line = median_step([curve([1, 2, 3], [0.1, 0.3, 0.5]), curve([1.5, 2.5], [0.2, 0.6])])
    assert list(line["train_s"]) == [1.5, 2, 2.5]
    assert list(line["test_acc"]) == pytest.approx([0.15, 0.25, 0.45])
    assert list(line["lowest"]) == [0.1, 0.2, 0.3]
    assert list(line["highest"]) == [0.2, 0.3, 0.6]


def test_a_run_that_outlasts_the_others_is_drawn_alone():
    short, long = run(epochs=4, seed=1, run="short"), run(epochs=9, seed=2, run="long")
    for row, _ in (short, long):
        row["epochs"] = 9  # planned alike; one stopped early
    _, table = draw("accuracy_over_time", tables(short, long))
    alone = table[table["kind"] == "outlasting"]
    assert set(alone["run"]) == {"long"}
    assert alone["train_s"].max() == long[0]["train_s"]
    assert table.loc[table["kind"] == "median", "train_s"].max() <= short[0]["train_s"]


def test_a_diverged_run_is_drawn_but_is_not_in_the_median():
    runs = [run(seed=1), run(seed=2), synthetic.diverged(2, seed=3)]
    _, table = draw("accuracy_over_time", tables(*runs))
    assert set(table.loc[table["kind"] == "median", "runs"]) == {2}
    assert len(table[table["kind"] == "failed"]) == 2


def test_a_censored_seed_counts_as_infinitely_late():
    figure, table = draw("time_to_accuracy", tables(*with_times(1.0, 5.0, None)))
    assert set(table["median_s"]) == {5.0}
    assert (table["reached"].iloc[0], table["runs"].iloc[0]) == (2, 3)
    assert table["time_s"].isna().sum() == 1
    assert "5.00 s, 2 of 3 reached" in words(figure)


@pytest.mark.parametrize("times", [(1.0, None, None), (1.0, None), (None,)])
def test_there_is_no_median_unless_more_than_half_reached(times):
    summary = tables(*with_times(*times))
    figure, table = draw("time_to_accuracy", summary)
    assert table["median_s"].isna().all() and not table["best_of_system"].any()
    assert f"of {len(times)} reached" in words(figure)
    assert draw("epochs_to_accuracy", summary)[1]["median_epochs"].isna().all()


def test_the_fastest_configuration_of_each_system_is_the_best():
    runs = with_times(4.0, batch=16) + with_times(3.0, batch=64)
    runs += with_times(9.0, system="pytorch", learners="1")
    _, table = draw("time_to_accuracy", tables(*runs))
    best = table[table["best_of_system"]]
    assert dict(zip(best["system"], best["median_s"], strict=True)) == {
        "crossbow": 3.0,
        "pytorch": 9.0,
    }


def test_total_batch_counts_devices_and_learners():
    runs = [run(devices=2, learners="4", batch=16), run(devices=2, learners="auto", batch=16)]
    _, table = draw("epochs_to_accuracy", tables(*runs))
    assert dict(zip(table["learners"], table["total_batch"], strict=True)) == {
        "4": 128,
        "auto": 96,
    }


def test_the_autotuner_stands_where_it_ended():
    runs = [run(learners="auto", learners_final=3), run(learners="4", images_per_s=50.0)]
    runs += [run(learners="4", images_per_s=s, seed=s) for s in (70, 90)]
    _, table = draw("throughput", tables(*runs))
    assert dict(zip(table["learners"], table["slot"], strict=True)) == {"auto": "3", "4": "4"}
    assert set(table.loc[table["learners"] == "4", "median_images_per_s"]) == {70.0}


def test_settings_that_differ_are_never_pooled():
    runs = [run(seed=1), run(seed=2), run(variant="released"), run(lr=0.2)]
    figure, table = draw("time_to_accuracy", tables(*runs))
    assert table["series"].nunique() == 3
    assert "Crossbow m=2, released" in words(figure)


PLAIN = {"precision": "fp32", "compile": False, "channels_last": False, "graph": False}
FAST = {"precision": "bf16", "compile": True, "channels_last": False, "graph": True}
DECIDED = {"system", "model", "dataset", "device_type", "devices", "learners", "batch"}
DECIDED |= {"seed", "repeat", "target"}  # what a figure tells apart by other means than the name


@pytest.mark.parametrize("setting", sorted(set(SPEC_COLUMNS) - DECIDED))
def test_runs_that_differ_by_any_setting_are_two_series(setting):
    values = {"compile": (True, False), "channels_last": (True, False), "graph": (True, False)}
    values |= {"cudnn_benchmark": (True, False)}
    values |= {"tau": (1, 0), "unroll": (1, 4), "variant": ("released", "kungfu")}
    values |= {"epochs": (9, 12), "nodes": (1, 2)}
    one, other = values.get(setting, (0.5, 0.25))
    _, table = draw("time_to_accuracy", tables(run(**{setting: one}), run(**{setting: other})))
    assert table["series"].nunique() == 2
    assert not table["series"].str.contains("True|False").any()


def test_settings_are_named_in_words_and_only_where_they_differ():
    runs = [run(system="pytorch", learners="1", **how, unroll=1) for how in (PLAIN, FAST)]
    runs += [run(**FAST, unroll=unroll, tau=1) for unroll in (1, 4)]
    _, table = draw("time_to_accuracy", tables(*runs))
    names = {"PyTorch, fp32", "PyTorch, bf16, compiled, graph"}
    assert set(table["series"]) == names | {"Crossbow m=2", "Crossbow m=2, unroll 4"}


def test_batches_with_a_learning_rate_of_their_own_share_a_name():
    runs = [run(batch=batch, lr=lr) for batch, lr in ((16, 0.1), (64, 0.4))]
    _, table = draw("time_to_accuracy", tables(*runs))
    assert set(table["series"]) == {"Crossbow m=2"}
    _, table = draw("time_to_accuracy", tables(*runs, run(batch=64, lr=0.2)))
    assert set(table["series"]) == {"Crossbow m=2", "Crossbow m=2, lr 0.4", "Crossbow m=2, lr 0.2"}


def test_settings_read_from_a_file_have_the_same_names(tmp_path):
    # Where a system has no value, pandas reads whole numbers as 1.0 and truth as an object.
    runs = [run(**how, tau=tau) for how in (PLAIN, FAST) for tau in (1, 4)]
    written = tables(*runs, run(system="pytorch", learners="1"))
    paths = {field: tmp_path / f"{field}.csv" for field in ("summary", "epochs", "autotune")}
    for field, path in paths.items():
        getattr(written, field).to_csv(path, index=False)
    read = _tables.read(**paths)
    for found in (written, read):
        _, table = draw("time_to_accuracy", found)
        assert set(table["series"]) == {
            "Crossbow m=2, τ 1, fp32",
            "Crossbow m=2, τ 4, fp32",
            "Crossbow m=2, τ 1, bf16, compiled, graph",
            "Crossbow m=2, τ 4, bf16, compiled, graph",
            "PyTorch",
        }


def test_alpha_may_be_a_rule_and_settings_may_be_absent():
    both = tables(run(alpha="1/k"), run(alpha="0.10"))
    summary = both.summary.drop(columns="precision")
    _, table = draw("time_to_accuracy", replace(both, summary=summary))
    assert set(table["series"]) == {"Crossbow m=2, α 1/k", "Crossbow m=2, α 0.1"}


def test_runs_of_two_machines_are_never_pooled():
    _, table = draw("throughput", tables(run(), run(seed=2, machine="a laptop")))
    assert table["workload"].nunique() == 2


WHOLE = ["energy", "epochs_to_accuracy", "memory", "throughput", "time_split", "time_to_accuracy"]


@pytest.mark.parametrize("name", WHOLE)
def test_no_run_is_dropped(name):
    tables = synthetic.gpu_matrix()
    _, table = draw(name, tables)
    drawn = table[table["kind"] == "run"] if name == "memory" else table
    assert sorted(drawn["run"]) == sorted(tables.summary["run"])


def test_a_repeat_is_no_further_seed():
    tables_ = tables(run(), run(repeat=2), run(seed=2))
    _, table = draw("time_to_accuracy", tables_)
    assert list(table["seed"]) == [1, 2]
    assert "n = 2 seeds per configuration, 2 runs" in _caption.sample(
        tables_.summary, tables_.summary
    )
