"""The figures that the paper lacks: what they draw is what small runs give by hand."""

import inspect
import json
from dataclasses import replace
from itertools import pairwise

import pandas as pd
import pytest
import synthetic
from synthetic import EPOCH_COLUMNS, run, tables
from test_figures import draw, words

from bench.metrics import epochs_to_target
from plots import _caption, _floor, mlperf_convergence, noise_floor, style
from plots.published import mlperf

BEYOND = ["mlperf_convergence", "noise_floor", "target_rules", "time_split", "time_to_any_accuracy"]


def with_epochs(row, accuracies, seconds=None):
    """A run with these test accuracies, an epoch each second or at these seconds."""
    seconds = seconds or range(1, len(accuracies) + 1)
    rows = [
        dict.fromkeys(EPOCH_COLUMNS, 0)
        | {"run": row["run"], "epoch": n, "train_s": s, "test_acc": a, "images": 100 * n}
        for n, (s, a) in enumerate(zip(seconds, accuracies, strict=True), 1)
    ]
    return row | {"train_s": rows[-1]["train_s"], "epochs_run": len(rows)}, rows


def at(table, accuracy):
    (found,) = table[table["accuracy"].round(6) == accuracy].to_dict("records")
    return found


RISING = [0.2, 0.5, 0.5, 0.6, 0.7, 0.8, 0.9, 0.4, 0.4, 0.4]


def test_time_to_any_accuracy_is_that_of_the_rule_median5():
    given = with_epochs(run()[0], RISING)
    _, table = draw("time_to_any_accuracy", tables(given))
    # Medians of five: 0.5, 0.6, 0.7, 0.7, 0.7, 0.4 after epochs 5 to 10.
    for accuracy, seconds in ((0.5, 5), (0.6, 6), (0.7, 7)):
        assert at(table, accuracy)["median_s"] == seconds
        assert epochs_to_target(RISING, accuracy, "median5") == seconds
    assert table["accuracy"].max() == 0.7


def test_a_seed_that_stopped_short_holds_the_median_back():
    rows = [run(seed=seed)[0] for seed in (1, 2, 3)]
    runs = [
        with_epochs(rows[0], [0.5] * 5 + [0.9] * 5),
        with_epochs(rows[1], [0.5] * 5 + [0.9] * 5, range(2, 22, 2)),
        with_epochs(rows[2], [0.5] * 5),
    ]
    _, table = draw("time_to_any_accuracy", tables(*runs))
    half, most = at(table, 0.5), at(table, 0.9)
    assert (half["median_s"], half["low_s"], half["high_s"], half["reached"]) == (5, 5, 10, 3)
    # Reached after 8 and 16 s; the third was followed for 5 s alone, before any of them.
    assert (most["low_s"], most["high_s"], most["reached"]) == (5, float("inf"), 2)
    assert most["median_s"] == pytest.approx(12)


def test_a_median_that_was_lost_does_not_come_back_with_a_higher_accuracy():
    fast = with_epochs(run(seed=1)[0], [0.5] * 5 + [0.8] * 5 + [0.9] * 5)
    slow = with_epochs(run(seed=2)[0], [0.5] * 5, [2, 4, 6, 8, 10])
    _, table = draw("time_to_any_accuracy", tables(fast, slow))
    assert at(table, 0.5)["median_s"] == 7.5
    # At 0.8, after 8 s, the other was still followed; at 0.9, after 13 s, it was not.
    assert pd.isna(at(table, 0.8)["median_s"]) and pd.isna(at(table, 0.9)["median_s"])
    assert table["low_s"].is_monotonic_increasing


def test_what_diverged_never_reached_any_accuracy():
    ended = with_epochs(run(seed=1)[0], [0.5] * 5 + [0.9] * 5)
    row, epochs = with_epochs(run(seed=2)[0], [0.5] * 5 + [0.9] * 5)
    _, table = draw("time_to_any_accuracy", tables(ended, (row | {"status": "diverged"}, epochs)))
    assert set(table["reached"]) == {1} and set(table["runs"]) == {2}
    assert table["median_s"].isna().all()


def test_three_rules_have_a_time_each():
    by_rule = {"first_s": 1.0, "median5_s": 5.0, "sustained_s": 9.0}
    runs = [run(seed=seed, **by_rule) for seed in (1, 2)]
    runs.append(run(seed=3, **by_rule | {"sustained_s": None}))
    figure, table = draw("target_rules", tables(*runs))
    medians = dict(zip(table["rule"], table["median_s"], strict=True))
    assert medians == {"first": 1.0, "median5": 5.0, "sustained": 9.0}
    assert "1.00 / 5.00 / 9.00 s, 3/3/2 of 3 reached" in words(figure)


def test_epochs_by_throughput_are_the_time():
    met = {"median5_epochs": 6, "images_per_s": 500.0}
    figure, table = draw("time_split", tables(run(**met), run(batch=64, **met)))
    assert set(table["images_per_epoch"]) == {1500}
    assert set(table["median_epochs"]) == {6} and set(table["median_images_per_s"]) == {500.0}
    told = [artist.get_gid() for artist in figure.findobj() if artist.get_gid()]
    where = "hover:Crossbow m=2, b=16, 1 device, lenet on digits to 90%"
    assert f"{where}: 6 epochs at 500 images/s, 18.0 s" in told


def test_the_noise_is_that_of_the_repeat_against_the_first():
    pairs = [(100.0, 2.0), (103.0, 1.5), (99.0, None)]
    runs = [
        run(repeat=repeat, images_per_s=rate, median5_s=time)
        for repeat, (rate, time) in enumerate(pairs, 1)
    ]
    runs += [run(seed=2), run(batch=64, repeat=2)]  # ran once
    figure, table = draw("noise_floor", tables(*runs))
    rates = table[table["quantity"] == "throughput"]
    assert list(rates["ratio"]) == pytest.approx([1.03, 0.99])
    assert list(rates["floor"]) == pytest.approx([1.03, 1.03])
    times = table[table["quantity"] == "time to target"]
    assert list(times["ratio"].dropna()) == pytest.approx([0.75])
    assert len(times) == 2
    said = words(figure)
    assert "throughput: widest of 2 pairs × 1.030" in said
    assert "time to target: 1 of 2 pairs within × 1.333;\nin 1 only one run got there" in said


def repeated(*pairs):
    """Pairs of runs with these throughputs or times."""
    return [
        run(seed=seed, repeat=repeat, run=f"{seed} {repeat}", **one)
        for seed, pair in enumerate(pairs, 1)
        for repeat, one in enumerate(pair, 1)
    ]


def test_a_pair_of_which_one_run_alone_got_there_leaves_the_floor_without_an_end():
    times = [({"median5_s": 33.0}, {"median5_s": 33.0 * ratio}) for ratio in (1.0, 1.01, 1.029)]
    whole = tables(*repeated(*times, ({"median5_s": None}, {"median5_s": 33.3})))
    figure, table = draw("noise_floor", whole)
    said = "time to target: 3 of 4 pairs within × 1.029;\nin 1 only one run got there"
    assert said in words(figure) and "widest of 3" not in words(figure)
    floors = table.groupby("quantity")["floor"].max()
    assert floors["time to target"] == float("inf") > floors["throughput"]
    remark = noise_floor.remark(whole.summary, table)
    assert "The floor of time to target is unbounded" in remark and "throughput" not in remark


def test_of_many_pairs_one_without_a_ratio_may_be_the_rarest():
    times = [({"median5_s": 10.0}, {"median5_s": 11.0})] * 39
    figure, _ = draw("noise_floor", tables(*repeated(*times, ({}, {"median5_s": None}))))
    assert "95% of 40 pairs within × 1.100;\nin 1 only one run got there" in words(figure)


@pytest.mark.parametrize("rates", [(0.0, 100.0), (100.0, 0.0), (0.0, 0.0)])
def test_a_rate_of_zero_has_no_ratio(rates):
    pairs = [[{"images_per_s": rate, "median5_s": 9.0} for rate in rates], [{}] * 2]
    for given in (pairs, pairs[:1]):
        _, table = draw("noise_floor", tables(*repeated(*given)))
        of_zero = table[table["quantity"].eq("throughput") & table["seed"].eq(1)]
        assert of_zero["ratio"].isna().all()


def test_of_many_pairs_the_noise_leaves_out_the_rarest():
    ratios = pd.Series([1.01] * 37 + [0.5] * 2 + [50.0])
    assert _floor.floor(ratios) == pytest.approx(2.0)
    assert _floor.floor(ratios[-3:]) == pytest.approx(50.0)


def test_runs_that_differ_by_more_than_the_repeat_are_no_pair():
    runs = [run(repeat=1), run(repeat=2, lr=0.2), run(repeat=2, machine="a laptop")]
    figure, table = draw("noise_floor", tables(*runs))
    assert table.empty and "none was repeated" in words(figure)


def test_mlperf_has_the_epochs_of_its_points():
    whole = tables(run(model="resnet50", dataset="imagenet"))
    _, table = draw("mlperf_convergence", whole)
    said = _caption.caption(mlperf_convergence, whole.summary, table)
    table = table[table["series"] == mlperf_convergence.MLPERF]
    assert f"MLPerf's {len(table)} runs at {table['total_batch'].nunique()} batches" in said
    medians = dict(zip(table["total_batch"], table["median_epochs"], strict=True))
    # By hand, of the 17 runs of rcps_resnet.json at 1632, and the ten at 32768.
    assert medians[1632] == 35 and medians[32768] == 56
    assert table["total_batch"].value_counts()[1632] == 17


def test_of_each_batch_mlperfs_newest_round_counts(tmp_path):
    rounds = {"1.0.0": {1632: [34, 35], 2048: [38]}, "4.0.0": {1632: [33]}}
    for name, by_batch in rounds.items():
        folder = tmp_path / f"mlperf_logging/rcp_checker/training_{name}"
        folder.mkdir(parents=True)
        points = {
            f"resnet_ref_{batch}": {
                "BS": batch,
                "Hyperparams": {"optimizer": "lars"},
                "Epochs to converge": epochs,
            }
            for batch, epochs in by_batch.items()
        }
        (folder / "rcps_resnet.json").write_text(json.dumps(points))
    rows = [tuple(row.values()) for row in mlperf.points(tmp_path)]
    assert rows == [(1632, "lars", "4.0.0", 1, 33), (2048, "lars", "1.0.0", 1, 38)]


def test_our_runs_beside_mlperf_count_from_their_epochs():
    base = {"model": "resnet50", "dataset": "imagenet", "devices": 2, "learners": "4", "batch": 16}
    reached = with_epochs(run(seed=1, **base)[0], [0.5, 0.76, 0.7, 0.77])
    never = with_epochs(run(seed=2, **base)[0], [0.5, 0.6, 0.7])
    others = [run(seed=1, **base | {"dataset": name}) for name in ("imagenet-64", "digits")]
    _, table = draw("mlperf_convergence", tables(reached, never, *others))
    ours = table[table["series"] == "Crossbow m=4"]
    assert list(ours["epochs"].dropna()) == [2] and set(ours["total_batch"]) == {128}
    assert set(table["series"]) == {mlperf_convergence.MLPERF, "Crossbow m=4"}
    assert len(ours) == 2


def test_mlperfs_points_alone_are_no_figure():
    other = {"model": "vgg16", "dataset": "cifar100", "machine": ""}
    whole = tables(run(), synthetic.failed("not_run", "not run so far", **other))
    figure, table = draw("mlperf_convergence", whole)
    assert "no runs to show: none is of ResNet-50 on the whole of ImageNet" in words(figure)
    said = _caption.caption(mlperf_convergence, whole.summary, table)
    assert table.empty and "MLPerf's 0 runs" not in said
    assert "Nothing was run" not in said


@pytest.mark.parametrize("name", ["mlperf_convergence", "noise_floor"])
def test_a_caption_counts_the_runs_that_are_shown(name):
    module = {"mlperf_convergence": mlperf_convergence, "noise_floor": noise_floor}[name]
    table = module.draw(synthetic.matrix())[1]
    assert "n = 0 runs." in _caption.caption(module, synthetic.matrix().summary, table)
    assert inspect.getdoc(module)


@pytest.mark.parametrize("name", BEYOND)
@pytest.mark.parametrize(
    "runs",
    [
        [],
        [run()],
        [run(seed=s, **dict.fromkeys(("first_s", "median5_s", "sustained_s"))) for s in (1, 2)],
        [run(machine=name, repeat=r) for name in ("one", "another") for r in (1, 2)],
        [synthetic.failed("out_of_memory", "too big")],
        [synthetic.failed("not_available", "has no such model", machine="", learners_final=None)],
    ],
    ids=["none", "one", "censored", "machines", "failed", "not available"],
)
def test_whatever_a_matrix_leaves_behind_is_drawn(name, runs):
    figure, table = draw(name, tables(*runs) if runs else synthetic.empty_tables())
    assert len(table.columns) and figure.get_size_inches().min() > 0.5
    if runs and name == "noise_floor" and len(runs) == 4:
        assert table["workload"].nunique() == 2


def luminance(color):
    """Of a colour as a printer without ink of that colour has it."""
    red, green, blue = style.to_rgb(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


LEARNERS = ("1", "2", "3", "4", "6", "8", "12", "16", "24", "32", "auto")


def test_looks_differ_without_colour():
    cells = [("crossbow", learners) for learners in LEARNERS]
    cells += [(system, "1") for system in ("pytorch", "tensorflow", "jax", "kungfu", "horovod")]
    runs = pd.DataFrame(cells, columns=["system", "learners"])
    runs["series"] = runs["system"] + " " + runs["learners"]
    pairs = runs.assign(series=runs["series"] + ", other")
    both = pd.concat([runs, pairs]).assign(workload="one")
    looks = style.series_looks(both, both["system"])
    seen = [(look["marker"], look["linestyle"]) for look in looks.values()]
    assert len(looks) == 2 * len(cells)
    assert len(set(seen)) == len(seen)


def test_batches_differ_without_colour():
    looks = style.batch_looks([2, 4, 8, 16, 32, 64, 128]).values()
    assert len({look["marker"] for look in looks}) == 7
    shades = [luminance(look["color"]) for look in looks]
    assert all(light > dark + 0.03 for light, dark in pairwise(shades))


def test_an_older_summary_has_no_repeats():
    old = tables(run(), run(seed=2))
    assert noise_floor.shown(old.summary).empty
    figure, _ = draw("noise_floor", replace(old, summary=old.summary.assign(repeat=1)))
    assert "none was repeated" in words(figure)
