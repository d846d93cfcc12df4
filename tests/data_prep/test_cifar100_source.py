import numpy as np
import pytest
from canonical_files import python2_pickle, write_tar

from data_prep import cifar100
from data_prep.archives import file_checksum
from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records

PIXELS = np.random.default_rng(0).integers(0, 256, (6, 3072), np.uint8)
FINE, COARSE = [0, 99, 50, 1, 2, 3], [4, 19, 0, 1, 2, 3]
ROWS = {"train": slice(0, 4), "test": slice(4, 6)}


def python_members():
    return {
        f"cifar-100-python/{split}": python2_pickle(PIXELS[rows], FINE[rows], b"fine_labels")
        for split, rows in ROWS.items()
    }


def binary_members():
    return {
        f"cifar-100-binary/{split}.bin": b"".join(
            bytes([coarse, fine]) + row.tobytes()
            for coarse, fine, row in zip(COARSE[rows], FINE[rows], PIXELS[rows], strict=True)
        )
        for split, rows in ROWS.items()
    }


LAYOUTS = {"cifar-100-python.tar.gz": python_members, "cifar-100-binary.tar.gz": binary_members}


@pytest.fixture
def tiny_cifar100(tmp_path, monkeypatch):
    """Writes a tiny archive and makes it the one that is expected."""

    def write(name, members):
        write_tar(tmp_path / name, members)
        origins = [dict.fromkeys(origin, "md5:0") for origin in cifar100.ORIGINS]
        for origin in origins:
            if name in origin:
                origin[name] = file_checksum(tmp_path / name, "md5")
        monkeypatch.setattr(cifar100, "ORIGINS", origins)
        monkeypatch.setattr(cifar100, "COUNTS", {"train": 4, "test": 2})
        return tmp_path

    return write


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_reads_the_fine_labels_of_both_archives(tiny_cifar100, tmp_path, name):
    prepare("cifar100", tmp_path / "records", tiny_cifar100(name, LAYOUTS[name]()))
    records = open_records(tmp_path / "records", verify=True)
    assert records.train_labels.tolist() == FINE[:4] and records.test_labels.tolist() == FINE[4:]
    planes = PIXELS[:4].reshape(-1, 3, 32, 32)
    assert np.array_equal(records.train_images, planes.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_other_archives_are_refused(tiny_cifar100, tmp_path, name):
    members = LAYOUTS[name]()
    missing = next(member for member in members if "train" in member)
    folder = tiny_cifar100(name, {key: of for key, of in members.items() if key != missing})
    with pytest.raises(RecordsError, match=f"{missing}: missing from the archive"):
        prepare("cifar100", tmp_path / "records", folder)
    (folder / name).write_bytes(b"other")
    with pytest.raises(RecordsError, match=f"{name}: checksum is md5:.* is expected"):
        prepare("cifar100", tmp_path / "records", folder)


def test_a_label_above_the_hundredth_is_refused(tiny_cifar100, tmp_path):
    members = binary_members()
    row = bytearray(members["cifar-100-binary/test.bin"])
    row[1] = 100
    folder = tiny_cifar100(
        "cifar-100-binary.tar.gz", members | {"cifar-100-binary/test.bin": bytes(row)}
    )
    with pytest.raises(RecordsError, match=r"test\.bin: label 100 of sample 0 is not in 0 to 99"):
        prepare("cifar100", tmp_path / "records", folder)


def test_the_names_of_the_classes_are_a_hundred_in_order():
    assert len(set(cifar100.CLASS_NAMES)) == 100
    assert list(cifar100.CLASS_NAMES) == sorted(cifar100.CLASS_NAMES)
