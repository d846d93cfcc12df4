"""The real datasets, where their source files are to be had."""

import numpy as np
import pytest

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


@pytest.mark.slow
def test_real_cifar10_jpeg(real_archives, tmp_path):
    archives = real_archives("cifar-10-jpeg.tar.xz")
    prepare("cifar10-jpeg", tmp_path / "cifar10-jpeg", archives)
    records = open_records(tmp_path / "cifar10-jpeg", verify=True)
    assert np.bincount(records.train_labels).tolist() == [5000] * 10
    assert np.bincount(records.test_labels).tolist() == [1000] * 10
    # Those quoted for CIFAR-10 itself; JPEG moves a channel's mean by less than this.
    assert records.mean == pytest.approx([0.4914, 0.4822, 0.4465], abs=1e-3)
    assert records.std == pytest.approx([0.2470, 0.2435, 0.2616], abs=3e-3)


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
