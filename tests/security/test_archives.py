"""Archives and images made to do harm: nothing is unpacked to disk, and no size is open."""

import bz2
import gzip
import io
import lzma
import os
import pickle
import struct
import tarfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from data_prep import imagenet_truth, shard_task, unpacked
from data_prep.archives import Archive, obtain
from data_prep.cifar_archives import python_form, read_members
from data_prep.idx import read_idx
from data_prep.records import RecordsError
from data_prep.samples import Sample
from data_prep.shard_task import ShardTask, make_shard
from data_prep.tar_files import tar_files
from data_prep.tar_members import tar_members

NAME = "cifar-10-batches-py/test_batch"
SMALL = 1 << 16
COMPRESS = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}


@pytest.fixture
def bounded(monkeypatch):
    """A bound that a test can go beyond at once."""
    monkeypatch.setattr(unpacked, "MOST", SMALL)


def member(name, data=b"", **fields):
    made = tarfile.TarInfo(name)
    made.size = len(data)
    for field, value in fields.items():
        setattr(made, field, value)
    return made, io.BytesIO(data)


def tar_of(*members) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for one in members:
            one[1].seek(0)  # it may be in several archives
            tar.addfile(*one)
    return made.getvalue()


HOSTILE = (
    member("../../outside", b"out"),
    member("/tmp/outside-of-all", b"out"),
    member(NAME, type=tarfile.SYMTYPE, linkname="/etc/passwd"),
    member(NAME, type=tarfile.LNKTYPE, linkname="/etc/passwd"),
    member(NAME, type=tarfile.CHRTYPE, devmajor=1, devminor=5),
    member(NAME, type=tarfile.FIFOTYPE),
)
# A file of 1 TiB, all of it a hole.
HOLE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": NAME}
HOLE |= {"GNU.sparse.realsize": str(1 << 40)}
SPARSE = member("hole", b"0\n".ljust(512, b"\0"), pax_headers=HOLE)


def test_paths_links_devices_and_holes_are_passed_over_and_nothing_is_written(tmp_path):
    archive = tmp_path / "inner" / "archive.tar"
    archive.parent.mkdir()
    batch = {b"data": np.zeros((2, 3072), np.uint8), b"labels": [1, 2]}
    good = pickle.dumps(batch, protocol=2)
    archive.write_bytes(tar_of(*HOSTILE, SPARSE, member(NAME, good)))
    images, labels = read_members(archive, [NAME], 10, python_form(b"labels"))
    assert len(images) == len(labels) == 2
    names = [name for name, _ in tar_files(archive, lambda name: True)]
    assert names == ["../../outside", "/tmp/outside-of-all", NAME]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [archive]
    assert not Path("/tmp/outside-of-all").exists()


def test_of_a_tar_that_is_read_in_place_likewise(tmp_path):
    archive = tmp_path / "archive.tar"
    archive.write_bytes(tar_of(*HOSTILE, member(NAME, b"good")))
    found = {name: archive.read_bytes()[at : at + n] for name, at, n in tar_members(archive)}
    assert found == {"../../outside": b"out", "/tmp/outside-of-all": b"out", NAME: b"good"}
    archive.write_bytes(tar_of(SPARSE))
    with pytest.raises(RecordsError, match="it breaks off in"):
        list(tar_members(archive))


@pytest.mark.parametrize("harm", [*HOSTILE[2:], SPARSE], ids=lambda one: str(one[0].type))
def test_what_only_has_the_name_of_a_wanted_file_is_a_missing_one(harm, tmp_path):
    (tmp_path / "archive.tar").write_bytes(tar_of(harm))
    with pytest.raises(RecordsError, match="test_batch: missing from the archive"):
        read_members(tmp_path / "archive.tar", [NAME], 10, python_form(b"labels"))


BOMBS = {
    "a wanted file": tar_of(member(NAME, bytes(2 * SMALL))),
    "a file before it": tar_of(member("other", bytes(2 * SMALL)), member(NAME, b"x")),
    "many files": tar_of(*(member(f"{n}") for n in range(200))),
    "a header": tar_of(member("a", pax_headers={"comment": "x" * 2 * SMALL})),
}


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("bomb", BOMBS)
def test_an_archive_that_unpacks_to_more_than_a_data_set_is_refused(
    bomb, ending, bounded, tmp_path
):
    path = tmp_path / f"archive.tar.{ending}"
    path.write_bytes(COMPRESS[ending](BOMBS[bomb]))
    assert path.stat().st_size < SMALL / 8
    with pytest.raises(RecordsError, match=r"archive\.tar\..*more than 65,536 bytes are in it"):
        list(tar_files(path, lambda name: True))


def test_a_gzipped_file_that_unpacks_to_more_is_refused(bounded, tmp_path):
    path = tmp_path / "images.gz"
    path.write_bytes(gzip.compress(bytes(SMALL + 1)))
    with pytest.raises(RecordsError, match=r"images\.gz: .*more than 65,536 bytes"):
        read_idx(path, (1,))


def test_up_to_the_bound_all_is_read(bounded, tmp_path):
    path = tmp_path / "whole.gz"
    path.write_bytes(gzip.compress(bytes(SMALL)))
    with unpacked.unpacked(path) as file:
        assert file.read() == bytes(SMALL) and file.read(1) == b""


def test_a_devkit_that_unpacks_to_more_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(imagenet_truth, "MOST_META", SMALL)
    packed = zlib.compress(bytes(2 * SMALL))
    mat = bytes(128) + struct.pack("<II", 15, len(packed)) + packed
    folder = tmp_path / imagenet_truth.DEVKIT / "data"
    folder.mkdir(parents=True)
    (folder / "meta.mat").write_bytes(mat)
    (folder / "ILSVRC2012_validation_ground_truth.txt").write_text("1\n")
    with pytest.raises(RecordsError, match=r"more than 65,536 bytes are in data/meta\.mat"):
        imagenet_truth.find_truth(tmp_path)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_would_never_end_is_not_opened(make, tmp_path):
    make(tmp_path / "a.tar")
    with pytest.raises(RecordsError, match=r"a\.tar: neither a file nor a folder"):
        obtain(tmp_path, Archive("a.tar", "md5:0"))


def test_an_image_of_any_size_is_left_out_unread(monkeypatch, tmp_path):
    path = tmp_path / "large.jpg"
    with path.open("wb") as file:
        file.truncate(shard_task.MOST_BYTES + 1)
    monkeypatch.setattr(shard_task, "_read", lambda sample: pytest.fail("it was read"))
    sample = Sample("large.jpg", str(path), 0, path.stat().st_size, 0)
    made = make_shard(ShardTask(tmp_path, "train", 0, 0, [sample], 95, 0), lambda: None).result()
    ((name, problem, action),) = made["problems"]
    assert (name, action) == ("large.jpg", "left out")
    assert "536,870,913 bytes are more than 536,870,912" in problem
