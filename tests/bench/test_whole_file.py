"""Files replaced at once or not at all."""

import pytest

from bench.whole_file import whole_file


def test_a_file_is_replaced_and_nothing_stays_beside_it(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_where_writing_fails(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="disk"), whole_file(path) as file:
        file.write(b"half")
        raise OSError("the disk is full")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
