import gzip

import numpy as np
import pytest
from canonical_files import checksum, idx, mnist_files, write_mnist

from data_prep import mnist
from data_prep.idx import read_idx
from data_prep.records import RecordsError


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("folder", ["archives", "archives/mnist"])
def test_reads_gzipped_and_plain_files_here_or_one_folder_down(
    tiny_mnist, tmp_path, zipped, folder
):
    tiny_mnist(zipped=zipped, folder=folder)
    sources = mnist.find_sources(tmp_path / "archives")
    images, labels = mnist.read_split("train", sources)
    expected = np.frombuffer(mnist_files()["train-images-idx3-ubyte"][16:], np.uint8)
    assert images.dtype == np.uint8 and images.shape == (6, 28, 28, 1)
    assert np.array_equal(images.ravel(), expected)
    assert labels.dtype == np.int64 and labels.tolist() == [0, 1, 2, 3, 4, 5]
    images, labels = mnist.read_split("test", sources)
    assert images.shape == (4, 28, 28, 1) and labels.tolist() == [9, 8, 7, 6]


def test_the_gzip_wrapper_is_of_no_interest(tiny_mnist):
    archives = tiny_mnist()
    name = "train-images-idx3-ubyte.gz"
    data = gzip.decompress((archives / name).read_bytes())
    (archives / name).write_bytes(gzip.compress(data, compresslevel=1, mtime=1))
    assert mnist.find_sources(archives)


def test_another_dataset_with_the_same_file_names_is_passed_over(tiny_mnist, tmp_path):
    write_mnist(tmp_path / "archives" / "fashion-mnist", mnist_files(seed=9))
    right = tiny_mnist(folder="archives/mnist")
    sources = mnist.find_sources(tmp_path / "archives")
    assert {source.path.parent for source in sources.values()} == {right}


@pytest.mark.parametrize("name", ["train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"])
def test_a_file_with_another_checksum_is_refused(tiny_mnist, name):
    archives = tiny_mnist()
    data = bytearray(gzip.decompress((archives / f"{name}.gz").read_bytes()))
    data[-1] ^= 1
    (archives / f"{name}.gz").write_bytes(gzip.compress(bytes(data)))
    with pytest.raises(RecordsError, match=rf"{name}\.gz: checksum is md5:.* is expected"):
        mnist.find_sources(archives)


def test_a_truncated_file_is_refused(tiny_mnist):
    archives = tiny_mnist()
    path = archives / "t10k-images-idx3-ubyte.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(RecordsError, match=r"t10k-images-idx3-ubyte\.gz: can't be unpacked"):
        mnist.find_sources(archives)


def test_a_missing_file_is_named(tiny_mnist):
    archives = tiny_mnist()
    (archives / "train-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(RecordsError, match=r"train-labels-idx1-ubyte\.gz: missing.*--archives"):
        mnist.find_sources(archives)
    with pytest.raises(RecordsError, match="nowhere: not a folder"):
        mnist.find_sources(archives / "nowhere")


def test_a_label_out_of_range_is_refused(tiny_mnist, monkeypatch):
    archives = tiny_mnist()
    data = idx(np.array([0, 1, 10, 3, 4, 5]))
    (archives / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(data))
    monkeypatch.setitem(mnist.ORIGINS[0], "train-labels-idx1-ubyte", checksum(data))
    with pytest.raises(RecordsError, match=r"train-labels.*: label 10 of sample 2 .* 0 to 9"):
        mnist.read_split("train", mnist.find_sources(archives))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not an IDX file"),
        (b"\x00\x00\x08\x03\x00\x00", "not an IDX file"),
        (b"\x00\x00\x0d\x01" + bytes(4), "not an IDX file of unsigned bytes"),
        (idx(np.zeros((3, 28, 28))), r"shape \[3, 28, 28\] where \[2, 28, 28\] is expected"),
        (idx(np.zeros((2, 28, 28)))[:-1], "1567 bytes of data where its header says 1568"),
        (idx(np.zeros((2, 28, 28))) + b"x", "1569 bytes of data"),
    ],
)
def test_malformed_idx_files_are_refused(tmp_path, data, words):
    path = tmp_path / "images"
    path.write_bytes(data)
    with pytest.raises(RecordsError, match=f"images: {words}"):
        read_idx(path, (2, 28, 28))
