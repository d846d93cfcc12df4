"""The real datasets, where their source files are to be had; that of JPEGs in test_real_data."""

import numpy as np
import pytest
import simplejpeg

from data_prep import imagenet_sample
from data_prep.prepare import prepare
from data_prep.records import open_records


def test_real_mnist(real_archives, tmp_path):
    prepare("mnist", tmp_path / "mnist", real_archives("mnist"))
    records = open_records(tmp_path / "mnist", verify=True)
    assert len(records.train_images) == 60_000 and len(records.test_images) == 10_000
    # Both numbers are the ones everybody quotes for MNIST.
    assert records.mean == pytest.approx(0.1307, abs=1e-4)
    assert records.std == pytest.approx(0.3081, abs=1e-4)
    assert records.train_labels[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert np.bincount(records.test_labels).tolist() == [
        *(980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009)
    ]


@pytest.mark.parametrize("name", ["cifar-10-python.tar.gz", "cifar-10-binary.tar.gz"])
@pytest.mark.slow
def test_real_cifar10(real_archives, tmp_path, name):
    archives = real_archives(name)
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives" / name).symlink_to(archives / name)
    prepare("cifar10", tmp_path / "cifar10", tmp_path / "archives")
    records = open_records(tmp_path / "cifar10", verify=True)
    assert records.train_labels[:10].tolist() == [6, 9, 9, 4, 1, 1, 2, 7, 8, 3]
    assert np.bincount(records.test_labels).tolist() == [1000] * 10
    assert records.mean == pytest.approx([0.4914, 0.4822, 0.4465], abs=1e-4)


@pytest.mark.slow
def test_real_fashion_mnist(real_archives, tmp_path):
    prepare("fashion-mnist", tmp_path / "fashion-mnist", real_archives("fashion-mnist"))
    records = open_records(tmp_path / "fashion-mnist", verify=True)
    assert np.bincount(records.train_labels).tolist() == [6000] * 10
    assert np.bincount(records.test_labels).tolist() == [1000] * 10
    # Both numbers are the ones everybody quotes for Fashion-MNIST.
    assert records.mean == pytest.approx(0.2860, abs=1e-4)
    assert records.std == pytest.approx(0.3530, abs=1e-4)


def test_real_imagenet_sample(real_archives, tmp_path):
    archives = real_archives("imagenet-sample.tar")
    prepare("imagenet-sample", tmp_path / "records", archives)
    records = open_records(tmp_path / "records", verify=True)
    assert records.classes == 200 and records.class_names[0] == "n01440764"
    labels = [*records.train_labels, *records.test_labels]
    assert sorted(labels) == list(range(200))
    counts = {"train": len(records.train_labels), "test": len(records.test_labels)}
    assert counts == imagenet_sample.COUNTS
    grey = (tmp_path / "records/preparation.csv").read_text().splitlines()[1:]
    assert len(grey) == 3 and all(line.endswith(",grey,kept") for line in grey)
    # Near those that everybody uses for ImageNet, as near as 153 of its images can be.
    assert records.mean == pytest.approx([0.485, 0.456, 0.406], abs=0.03)
    assert records.std == pytest.approx([0.229, 0.224, 0.225], abs=0.06)
    for split, count in counts.items():
        for row in range(count):
            pixels = simplejpeg.decode_jpeg(records.encoded(split, row), "RGB")
            known = records.index(split)[row]
            assert pixels.shape == (known["height"], known["width"], 3)


def test_real_imagenet_sample_decoded(real_archives, tmp_path):
    archives = real_archives("imagenet-sample.tar")
    prepare("imagenet-sample-64", tmp_path / "records", archives)
    records = open_records(tmp_path / "records", verify=True)
    assert records.train_images.shape == (153, 64, 64, 3) and records.shape == (64, 64, 3)
    assert isinstance(records.train_images, np.memmap)
