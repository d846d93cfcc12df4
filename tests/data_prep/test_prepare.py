import gzip
import json
from types import SimpleNamespace

import numpy as np
import pytest
from canonical_files import checksum

from data_prep import datasets, disk_space, mnist
from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def reads(monkeypatch):
    """The splits of MNIST as they are read from the source files."""
    read, done = mnist.read_split, []

    def counted(split, sources):
        done.append(split)
        return read(split, sources)

    monkeypatch.setattr(mnist, "read_split", counted)
    return done


def test_a_dataset_is_known_by_its_file():
    arrays = ["cifar10", "cifar10-jpeg", "cifar100", "digits", "fashion-mnist", "mnist"]
    encoded = ["imagefolder", "imagenet", "imagenet-sample"]
    assert datasets.known() == sorted(arrays + encoded)
    for name in arrays:
        module = datasets.load(name)
        assert set(module.COUNTS) == {"train", "test"} and len(module.SHAPE) == 3
        assert module.CLASS_NAMES and module.ORIGINS and module.find_sources
        assert not datasets.is_encoded(module)
    for name in encoded:
        module = datasets.load(name)
        assert datasets.is_encoded(module) and module.SHAPE == (224, 224, 3)
        assert bool(module.CLASS_COUNT) == bool(module.COUNTS)
    for wrong in ("minst", "records", "imagenet-", "imagenet-x", "-64"):
        with pytest.raises(RecordsError, match=f"unknown dataset '{wrong}'; use one of cifar10"):
            datasets.load(wrong)


def test_a_side_after_the_name_asks_for_decoded_images():
    assert datasets.resolve("imagenet") == ("imagenet", 0)
    assert datasets.resolve("imagenet-sample-64") == ("imagenet-sample", 64)
    assert datasets.module_name("imagenet-sample-64") == "data_prep.imagenet_sample"
    assert datasets.describe("imagenet-64").shape == (64, 64, 3)
    assert datasets.describe("imagenet").counts == {"train": 1_281_167, "test": 50_000}
    assert datasets.describe("imagefolder").counts == {}
    assert datasets.describe("cifar100").classes == 100
    for wrong in ("imagenet-0", "imagenet-064", "imagenet-4097"):
        with pytest.raises(RecordsError, match=f"{wrong}: not a side from 1 to 4096 pixels"):
            datasets.resolve(wrong)
    with pytest.raises(RecordsError, match="images of mnist have one size already; write mnist"):
        datasets.load("mnist-28")


def test_equal_sources_make_equal_bytes(tiny_mnist, tmp_path):
    prepare("mnist", tmp_path / "first", tiny_mnist(folder="zipped"))
    prepare("mnist", tmp_path / "second", tiny_mnist(zipped=False, folder="plain"))
    assert contents(tmp_path / "first") == contents(tmp_path / "second")


def test_a_finished_folder_is_left_alone_even_without_its_sources(tiny_mnist, tmp_path, reads):
    prepare("mnist", tmp_path / "mnist", tiny_mnist())
    before, said = contents(tmp_path / "mnist"), []
    prepare("mnist", tmp_path / "mnist", tmp_path / "nowhere", report=said.append)
    assert said == [f"{tmp_path / 'mnist'}: already finished"]
    assert contents(tmp_path / "mnist") == before and reads == ["train", "test"]


def test_other_sources_replace_the_records(tiny_mnist, tmp_path):
    prepare("mnist", tmp_path / "mnist", tiny_mnist(seed=0))
    old = open_records(tmp_path / "mnist")
    prepare("mnist", tmp_path / "mnist", tiny_mnist(seed=1))
    new = open_records(tmp_path / "mnist", verify=True)
    assert new.hashes != old.hashes and new.train_labels.tolist() == [1, 2, 3, 4, 5, 6]
    # Who still reads the old records goes on reading the old records.
    assert old.train_labels.tolist() == [0, 1, 2, 3, 4, 5]
    assert sorted(contents(tmp_path / "mnist")) == [".lock", "manifest.json", *sorted(new.hashes)]


def spoil_checksum(archives):
    (archives / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(b"other"))


def spoil_label(archives):
    path = archives / "t10k-labels-idx1-ubyte.gz"
    data = gzip.decompress(path.read_bytes())[:-1] + b"\x0a"
    path.write_bytes(gzip.compress(data))
    mnist.ORIGINS[0]["t10k-labels-idx1-ubyte"] = checksum(data)


def spoil_file(archives):
    (archives / "t10k-labels-idx1-ubyte.gz").unlink()


@pytest.mark.parametrize("spoil", [spoil_checksum, spoil_label, spoil_file])
def test_bad_sources_lose_nothing_that_was_there(tiny_mnist, tmp_path, spoil):
    folder = tmp_path / "mnist"
    prepare("mnist", folder, tiny_mnist(seed=0))
    before = open_records(folder).hashes
    archives = tiny_mnist(seed=1)
    spoil(archives)
    with pytest.raises(RecordsError, match=r"t10k-labels-idx1-ubyte\.gz: "):
        prepare("mnist", folder, archives)
    assert open_records(folder, verify=True).hashes == before
    prepare("mnist", folder, tiny_mnist(seed=1))
    assert open_records(folder, verify=True).hashes != before


@pytest.mark.parametrize("spoil", [spoil_checksum, spoil_label, spoil_file])
def test_bad_sources_finish_nothing(tiny_mnist, tmp_path, spoil):
    archives = tiny_mnist()
    spoil(archives)
    with pytest.raises(RecordsError):
        prepare("mnist", tmp_path / "mnist", archives)
    with pytest.raises(RecordsError, match="no finished records"):
        open_records(tmp_path / "mnist")


def test_finished_splits_of_other_sources_are_not_taken_over(tiny_mnist, tmp_path, reads):
    archives = tiny_mnist(seed=1)
    spoil_label(archives)
    with pytest.raises(RecordsError):
        prepare("mnist", tmp_path / "mnist", archives)
    prepare("mnist", tmp_path / "mnist", tiny_mnist(seed=0))
    assert reads == ["train", "test", "train", "test"]
    assert open_records(tmp_path / "mnist", verify=True).train_labels[0] == 0


def test_damaged_records_are_made_again(tiny_mnist, tmp_path):
    folder = tmp_path / "mnist"
    prepare("mnist", folder, tiny_mnist())
    before = contents(folder)
    (folder / "train_images.npy").write_bytes(b"short")
    prepare("mnist", folder, tmp_path / "archives")
    assert contents(folder) == before
    data = before["train_images.npy"]
    (folder / "train_images.npy").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    prepare("mnist", folder, tmp_path / "archives", verify=True)
    assert contents(folder) == before


def test_the_records_of_another_dataset_are_not_replaced(tiny_mnist, tmp_path):
    prepare("mnist", tmp_path / "here", tiny_mnist())
    with pytest.raises(RecordsError, match="here: holds the records of mnist; choose another"):
        prepare("digits", tmp_path / "here")
    assert open_records(tmp_path / "here", verify=True).name == "mnist"


def test_other_files_of_the_folder_stay(tiny_mnist, tmp_path):
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist" / "notes.txt").write_text("mine")
    prepare("mnist", tmp_path / "mnist", tiny_mnist(seed=0))
    prepare("mnist", tmp_path / "mnist", tiny_mnist(seed=1))
    assert (tmp_path / "mnist" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("images", "labels", "words"),
    [
        (np.ones((5, 28, 28, 1), np.uint8), np.zeros(5, np.int64), "train has 5 labels"),
        (np.ones((6, 28, 28, 1), np.uint8), np.zeros(5, np.int64), "train has 5 labels"),
        (np.ones((6, 28, 28, 1), np.float32), np.zeros(6, np.int64), "float32 images"),
        (np.ones((6, 28, 28), np.uint8), np.zeros(6, np.int64), "uint8 images"),
        (np.ones((6, 28, 28, 1), np.uint8), np.full(6, 10), "label 10 of sample 0"),
        (np.ones((6, 28, 28, 1), np.uint8), np.full(6, -1), "label -1 of sample 0"),
        (np.ones((6, 28, 28, 1), np.uint8), np.zeros(6, np.int64), "the same everywhere"),
    ],
)
def test_what_a_reader_gets_wrong_is_refused(
    tiny_mnist, tmp_path, monkeypatch, images, labels, words
):
    archives = tiny_mnist()
    monkeypatch.setattr(mnist, "read_split", lambda split, sources: (images, labels))
    with pytest.raises(RecordsError, match=f"train-images-idx3-ubyte.gz.*: .*{words}"):
        prepare("mnist", tmp_path / "mnist", archives)


def test_the_manifest_says_where_the_records_come_from(tiny_mnist, tmp_path):
    prepare("mnist", tmp_path / "mnist", tiny_mnist())
    manifest = json.loads((tmp_path / "mnist" / "manifest.json").read_text())
    assert manifest["origin"] == mnist.ORIGINS[0]
    assert manifest["counts"] == {"train": 6, "test": 4}
    assert manifest["class_names"] == list("0123456789")


def test_a_disk_that_is_too_small_is_refused_before_anything_is_read(
    tiny_mnist, tmp_path, monkeypatch, reads
):
    monkeypatch.setattr(disk_space.shutil, "disk_usage", lambda path: SimpleNamespace(free=10**6))
    with pytest.raises(
        RecordsError,
        match=r"mnist: 0\.01 MB are needed, 50\.00 MB are to stay free, and 1\.00 MB are; make",
    ):
        prepare("mnist", tmp_path / "mnist", tiny_mnist())
    assert reads == []
