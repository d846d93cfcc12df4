"""A table that was changed by hand stops the pipeline, before a figure is made of it."""

import pandas as pd
import pytest

from workflows.changed_tables import refuse_changed_tables
from workflows.pipeline import ResultsRefused


def edit(path, change):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    change(table).to_csv(path, index=False)


def one_cell(table):
    return table.assign(best_acc=["0.999", *table["best_acc"][1:]])


def test_an_edited_summary_is_refused_until_it_is_joined_again(suite, matrix):
    results = suite.results(matrix.config)
    summary, figure = results / "summary.csv", results / "figures/throughput.svg"
    before, drawn = summary.read_bytes(), figure.read_bytes()
    edit(summary, one_cell)
    done = suite.snakemake("--configfile", matrix.config)
    assert done.returncode == 1
    (error,) = (line for line in done.stdout.splitlines() if "Error" in line)
    name = summary.relative_to(suite.folder)
    assert error.startswith(f"Error: {name} and {name.parent}/runs/{matrix.runs[0]} differ: ")
    assert f"best_acc of run {matrix.runs[0]} is 0.999 in the one, " in error
    assert error.endswith(f"remove {name}, and the same command joins the runs again")
    assert "Traceback" not in done.stdout
    assert figure.read_bytes() == drawn
    summary.unlink()
    done = suite.snakemake("--configfile", matrix.config)
    assert done.returncode == 0, done.stdout
    assert summary.read_bytes() == before
    assert suite.planned("--configfile", matrix.config) == []


def test_an_edited_summary_that_is_joined_anyway_is_not_waited_for(suite, matrix):
    summary = suite.results(matrix.config) / "summary.csv"
    before = summary.read_bytes()
    edit(summary, one_cell)
    done = suite.snakemake("--configfile", matrix.config, "--forcerun", "collect")
    assert done.returncode == 0, done.stdout
    assert summary.read_bytes() == before


def test_figures_alone_are_drawn_again_from_tables_that_nobody_changed(suite, matrix):
    figure = suite.results(matrix.config) / "figures/throughput.svg"
    figure.unlink()
    done = suite.snakemake("--configfile", matrix.config)
    assert done.returncode == 0, done.stdout
    assert figure.exists()


@pytest.mark.parametrize(
    ("table", "change", "said"),
    [
        ("summary.csv", lambda rows: rows[1:], "has no row of run {run}"),
        ("summary.csv", lambda rows: rows.replace("{run}", "other"), "has no row of run {run}"),
        ("summary.csv", lambda rows: rows.assign(devices="0"), "devices of {run} is '0'"),
        ("summary.csv", lambda rows: pd.concat([rows, rows[:1].assign(run="x")]), "runs/x"),
        ("epochs.csv", lambda rows: rows[1:], "the number of rows of run {run}"),
    ],
)
def test_what_was_changed_is_named(suite, matrix, table, change, said):
    results, run = suite.results(matrix.config), matrix.runs[0]
    edit(results / table, lambda rows: change(rows.replace(run, "{run}")).replace("{run}", run))
    with pytest.raises(ResultsRefused) as refused:
        refuse_changed_tables(results)
    assert said.format(run=run) in str(refused.value)
    assert str(results) in str(refused.value) and "\n" not in str(refused.value)
