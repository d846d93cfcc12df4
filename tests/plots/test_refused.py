"""Tables that would be drawn wrongly are refused in one sentence that names the file."""

import io
from dataclasses import replace

import pandas as pd
import pytest
from synthetic import run, tables
from test_figures import put, write

from plots import _tables
from plots.__main__ import main

TWO = tables(run(seed=1), run(seed=2))


def refused(folder, capsys, name, content):
    """What is said of good tables of which one file has this content."""
    given, path = put(TWO, folder), folder / f"{name}.csv"
    path.write_bytes(content(path.read_text()) if callable(content) else content)
    assert main(["throughput", *given, f"--out={folder}"]) == 1
    said = capsys.readouterr().err
    assert str(path) in said and said.count("\n") == 1
    return said


def cell(column, value):
    """Puts a value in the first row of a column."""

    def edit(text):
        table = pd.read_csv(io.StringIO(text), dtype=str)
        table.loc[0, column] = value
        return table.to_csv(index=False).encode()

    return edit


@pytest.mark.parametrize("value", ["abc", "nan", "inf"])
def test_what_is_no_number(tmp_path, capsys, value):
    said = refused(tmp_path, capsys, "epochs", cell("test_acc", value))
    assert f"{value!r} in the column test_acc" in said


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("images_per_s", "abc"),
        ("images_per_s", "-5"),
        ("memory_bytes", "inf"),
        ("seed", "nan"),
        ("status", "raeched"),
        ("learners", "many"),
        ("lr", "fast"),
        ("tau", "x"),
        ("devices", ""),
    ],
)
def test_a_summary_that_claims_refuse(tmp_path, capsys, column, value):
    said = refused(tmp_path, capsys, "summary", cell(column, value))
    assert f"{column} of {TWO.summary['run'].iloc[0]} is " in said


@pytest.mark.parametrize("column", ["lr", "schedule", "epochs", "final_acc", "first_epochs"])
def test_a_summary_without_what_figures_read(tmp_path, capsys, column):
    def without(text):
        return pd.read_csv(io.StringIO(text)).drop(columns=column).to_csv(index=False).encode()

    assert f"lacks the columns {column}" in refused(tmp_path, capsys, "summary", without)


@pytest.mark.parametrize("name", ["summary", "epochs"])
def test_a_row_that_is_there_twice(tmp_path, capsys, name):
    def twice(text):
        return (text + text.splitlines()[1] + "\n").encode()

    assert f"run {TWO.summary['run'].iloc[0]}" in refused(tmp_path, capsys, name, twice)


def test_a_run_of_two_machines_is_drawn_where_no_epoch_of_it_is_of_either(tmp_path, capsys):
    first, _ = run()
    two = tables((first, []), (first | {"machine": "the other"}, []))
    assert write(two, tmp_path, "throughput") == 0
    assert len(pd.read_csv(tmp_path / "figures/throughput.csv")) == 2
    whole = tables(run(), (first | {"machine": "the other"}, []))
    assert write(whole, tmp_path, "throughput") == 1
    said = capsys.readouterr().err
    assert f"which machine's run {first['run']}" in said and said.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n\xff\xfe\x00", b"\xff\xfe\n1,2\n"])
def test_what_is_no_table(tmp_path, capsys, content):
    refused(tmp_path, capsys, "summary", content)


def test_a_folder_is_no_table(tmp_path, capsys):
    assert main(["throughput", f"--summary={tmp_path}"]) == 1
    said = capsys.readouterr().err
    assert str(tmp_path) in said and said.count("\n") == 1


def test_a_file_is_no_folder_for_figures(tmp_path, capsys):
    (tmp_path / "figures").write_text("")
    assert write(TWO, tmp_path, "throughput") == 1
    said = capsys.readouterr().err
    assert f"{tmp_path / 'figures'}" in said and said.count("\n") == 1
    assert said.endswith("give --out a folder that can be written to.\n")


@pytest.mark.parametrize("name", ["accuracy_over_time", "time_split", "time_to_any_accuracy"])
def test_runs_without_rows_among_the_epochs_are_no_traceback(tmp_path, name):
    bare = replace(TWO, epochs=TWO.epochs.iloc[:0])
    assert write(bare, tmp_path, name) == 0
    drawn = pd.read_csv(tmp_path / f"figures/{name}.csv")
    assert len(drawn) == (2 if name == "time_split" else 0)  # it can do without but for times


def test_what_else_the_epochs_have_of_numbers_can_be_drawn(tmp_path):
    put(TWO, tmp_path)
    read = _tables.read(*(tmp_path / f"{name}.csv" for name in ("summary", "epochs", "autotune")))
    assert read.epochs["train_loss"].dtype.kind in "if"
    assert read.epochs["run"].map(type).eq(str).all()
