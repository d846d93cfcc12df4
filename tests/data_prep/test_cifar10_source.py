import os
import pickle

import numpy as np
import pytest
from canonical_files import (
    cifar_batches,
    cifar_binary_members,
    cifar_python_members,
    python2_pickle,
    write_tar,
)

from data_prep import cifar10
from data_prep.archives import file_checksum
from data_prep.records import RecordsError
from data_prep.safe_pickle import load_arrays

LAYOUTS = {
    "cifar-10-python.tar.gz": cifar_python_members,
    "cifar-10-binary.tar.gz": cifar_binary_members,
}


@pytest.fixture
def tiny_cifar10(tmp_path, monkeypatch):
    """Writes a tiny archive and makes it the one that is expected."""

    def write(name, members):
        write_tar(tmp_path / name, members)
        origins = [dict.fromkeys(origin, "md5:0") for origin in cifar10.ORIGINS]
        for origin in origins:
            if name in origin:
                origin[name] = file_checksum(tmp_path / name, "md5")
        monkeypatch.setattr(cifar10, "ORIGINS", origins)
        monkeypatch.setattr(cifar10, "COUNTS", {"train": 10, "test": 2})
        return tmp_path

    return write


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_reads_both_canonical_archives(tiny_cifar10, name):
    batches = cifar_batches()
    sources = cifar10.find_sources(tiny_cifar10(name, LAYOUTS[name](batches)))
    assert list(sources) == [name]
    for split, names in cifar10._BATCHES.items():
        images, labels = cifar10.read_split(split, sources)
        pixels = np.concatenate([batches[batch][0] for batch in names])
        assert images.dtype == np.uint8 and images.shape == (len(pixels), 32, 32, 3)
        assert labels.dtype == np.int64
        assert labels.tolist() == [label for batch in names for label in batches[batch][1]]
        # Red, green and blue planes of 32 rows of 32 pixels, as the publisher describes them.
        for row, column, channel in [(0, 0, 0), (0, 31, 2), (17, 3, 1), (31, 31, 2)]:
            assert np.array_equal(
                images[:, row, column, channel], pixels[:, channel * 1024 + row * 32 + column]
            )


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_damaged_missing_and_truncated_archives_are_refused(tiny_cifar10, name):
    folder = tiny_cifar10(name, LAYOUTS[name](cifar_batches()))
    sources = cifar10.find_sources(folder)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: len(data) // 2])
    with pytest.raises(RecordsError, match=f"{name}: checksum is md5:.* is expected"):
        cifar10.find_sources(folder)
    with pytest.raises(RecordsError, match=f"{name}: can't be unpacked"):
        cifar10.read_split("test", sources)
    (folder / name).unlink()
    with pytest.raises(RecordsError, match=r"missing.*python.tar.gz or cifar-10-binary.tar.gz"):
        cifar10.find_sources(folder)


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_a_label_out_of_range_is_refused(tiny_cifar10, name):
    batches = cifar_batches()
    batches["data_batch_4"][1][1] = 10
    sources = cifar10.find_sources(tiny_cifar10(name, LAYOUTS[name](batches)))
    with pytest.raises(
        RecordsError, match=r"data_batch_4.*: label 10 of sample 1 is not in 0 to 9"
    ):
        cifar10.read_split("train", sources)


def test_an_archive_short_of_a_batch_is_refused(tiny_cifar10):
    members = cifar_python_members(cifar_batches())
    del members["cifar-10-batches-py/data_batch_3"]
    sources = cifar10.find_sources(tiny_cifar10("cifar-10-python.tar.gz", members))
    with pytest.raises(RecordsError, match=r"data_batch_3: missing from the archive"):
        cifar10.read_split("train", sources)


@pytest.mark.parametrize(
    "batch",
    [
        [],
        {b"data": np.zeros((2, 3072), np.uint8)},
        {b"data": np.zeros((2, 3072), np.float64), b"labels": [0, 1]},
        {b"data": np.zeros((3, 3072), np.uint8), b"labels": [0, 1]},
        {b"data": np.zeros((2, 3071), np.uint8), b"labels": [0, 1]},
        {b"data": np.zeros((2, 3072), np.uint8), b"labels": ["a", "b"]},
    ],
)
def test_a_pickle_that_is_no_batch_is_refused(tiny_cifar10, batch):
    members = cifar_python_members(cifar_batches())
    members["cifar-10-batches-py/test_batch"] = pickle.dumps(batch, protocol=2)
    sources = cifar10.find_sources(tiny_cifar10("cifar-10-python.tar.gz", members))
    with pytest.raises(RecordsError, match=r"test_batch: (not a batch|labels are not)"):
        cifar10.read_split("test", sources)


def test_a_binary_batch_with_half_a_sample_is_refused(tiny_cifar10):
    members = cifar_binary_members(cifar_batches())
    members["cifar-10-batches-bin/test_batch.bin"] += b"x"
    sources = cifar10.find_sources(tiny_cifar10("cifar-10-binary.tar.gz", members))
    with pytest.raises(RecordsError, match=r"test_batch.bin: 6147 bytes, no whole number"):
        cifar10.read_split("test", sources)


class _MakesAFolder:
    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_with_code_is_refused_and_not_run(tiny_cifar10, tmp_path, protocol):
    trace = tmp_path / "code-was-run"
    attack = pickle.dumps({b"data": _MakesAFolder(trace)}, protocol)
    members = cifar_python_members(cifar_batches())
    members["cifar-10-batches-py/test_batch"] = attack
    sources = cifar10.find_sources(tiny_cifar10("cifar-10-python.tar.gz", members))
    with pytest.raises(
        RecordsError, match=r"test_batch: refused as a pickle \(it asks for .*mkdir"
    ):
        cifar10.read_split("test", sources)
    assert not trace.exists()
    pickle.loads(attack)  # The attack is a real one: the ordinary unpickler falls for it.
    assert trace.exists()


@pytest.mark.parametrize(
    "attack",
    [
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"c__builtin__\neval\n(S'1'\ntR.",
        b"cnumpy\nload\n(S'x'\ntR.",
        b"cnumpy\nndarray.tofile\n.",
        b"\x80\x04\x8c\x05numpy\x8c\x0endarray.tofile\x93.",
        b"c_codecs\nencode\n(Vx\nVrot13\ntR.",
        b"\x80\x02}(",
        b"",
        b"\xff\xff",
    ],
)
def test_other_requests_and_broken_pickles_are_refused(attack):
    with pytest.raises(RecordsError, match=r"here: refused as a pickle"):
        load_arrays(attack, "here")


def test_pickles_of_arrays_by_python_2_and_3_are_read():
    pixels = np.arange(6, dtype=np.uint8).reshape(2, 3)
    for data in (python2_pickle(pixels, [1, 2]), pickle.dumps({b"data": pixels}, protocol=2)):
        assert np.array_equal(load_arrays(data, "here")[b"data"], pixels)


def test_nothing_is_unpacked_to_the_disk(tiny_cifar10, tmp_path):
    members = cifar_python_members(cifar_batches()) | {"../escaped": b"x", "/tmp/../escaped": b"x"}
    folder = tiny_cifar10("cifar-10-python.tar.gz", members)
    cifar10.read_split("test", cifar10.find_sources(folder))
    assert [path.name for path in folder.iterdir()] == ["cifar-10-python.tar.gz"]
    assert not (tmp_path.parent / "escaped").exists()
