"""Tars within a file: nothing beyond their end is taken for theirs, and what breaks off is told."""

import pytest
from image_files import tar_of

from data_prep.records import RecordsError
from data_prep.tar_members import tar_members

INNER = tar_of([("a", b"1" * 700), ("b", b"2" * 30)])
FIRST, SECOND = 512 + 1024, 512 + 512  # bytes of a member with its header


def read(path, start=0, length=None):
    """The members, and what was wrong after them."""
    found = []
    try:
        for member in tar_members(path, start, length):
            found.append(member)
    except RecordsError as error:
        return found, str(error)
    return found, ""


@pytest.mark.parametrize("start", [0, 512, 5120])
def test_offsets_count_from_the_beginning_of_the_file(tmp_path, start):
    path = tmp_path / "file.tar"
    path.write_bytes(b"x" * start + INNER + b"y" * 512)
    found, error = read(path, start, len(INNER))
    assert [(name, length) for name, _, length in found] == [("a", 700), ("b", 30)] and not error
    data = path.read_bytes()
    assert [data[at : at + 1] for _, at, _ in found] == [b"1", b"2"]


@pytest.mark.parametrize("length", [FIRST, FIRST + 512, FIRST + SECOND])
@pytest.mark.parametrize("after", [bytes(2048), tar_of([("c", b"3")]), b"x" * 512, b""])
def test_a_tar_that_is_cut_ends_there_whatever_comes_after(tmp_path, length, after):
    path = tmp_path / "file.tar"
    path.write_bytes(b"x" * 512 + INNER[:length] + after)
    found, error = read(path, 512, length)
    whole = 1 if length < FIRST + SECOND else 2
    assert [member.name for member in found] == ["a", "b"][:whole]
    assert "can't be read as an uncompressed tar" in error


def test_a_damaged_header_is_not_the_end(tmp_path):
    path = tmp_path / "file.tar"
    path.write_bytes(INNER[:FIRST] + b"x" + INNER[FIRST + 1 :])
    found, error = read(path)
    assert [member.name for member in found] == ["a"] and f"breaks off at byte {FIRST}" in error
