import json

import numpy as np
import pytest

from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records


@pytest.fixture
def finished(tiny_mnist, tmp_path):
    prepare("mnist", tmp_path / "mnist", tiny_mnist())
    return tmp_path / "mnist"


def change_manifest(folder, **fields):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_records_are_what_the_source_files_hold(finished):
    records = open_records(finished, verify=True)
    assert (records.name, records.classes, records.shape) == ("mnist", 10, (28, 28, 1))
    assert records.train_images.dtype == np.uint8
    assert records.train_images.shape == (6, 28, 28, 1)
    assert records.train_labels.dtype == np.int64
    assert records.train_labels.tolist() == [0, 1, 2, 3, 4, 5]
    assert records.test_images.shape == (4, 28, 28, 1)
    assert records.test_labels.tolist() == [9, 8, 7, 6]
    assert sorted(records.hashes) == [
        "test_images.npy",
        "test_labels.npy",
        "train_images.npy",
        "train_labels.npy",
    ]


def test_mean_and_std_are_those_of_the_training_images(finished):
    records = open_records(finished)
    scaled = records.train_images / np.float64(255)
    assert records.mean.dtype == np.float32 and records.mean.shape == (1,)
    assert np.allclose(records.mean, scaled.mean(axis=(0, 1, 2)), rtol=1e-6)
    assert np.allclose(records.std, scaled.std(axis=(0, 1, 2)), rtol=1e-6)


def test_arrays_are_read_only_maps_of_the_files(finished):
    records = open_records(finished)
    assert isinstance(records.train_images, np.memmap)
    for array in (records.train_images, records.train_labels, records.test_images):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("file", ["train_images.npy", "test_labels.npy"])
def test_a_file_of_another_size_is_refused(finished, file):
    path = finished / file
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RecordsError) as caught:
        open_records(finished)
    assert str(caught.value) == (
        f"{path}: {size - 1} bytes where the manifest says {size}; "
        f"run `python -m data_prep mnist {finished}` again"
    )
    path.unlink()
    with pytest.raises(RecordsError, match=f"{file}: missing; run"):
        open_records(finished)


def test_a_changed_byte_is_found_when_asked_to_look(finished):
    path = finished / "test_images.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    open_records(finished)
    with pytest.raises(RecordsError, match=r"test_images\.npy: contents differ .*--verify"):
        open_records(finished, verify=True)


def test_a_folder_without_a_manifest_is_unfinished(finished):
    (finished / "manifest.json").unlink()
    with pytest.raises(
        RecordsError, match=r"manifest\.json: missing.*python -m data_prep DATASET .*mnist"
    ):
        open_records(finished)
    with pytest.raises(RecordsError, match=r"nowhere/manifest\.json: missing"):
        open_records(finished / "nowhere")
    with pytest.raises(RecordsError, match="missing"):
        open_records(finished / "train_images.npy")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "\udcff"])
def test_a_broken_manifest_is_refused(finished, text):
    (finished / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RecordsError, match=r"manifest\.json: "):
        open_records(finished)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"format": 2}, "format 2 where this reads 1"),
        ({"dataset": None}, "no usable `dataset`"),
        ({"classes": "10"}, "no usable `classes`"),
        ({"files": {}}, r"nothing usable of train_images\.npy"),
        ({"counts": {"train": 6}}, r"nothing usable of test_images\.npy"),
        ({"counts": {"train": 7, "test": 4}}, r"train_images.npy: uint8 \[6, 28, 28, 1\] where"),
        ({"shape": [28, 28, 3]}, r"manifest says uint8 \[6, 28, 28, 3\]"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(finished, fields, words):
    change_manifest(finished, **fields)
    with pytest.raises(RecordsError, match=words):
        open_records(finished)


def test_an_array_of_the_right_size_and_another_form_is_refused(finished):
    path = finished / "train_labels.npy"
    labels = np.load(path)
    np.save(path, labels.astype(np.float64))
    with pytest.raises(RecordsError, match=r"train_labels\.npy: float64 \[6\] where"):
        open_records(finished)
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(RecordsError, match=r"train_labels\.npy: can't be opened"):
        open_records(finished)
