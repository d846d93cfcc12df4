"""A summary that would mislead is refused in one sentence that begins with its file."""

import re

import pandas as pd
import pytest

from bench.summary_file import NEEDED, read_summary

RUN = dict.fromkeys(NEEDED, "") | {"run": "a", "system": "x", "learners": "auto", "batch": "16"}
RUN |= {"images_per_s": "10.5", "machine": "m", "alpha": "1/k"}


@pytest.fixture
def summary(tmp_path):
    def write(*rows):
        pd.DataFrame(rows).to_csv(tmp_path / "summary.csv", index=False)
        return tmp_path / "summary.csv"

    return write


def test_cells_are_text_and_what_is_missing_is_empty(summary):
    table = read_summary(summary(RUN, RUN | {"run": "nan", "images_per_s": "nan", "batch": "inf"}))
    assert table["learners"][0] == "auto" and table["alpha"][0] == "1/k"
    assert list(table["images_per_s"]) == ["10.5", ""] and list(table["run"]) == ["a", "nan"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"run": "a", "system": "x"}], "lacks the columns model, dataset,"),
        ([RUN, RUN | {"run": "b", "batch": "big"}], ": batch of b is 'big', no number"),
        ([RUN | {"energy_j": "1,000"}], ": energy_j of a is '1,000', no number"),
        ([RUN, RUN | {"train_s": "2"}], ": run a is there twice"),
    ],
)
def test_what_would_mislead_is_refused(rows, said, summary):
    path = summary(*rows)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} ?{re.escape(said)}"):
        read_summary(path)


def test_two_machines_may_have_made_the_same_run(summary):
    assert len(read_summary(summary(RUN, RUN | {"machine": "other"}))) == 2


@pytest.mark.parametrize("content", [b"", b"a,b\n\xff\xfe\x00", b'a\n"'])
def test_what_is_no_table_is_named(content, tmp_path):
    (tmp_path / "summary.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"summary\.csv is not readable as CSV \(.+\)$"):
        read_summary(tmp_path / "summary.csv")
    with pytest.raises(ValueError, match="is not readable as CSV"):
        read_summary(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_summary(tmp_path / "none.csv")
