"""A summary that would mislead is refused in one sentence that begins with its file."""

import re

import pandas as pd
import pytest

from bench.summary_file import NEEDED, read_summary

RUN = dict.fromkeys(NEEDED, "") | {"run": "a", "system": "x", "learners": "auto", "batch": "16"}
RUN |= {"model": "m", "dataset": "d", "devices": "1", "seed": "1", "status": "finished"}
RUN |= {"images_per_s": "10.5", "machine": "m", "alpha": "1/k", "final_loss": "1"}


@pytest.fixture
def summary(tmp_path):
    def write(*rows):
        pd.DataFrame(rows).to_csv(tmp_path / "summary.csv", index=False)
        return tmp_path / "summary.csv"

    return write


def test_cells_are_text_and_what_is_missing_is_empty(summary):
    table = read_summary(
        summary(RUN, RUN | {"run": "nan", "images_per_s": "nan", "final_loss": "inf"})
    )
    assert table["learners"][0] == "auto" and table["alpha"][0] == "1/k"
    assert list(table["images_per_s"]) == ["10.5", ""] and list(table["run"]) == ["a", "nan"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"run": "a", "system": "x"}], "lacks the columns model, dataset,"),
        ([RUN, RUN | {"run": "b", "batch": "big"}], ": batch of b is 'big', no number"),
        ([RUN | {"energy_j": "1,000"}], ": energy_j of a is '1,000', no number"),
        ([RUN, RUN | {"train_s": "2"}], ": run a is there twice"),
        ([RUN | {"status": "wonderful"}], ": status of a is 'wonderful', none of reached, "),
        ([RUN | {"status": "reached"}], ": median5_s of a is '', not there, though its status is"),
        ([RUN | {"median5_s": "-3"}], ": median5_s of a is '-3', below 0"),
        (
            [RUN | {"learners": "many"}],
            ": learners of a is 'many', neither a whole number nor auto",
        ),
        ([RUN | {"learners": "4.5"}], ": learners of a is '4.5', neither"),
        ([RUN | {"lr": "fast"}], ": lr of a is 'fast', no number"),
        ([RUN | {"tau": "x"}], ": tau of a is 'x', no number"),
        ([RUN | {"images_per_s": "inf"}], ": images_per_s of a is 'inf', no number"),
        ([RUN | {"learners": "0"}], ": learners of a is '0', neither"),
        ([RUN | {"devices": ""}], ": devices of a is '', not there"),
        ([RUN | {"run": ""}], ": run of  is '', not there"),
        ([RUN | {"devices": "0"}], ": devices of a is '0', no whole number from 1"),
        ([RUN | {"devices": "1.5"}], ": devices of a is '1.5', no whole number from 1"),
        ([RUN | {"batch": "0"}], ": batch of a is '0', no whole number from 1"),
        ([RUN | {"epochs": "-5"}], ": epochs of a is '-5', no whole number from 1"),
        ([RUN | {"seed": "1.5"}], ": seed of a is '1.5', no whole number from 0"),
        ([RUN | {"tau": "-1"}], ": tau of a is '-1', no whole number from 0"),
        ([RUN | {"epochs_run": "1.5"}], ": epochs_run of a is '1.5', no whole number from 0"),
        ([RUN | {"lr": "-0.1"}], ": lr of a is '-0.1', below 0"),
        ([RUN | {"target": "88"}], ": target of a is '88', not in [0, 1]"),
        ([RUN | {"final_acc": "88.7"}], ": final_acc of a is '88.7', not in [0, 1]"),
        (
            [RUN | {"status": "reached", "median5_s": "3"}],
            ": train_s of a is '', not there, though its status is reached",
        ),
    ],
)
def test_what_would_mislead_is_refused(rows, said, summary):
    path = summary(*rows)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} ?{re.escape(said)}"):
        read_summary(path)


@pytest.mark.parametrize("kept", [1, 2, len(NEEDED) - 1])
def test_a_row_that_was_cut_is_named_and_not_read_as_one_with_empty_cells(kept, summary):
    path = summary(RUN, RUN | {"run": "b"})
    head, first, second = path.read_text().splitlines()
    path.write_text("\n".join([head, first, ",".join(second.split(",")[:kept])]))
    with pytest.raises(ValueError, match=r"summary\.csv: row 2 \(b\) has \d+ fields, the header"):
        read_summary(path)


def test_a_run_without_an_epoch_has_no_numbers(summary):
    assert len(read_summary(summary(RUN | {"status": "not_run", "images_per_s": ""}))) == 1


def test_what_a_number_can_be_at_least_is_read(summary):
    """A tau of 0 is never, and numbers may be written as a table with empty cells has them."""
    least = {"tau": "0", "seed": "0", "mu": "0", "target": "1", "final_acc": "0"}
    assert len(read_summary(summary(RUN | least | {"epochs": "1.0", "devices": "1.0"}))) == 1


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
