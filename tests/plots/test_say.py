"""Which runs have a say: a failed one has none, nor one that was planned and not run."""

import importlib
import io
from dataclasses import replace

import pandas as pd
import pytest
import synthetic
from synthetic import run, tables
from test_beyond_figures import at, with_epochs
from test_figures import draw, words

from plots import _caption

NEVER = {"median5_s": None, "median5_epochs": None}


def times(*seconds, **given):
    return [run(seed=seed, median5_s=s, **given) for seed, s in enumerate(seconds, 1)]


def not_run(**given):
    return synthetic.failed("not_run", "not run so far", machine="", commit="", **given)


def test_a_failed_run_has_no_say():
    failed = run(seed=3, status="failed", median5_s=90.0)
    figure, table = draw("time_to_accuracy", tables(*times(1.0, 2.0), failed))
    assert set(table["median_s"]) == {1.5} and set(table["high_s"]) == {2.0}
    assert set(table["reached"]) == {2} and set(table["runs"]) == {2}
    assert "1.50 s, 2 of 2 reached (1 failed)" in words(figure)
    assert table["time_s"].max() == 2.0


def test_a_run_that_diverged_could_never_get_there():
    runs = tables(*times(1.0, 2.0), synthetic.diverged(3, seed=3), synthetic.diverged(3, seed=4))
    figure, table = draw("time_to_accuracy", runs)
    assert table["median_s"].isna().all() and "2 of 4 reached (2 diverged)" in words(figure)


@pytest.mark.parametrize("name", ["epochs_to_accuracy", "time_split", "target_rules", "energy"])
def test_counts_are_of_the_runs_that_have_a_say(name):
    runs = [run(seed=seed, device_type="cuda") for seed in (1, 2)]
    runs.append(run(seed=3, status="failed", device_type="cuda"))
    _, table = draw(name, tables(*runs))
    assert set(table["runs"]) == {2} and set(table["reached"]) == {2}


def test_what_was_planned_and_not_run_is_named_and_not_counted():
    whole = tables(*times(1.0, 2.0), not_run(seed=3), not_run(seed=1, batch=64))
    figure, table = draw("time_to_accuracy", whole)
    said = words(figure)
    assert "1.50 s, 2 of 2 reached (1 not run)" in said and "Crossbow m=2, b=64" in said
    assert set(table.loc[table["batch"] == 64, "runs"]) == {0}
    assert table["workload"].nunique() == 1
    crosses = [line for line in figure.axes[0].get_lines() if line.get_marker() == "x"]
    assert not crosses
    caption = _caption.sample(whole.summary, whole.summary)
    assert caption.startswith("n = 2 seeds per configuration, 2 of 4 planned runs. ")
    one = _caption.sample(whole.summary.iloc[:1], whole.summary)
    assert one.startswith("n = 1 seed per configuration, 1 run; the matrix has 2 of 4 planned")


def test_captions_say_that_repeats_are_not_counted_where_there_are_some():
    whole = tables(*times(1.0, 2.0), run(seed=1, repeat=2), not_run(seed=3)).summary
    said = _caption.sample(whole, whole)
    assert said.startswith("n = 2 seeds per configuration, 2 of 3 planned runs (repeats not counte")
    assert "repeats" not in _caption.sample(whole.iloc[:2], whole.iloc[:2])


def test_captions_leave_out_what_failed():
    whole = tables(*times(1.0, 2.0), run(seed=3, status="failed", commit="0000000"))
    caption = _caption.sample(whole.summary, whole.summary)
    assert "n = 2 seeds per configuration, 2 runs (1 failed: left out)." in caption
    assert caption.endswith("Commit 1e8466f.")


def test_captions_name_the_commits_that_are_known():
    unknown = run(seed=3, commit=None)
    text = tables(*times(1.0, 2.0), unknown).summary.to_csv(index=False)
    summary = pd.read_csv(io.StringIO(text))  # as it is read, nothing is no text
    assert _caption.sample(summary, summary).endswith("Commit 1e8466f.")
    assert "Commit" not in _caption.sample(summary.iloc[2:], summary)


@pytest.mark.parametrize("after", [2, 9])
def test_a_run_that_diverged_early_still_counts_at_any_accuracy(after, tmp_path):
    ended = with_epochs(run(seed=1)[0], [0.5] * 5 + [0.9] * 5)
    row, epochs = with_epochs(run(seed=2)[0], ([0.5] * 5 + [0.9] * 5)[:after])
    broken = (row | NEVER | {"status": "diverged"}, epochs)
    figure, table = draw("time_to_any_accuracy", tables(ended, broken))
    found = at(table, 0.9)
    assert (found["reached"], found["runs"]) == (1, 2)
    assert table["median_s"].isna().all()
    figure.savefig(tmp_path / "a.svg")  # with a line that has no point


def test_a_run_that_failed_does_not_count_at_any_accuracy():
    ended = with_epochs(run(seed=1)[0], [0.5] * 5 + [0.9] * 5)
    row, epochs = with_epochs(run(seed=2)[0], [0.5] * 6)
    _, table = draw("time_to_any_accuracy", tables(ended, (row | {"status": "failed"}, epochs)))
    assert set(table["runs"]) == {1} and table["median_s"].notna().all()


@pytest.mark.parametrize("tau", [0, 2, 3.0])
def test_learners_that_meet_seldom_or_never_are_not_the_fastest_crossbow(tau):
    cells = [({"tau": tau}, 0.5), ({"tau": 1}, 2.0), ({"tau": 1, "variant": "ea-sgd"}, 1.0)]
    runs = [run(**cell, median5_s=s, seed=seed) for cell, s in cells for seed in (1, 2)]
    _, table = draw("time_to_accuracy", tables(*runs))
    assert set(table.loc[table["best_of_system"], "median_s"]) == {2.0}
    _, overview = draw("time_to_accuracy_overview", tables(*runs))
    assert set(overview["median_s"]) == {2.0}
    _, curves = draw("accuracy_over_time", tables(*runs))
    assert set(curves.loc[curves["is_best"], "series"]) == {"Crossbow m=2, algorithm-1, τ 1"}


@pytest.mark.parametrize(
    ("name", "changed", "number"),
    [
        ("time_to_accuracy", [], "0 of 2 runs are"),
        ("time_to_accuracy", [1, 2, 3], "1 of 2 runs is"),  # not the failed one, nor a repeat
        ("noise_floor", [1, 2, 3], "2 of 4 runs are"),
    ],
)
def test_runs_of_changed_code_are_marked_on_the_figure_and_in_its_caption(name, changed, number):
    again = [run(seed=seed, repeat=2, run=f"again {seed}") for seed in (1, 2)]
    whole = tables(*times(1.0, 2.0), run(seed=3, status="failed"), *again)
    whole.summary["repeat"] = [1, 1, 1, 2, 2]
    whole.summary["dirty"] = [place in changed for place in range(5)]
    module = importlib.import_module(f"plots.{name}")
    figure, table = draw(name, whole)
    _caption.mark_changed(figure, module, whole.summary)
    for text in (words(figure), _caption.caption(module, whole.summary, table)):
        assert ("Dirty: " in text) == bool(changed)
        assert not changed or f"{number} of changed code that no commit holds" in text


def test_changed_code_of_what_a_figure_compares_with_is_marked():
    averaged = synthetic.averaging_matrix()
    is_never = averaged.summary["tau"].eq("0")
    whole = replace(averaged, summary=averaged.summary.assign(dirty=is_never))
    module = importlib.import_module("plots.synchronisation_overhead")
    figure, _ = draw("synchronisation_overhead", whole)
    _caption.mark_changed(figure, module, whole.summary)
    assert f"Dirty: {whole.summary['dirty'].sum()} of" in words(figure)
