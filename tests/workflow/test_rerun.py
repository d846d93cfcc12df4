"""A change makes due what depends on it, and nothing else."""

import pytest
from suite import FIGURES

TABLES = ["claims", "collect", "report"]


def test_nothing_is_due(matrix):
    assert matrix.suite.planned("--configfile", matrix.config) == []


def test_one_changed_value_makes_its_runs_due(matrix):
    suite = matrix.suite
    before = suite.config("value", {"system": "crossbow", "learners": 2}, {"system": "pytorch"})
    after = suite.config(
        "value", {"system": "crossbow", "learners": 2}, {"system": "pytorch", "lr": 0.02}
    )
    assert before == after
    # The matrix holds the run of crossbow, under the same id and in the results given here.
    options = ("--configfile", after, "--config", "results=results/small matrix")
    (_, changed) = suite.runs(after)
    assert changed.startswith("pytorch")
    assert suite.planned(*options) == sorted([changed, *FIGURES, *TABLES])


def test_a_run_more_or_less_joins_the_rest_again(matrix):
    suite = matrix.suite
    less = suite.config("less", {"system": "crossbow", "learners": 2})
    options = ("--configfile", less, "--config", "results=results/small matrix")
    assert suite.planned(*options) == sorted([*FIGURES, *TABLES])


@pytest.mark.parametrize(
    ("source", "due"),
    [
        ("crossbow_impl/sma.py", ["crossbow"]),
        ("baselines/pytorch_ssgd.py", ["pytorch"]),
        ("models/lenet.py", ["weights", "crossbow", "pytorch"]),
        ("data_prep/digits.py", ["records", "weights", "crossbow", "pytorch"]),
    ],
)
def test_an_edited_source_makes_its_runs_due(suite, matrix, source, due):
    suite.append(source, "# edited\n")
    runs = [run for run in matrix.runs if run.split("-")[0] in due]
    rules = [rule for rule in due if rule in ("records", "weights")]
    expected = sorted([*runs, *rules, *FIGURES, *TABLES])
    assert suite.planned("--configfile", matrix.config) == expected


def test_an_edited_figure_is_drawn_again_with_the_report(suite, matrix):
    suite.append("plots/throughput.py", "# edited\n")
    assert suite.planned("--configfile", matrix.config) == ["report", "throughput"]


def test_an_edited_claim_is_judged_again(suite, matrix):
    suite.append("bench/claims.yaml", "# edited\n")
    assert suite.planned("--configfile", matrix.config) == ["claims", "report"]


def test_an_edited_page_is_written_again(suite, matrix):
    suite.append("workflows/report/page.css", "/* edited */\n")
    assert suite.planned("--configfile", matrix.config) == ["report"]


@pytest.mark.parametrize(
    ("deleted", "due"),
    [
        ("figures/throughput.png", ["throughput"]),
        ("summary.csv", ["collect"]),
        ("claims.csv", ["claims"]),
        ("runs/RUN/epochs.csv", ["RUN"]),
    ],
)
def test_what_was_deleted_is_made_again(deleted, due, matrix):
    run = matrix.runs[0]
    path = matrix.results / deleted.replace("RUN", run)
    aside = path.with_name("aside")
    path.rename(aside)
    try:
        planned = matrix.suite.planned("--configfile", matrix.config)
    finally:
        aside.rename(path)
    assert {name.replace("RUN", run) for name in due} <= set(planned)
    assert not set(matrix.runs[1:]) & set(planned)
    assert matrix.suite.planned("--configfile", matrix.config) == []


def test_logits_that_were_deleted_are_made_again_for_a_run_that_needs_them(suite, matrix):
    (logits,) = suite.results(matrix.config).rglob("logits-*.npz")
    for system, due in (("tensorflow", ["weights"]), ("pytorch", [])):
        config = suite.config("logits", {"system": system, "lr": 0.02})
        options = ("--configfile", config, "--config", "results=results/small matrix")
        assert "weights" not in suite.planned(*options)
        logits.rename(aside := logits.with_name("aside"))
        planned = suite.planned(*options)
        aside.rename(logits)
        assert [rule for rule in planned if rule == "weights"] == due
