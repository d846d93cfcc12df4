"""Tables that would be drawn wrongly are refused in one sentence that names the file."""

import io

import pandas as pd
import pytest
from synthetic import run, tables
from test_figures import write

from plots.__main__ import main

TWO = tables(run(seed=1), run(seed=2))


def refused(folder, capsys, name, content):
    """What is said of good tables of which one file has this content."""
    write(TWO, folder, "throughput")
    path = folder / f"{name}.csv"
    path.write_bytes(content(path.read_text()) if callable(content) else content)
    given = [f"--{field}={folder / field}.csv" for field in ("summary", "epochs", "autotune")]
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
@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("summary", "images_per_s"),
        ("summary", "final_acc"),
        ("summary", "seed"),
        ("summary", "memory_bytes"),
        ("epochs", "test_acc"),
    ],
)
def test_what_is_no_number(tmp_path, capsys, name, column, value):
    said = refused(tmp_path, capsys, name, cell(column, value))
    assert f"{value!r} in the column {column}" in said


@pytest.mark.parametrize("name", ["summary", "epochs"])
def test_a_row_that_is_there_twice(tmp_path, capsys, name):
    def twice(text):
        return (text + text.splitlines()[1] + "\n").encode()

    assert f"run {TWO.summary['run'].iloc[0]}" in refused(tmp_path, capsys, name, twice)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n\xff\xfe\x00", b"\xff\xfe\n1,2\n"])
def test_what_is_no_table(tmp_path, capsys, content):
    refused(tmp_path, capsys, "summary", content)


def test_a_folder_is_no_table(tmp_path, capsys):
    assert main(["throughput", f"--summary={tmp_path}"]) == 1
    said = capsys.readouterr().err
    assert str(tmp_path) in said and said.count("\n") == 1
