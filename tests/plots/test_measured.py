"""What the tuner, the memory and the power meter told is what is drawn."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from synthetic import HOW, run, tables
from test_figures import draw, words

ON_GPU = {"device_type": "cuda", "learners_final": 3}


def traced(rows, *runs):
    """Tables of these runs with this trace of their first one."""
    columns = ["iteration", "learners", "images_per_s", "decision", "memory_bytes", "tuning_s"]
    trace = pd.DataFrame(rows, columns=columns).assign(run=runs[0][0]["run"])
    return replace(tables(*runs), autotune=trace)


TRACE = [
    (8, 1, 10.0, "wait", 2**30, 0.0),
    (16, 1, 90.0, "wait", 2**30, 0.0),
    (24, 1, 110.0, "wait", 2**30, 0.0),
    (32, 1, 100.0, "grow", 2**30, 1.5),
    (40, 2, 20.0, "wait", 2**31, 1.5),
    (48, 2, 150.0, "out_of_memory", 2**31, 2.5),
]


def test_the_first_sample_after_a_change_is_not_in_the_median():
    figure, table = draw("autotune", traced(TRACE, run(learners="auto", **ON_GPU)))
    samples = table[table["kind"] == "sample"]
    assert list(samples["is_thrown_away"]) == [True, False, False, False, True, False]
    assert list(samples["median_images_per_s"]) == [100.0] * 4 + [150.0] * 2
    assert "b=16: 2.50 s" in words(figure)


def test_the_exhaustive_search_is_of_the_same_cell_and_settings():
    tuned = run(learners="auto", **ON_GPU, **HOW["fast"])
    same = [
        run(learners="2", device_type="cuda", **HOW["fast"], images_per_s=rate, seed=seed)
        for seed, rate in enumerate((50.0, 70.0, 80.0))
    ]
    others = [run(learners="4", device_type="cuda", **HOW["eager"])]
    others += [run(learners="4", device_type="cuda", **HOW["fast"], batch=64)]
    others += [run(system="pytorch", learners="1", device_type="cuda", **HOW["fast"])]
    _, table = draw("autotune", traced(TRACE, tuned, *same, *others))
    fixed = table[table["kind"] == "fixed"]
    assert list(zip(fixed["learners"], fixed["images_per_s"], strict=True)) == [(2.0, 70.0)]


def test_only_the_first_seed_of_a_tuned_cell_is_shown():
    seeds = [run(learners="auto", **ON_GPU, seed=seed) for seed in (2, 1, 3)]
    _, table = draw("autotune", tables(*seeds))
    assert set(table["run"]) == {seeds[1][0]["run"]}
    assert set(draw("autotune", tables(*seeds, run(learners="4", **ON_GPU)))[1]["kind"]) == {
        "sample",
        "fixed",
    }


def test_what_a_tuner_saw_stands_at_the_learners_it_had_then():
    tuned = run(learners="auto", **ON_GPU, memory_bytes=2**34)  # of more learners than it kept
    _, table = draw("memory", traced(TRACE, tuned))
    seen = table[table["kind"] == "tuner"]
    assert list(zip(seen["slot"], seen["memory_gib"], strict=True)) == [("1", 1.0), ("2", 2.0)]
    own = table[table["kind"] == "run"].iloc[0]
    assert own["slot"] == "3" and pd.isna(own["memory_gib"]) and own["learner_gib"] > 0


def test_memory_is_that_of_the_summary():
    sizes = {"memory_bytes": 3 * 2**30, "learner_memory_bytes": 2**29}
    _, table = draw("memory", tables(run(device_type="cuda", **sizes)))
    assert list(table["memory_gib"]) == [3.0] and list(table["learner_gib"]) == [0.5]


def test_the_memory_of_whole_processes_on_cpus_is_not_drawn():
    assert draw("memory", tables(run(memory_bytes=2**28, device_type="cpu")))[1].empty
    assert not draw("memory", tables(run(memory_bytes=2**28, device_type="cuda")))[1].empty


def test_energy_to_the_target_is_that_of_the_images_until_then():
    met = {"median5_epochs": 4, "median5_s": 1.0, "joules_per_image": 0.5}
    runs = [run(device_type="cuda", **met, seed=seed) for seed in (1, 2)]
    never = {"median5_epochs": None, "median5_s": None, "joules_per_image": 0.25}
    runs += [run(device_type="cuda", **never, seed=3, epochs=12)]
    figure, table = draw("energy", tables(*runs))
    assert list(table["target_j"].dropna()) == [0.5 * 4 * 1500] * 2
    assert list(table["trained_j"])[2] == 0.25 * 12 * 1500
    assert set(table["median_target_j"]) == {3000.0}
    assert "500 mJ per image; 3.00 kJ, 2 of 3 reached" in words(figure)


def test_there_is_no_energy_to_the_target_unless_more_than_half_reached_it():
    never = {"median5_epochs": None, "median5_s": None}
    runs = [run(device_type="cuda"), run(device_type="cuda", seed=2, **never)]
    _, table = draw("energy", tables(*runs))
    assert table["median_target_j"].isna().all() and not table["best_of_system"].any()


def test_a_run_of_unknown_power_has_no_say_about_the_energy():
    met = {"device_type": "cuda", "median5_epochs": 4, "median5_s": 1.0}
    watts = [{"joules_per_image": joules} for joules in (0.5, 0.7, None)]
    runs = [run(seed=seed, **met, **power) for seed, power in enumerate(watts)]
    _, table = draw("energy", tables(*runs))
    assert table["median_target_j"].unique() == pytest.approx([0.6 * 4 * 1500])
    assert set(table["reached"]) == {2} and set(table["runs"]) == {3}


@pytest.mark.parametrize("name", ["energy", "memory"])
def test_runs_that_were_not_measured_are_crosses_beside_those_that_were(name):
    unmeasured = dict.fromkeys(("joules_per_image", "memory_bytes", "learner_memory_bytes"))
    blind = run(system="tensorflow", learners="1", device_type="cuda", **unmeasured)
    figure, table = draw(name, tables(run(device_type="cuda"), blind))
    assert len(table) == 2
    marks = [line.get_marker() for axes in figure.axes for line in axes.get_lines()]
    assert marks.count("x") == {"energy": 2, "memory": 1}[name]  # it has no learners to tell of


METHODS = [
    run(system=system, learners="1", devices=2, device_type=kind, sent_bytes=sent, seed=seed)
    for seed in (1, 2)
    for kind in ("cpu", "cuda")
    for system, sent in (("pytorch", 24e6), ("topk", 12e3), ("hogwild", 0.0), ("crossbow", None))
]


def test_methods_stand_in_the_order_of_the_matrix_with_their_bytes_per_epoch():
    figure, table = draw("scaling_methods", tables(*METHODS))
    order = ["pytorch", "topk", "hogwild", "crossbow"]
    assert list(dict.fromkeys(table["system"])) == order
    sent = table.drop_duplicates("system").set_index("system")["median_sent_mb"]
    assert sent[:3].to_dict() == {"pytorch": 2.0, "topk": 0.001, "hogwild": 0.0}
    assert np.isnan(sent["crossbow"])
    zeros = [text for panel in figure.axes for text in panel.texts if text.get_text() == "0"]
    assert len(zeros) == 2  # of Hogwild, on CPUs and on GPUs


def test_of_methods_only_what_is_known_has_a_column():
    on_cpu = [one for one in METHODS if one[0]["device_type"] == "cpu"]
    figure, _ = draw("scaling_methods", tables(*on_cpu))
    assert len(figure.axes) == 4 and "memory" not in words(figure)
    assert "memory" in words(draw("scaling_methods", tables(*METHODS))[0])


def test_what_one_device_sends_has_no_column():
    alone = tables(run(sent_bytes=0), run(system="topk", learners="1", sent_bytes=0))
    assert "sent" not in words(draw("scaling_methods", alone)[0])
    assert "sent" in words(draw("scaling_methods", tables(run(sent_bytes=0), run(sent_bytes=9)))[0])


def test_what_a_single_device_sends_is_left_out_beside_several():
    runs = [run(devices=n, sent_bytes=b, memory_bytes=2**30) for n, b in ((1, 0), (2, 9e6))]
    figure, _ = draw("scaling_methods", tables(*runs))
    assert [panel.axison for panel in figure.axes] == [True, True, True, False, True] + [True] * 5


def test_methods_of_few_epochs_have_their_first_epoch_at_the_target():
    early = {"first_epochs": 2, "first_s": 1.5, "median5_epochs": None, "median5_s": None}
    _, table = draw("scaling_methods", tables(run(epochs=3, **early)))
    assert table[["first_epochs", "first_s"]].values.tolist() == [[2, 1.5]]


def test_linear_scaling_is_recognised_by_its_batch_and_rate():
    ssgd = {"system": "pytorch", "learners": "1"}
    large = run(**ssgd, batch=64, lr=0.4, schedule="cosine(warmup=0.25)")
    figure, _ = draw("scaling_methods", tables(run(**ssgd), large, run()))
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == [
        "PyTorch, constant, b=16, lr=0.1",
        "PyTorch, cosine(warmup=0.25), b=64, lr=0.4",
        "Crossbow m=2, b=16",
    ]


def test_a_zero_stands_clear_of_the_cross_in_its_row():
    sent = [(1, 0.0), (2, None), (3, 9.0)]
    figure, _ = draw("scaling_methods", tables(*(run(seed=s, sent_bytes=b) for s, b in sent)))
    figure.canvas.draw()
    (zero,) = [text for panel in figure.axes for text in panel.texts if text.get_text() == "0"]
    lines = zero.axes.get_lines()
    (cross,) = [line for line in lines if line.get_marker() == "x" and len(line.get_xdata())]
    reach = 0.5 * (cross.get_markersize() + cross.get_markeredgewidth()) * figure.dpi / 72
    assert zero.get_window_extent().x0 > zero.axes.get_window_extent().x0 + reach
