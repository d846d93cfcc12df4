"""A tuned run's path and what is said of it, and the rows beside it that were not run."""

from dataclasses import replace

from synthetic import failed, run, tables
from test_figures import draw, words
from test_measured import ON_GPU, TRACE, traced
from test_say import not_run

from plots import _absent

TUNED = {"learners": "auto", **ON_GPU}


def path(*runs, rows=TRACE):
    """The first panel of the figure of these runs, of which the first has this trace."""
    return draw("autotune", traced(rows, *runs))[0].axes[0]


def hovers(panel):
    return [line.get_gid() for line in panel.get_lines() if line.get_gid()]


def test_the_path_goes_by_the_samples_to_the_learners_that_were_kept():
    line, *_ = path(run(**TUNED)).get_lines()
    assert list(line.get_xdata()) == [0, 8, 16, 24, 32, 40, 48, 1.12 * 48]
    assert list(line.get_ydata()) == [1, 1, 1, 1, 1, 2, 2, 3]  # the run's final number


def test_a_run_without_a_final_number_ends_with_that_of_its_last_sample():
    panel = path(run(learners="auto", device_type="cuda", learners_final=float("nan")))
    (star,) = (line for line in panel.get_lines() if line.get_marker() == "*")
    assert (star.get_xdata(), star.get_ydata()) == ([1.12 * 48], [2])
    assert any("2 learners after 48 iterations" in text for text in hovers(panel))


def test_a_decision_stands_at_its_iteration_and_learners():
    panel = path(run(**TUNED))
    (grown,) = (line for line in panel.get_lines() if line.get_marker() == r"$\uparrow$")
    assert (list(grown.get_xdata()), list(grown.get_ydata())) == ([32], [1])
    assert grown.get_gid().endswith(": grow at iteration 32")
    assert any(text.endswith(": out of memory at iteration 48") for text in hovers(panel))


def test_what_changing_took_is_said_where_it_took_something_and_is_known():
    at_once = [(*row[:-1], 0.0) for row in TRACE]
    older = traced(TRACE, run(**TUNED))
    older = replace(older, autotune=older.autotune.drop(columns="tuning_s"))
    for given in (traced(at_once, run(**TUNED)), older):
        assert "changing took" not in words(draw("autotune", given)[0])
    assert "changing took" in words(draw("autotune", traced(TRACE, run(**TUNED)))[0])


def test_of_several_batches_the_first_has_the_widest_line():
    whole = tables(run(batch=64, **TUNED), run(batch=16, **TUNED))
    first, second = draw("autotune", whole)[0].axes[0].get_lines()[::6]
    assert first.get_linewidth() > second.get_linewidth()
    assert "b=16" in first.get_gid() and "b=64" in second.get_gid()


def test_a_batch_whose_tuning_was_planned_alone_is_named_as_not_run():
    planned = not_run(learners="auto", device_type="cuda", batch=64)
    kept = not_run(learners="4", device_type="cuda", batch=256)  # to keep its learners
    again = not_run(learners="auto", device_type="cuda", seed=2)  # of a cell that has a run
    said = [text.get_text() for text in path(run(**TUNED), planned, kept, again).texts]
    assert [text for text in said if "not run" in text] == ["b=64: not run"]


def test_a_kept_number_of_which_some_run_was_made_is_not_told_as_not_run():
    kept = {"learners": "4", "device_type": "cuda"}
    broken = failed("out_of_memory", "too big", seed=2, **kept)
    figure, _ = draw("autotune", traced(TRACE, run(**TUNED), not_run(**kept), broken))
    markers = {line.get_marker() for line in figure.axes[1].get_lines()}
    assert "x" in markers and _absent.NOT_RUN["marker"] not in markers


def test_memory_while_tuning_is_that_of_the_first_seed():
    seeds = [run(seed=seed, **TUNED) for seed in (2, 1)]
    _, table = draw("memory", tables(*seeds))
    assert set(table.loc[table["kind"] == "tuner", "run"]) == {seeds[1][0]["run"]}
