import numpy as np
import pytest
from canonical_files import jpeg, jpeg_members, write_tar

from data_prep import cifar10_jpeg
from data_prep.archives import file_checksum
from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records

TAR = "cifar-10-jpeg.tar.xz"


@pytest.fixture
def tiny_jpegs(tmp_path, monkeypatch):
    """Writes tiny source files, as the expected archive or unpacked one folder down."""
    monkeypatch.setattr(cifar10_jpeg, "COUNTS", {"train": 20, "test": 10})

    def write(form, members):
        if form == "tar":
            write_tar(tmp_path / "archives" / TAR, members)
            checksum = file_checksum(tmp_path / "archives" / TAR, "sha256")
            monkeypatch.setattr(cifar10_jpeg, "ORIGINS", [{TAR: checksum}])
        else:
            for name, data in members.items():
                path = tmp_path / "archives" / "unpacked" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        return tmp_path / "archives"

    return write


@pytest.mark.parametrize("form", ["tar", "folder"])
def test_reads_in_the_order_of_class_and_name(tiny_jpegs, form):
    members = jpeg_members(cifar10_jpeg.CLASS_NAMES)
    shuffled = dict(sorted(members.items(), key=lambda item: hash(item[0])))
    sources = cifar10_jpeg.find_sources(tiny_jpegs(form, shuffled))
    images, labels = cifar10_jpeg.read_split("train", sources)
    assert images.dtype == np.uint8 and images.shape == (20, 32, 32, 3)
    assert labels.tolist() == [label for label in range(10) for _ in range(2)]
    red = images[:, :, :, 0].mean(axis=(1, 2))
    green = images[:, :, :, 1].mean(axis=(1, 2))
    assert np.allclose(red, [50, 150] * 10, atol=3)
    assert np.allclose(green, labels * 20, atol=3)
    images, labels = cifar10_jpeg.read_split("test", sources)
    assert len(images) == 10 and labels.tolist() == list(range(10))


@pytest.mark.parametrize("form", ["tar", "folder"])
@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("train/bird/0001.jpg", jpeg((1, 2, 3))[:300], "can't be decoded"),
        ("train/bird/0001.jpg", b"no picture", r"can't be decoded \(not a JPEG\)"),
        ("train/bird/0001.jpg", jpeg((1, 2, 3), size=(32, 31)), "RGB of 32 x 31 pixels"),
        ("train/bird/0001.jpg", jpeg((1, 2, 3), mode="L"), "L of 32 x 32 pixels"),
        ("train/zebra/0001.jpg", jpeg((1, 2, 3)), "no class of CIFAR-10"),
    ],
)
def test_bad_images_are_refused_by_name(tiny_jpegs, form, name, data, words):
    members = jpeg_members(cifar10_jpeg.CLASS_NAMES) | {name: data}
    sources = cifar10_jpeg.find_sources(tiny_jpegs(form, members))
    with pytest.raises(RecordsError, match=f"{name}: .*{words}"):
        cifar10_jpeg.read_split("train", sources)


@pytest.mark.parametrize("form", ["tar", "folder"])
def test_a_missing_image_is_a_wrong_count(tiny_jpegs, tmp_path, form):
    members = jpeg_members(cifar10_jpeg.CLASS_NAMES)
    del members["train/dog/0000.jpg"]
    archives = tiny_jpegs(form, members)
    with pytest.raises(
        RecordsError, match=r"archives/.*: train/dog has 1 images where 2 are expected"
    ):
        prepare("cifar10-jpeg", tmp_path / "records", archives)
    with pytest.raises(RecordsError, match="missing"):
        open_records(tmp_path / "records")


def test_an_unpacked_folder_is_known_by_what_it_holds(tiny_jpegs):
    members = jpeg_members(cifar10_jpeg.CLASS_NAMES)
    archives = tiny_jpegs("folder", members)
    (before,) = cifar10_jpeg.find_sources(archives).values()
    (again,) = cifar10_jpeg.find_sources(archives).values()
    tiny_jpegs("folder", {"test/cat/0000.jpg": jpeg((9, 9, 9))})
    (after,) = cifar10_jpeg.find_sources(archives).values()
    assert before == again and before.checksum != after.checksum


def test_damaged_and_missing_archives_are_refused(tiny_jpegs):
    archives = tiny_jpegs("tar", jpeg_members(cifar10_jpeg.CLASS_NAMES))
    sources = cifar10_jpeg.find_sources(archives)
    data = (archives / TAR).read_bytes()
    (archives / TAR).write_bytes(data[: len(data) // 2])
    with pytest.raises(RecordsError, match=f"{TAR}: checksum is sha256:"):
        cifar10_jpeg.find_sources(archives)
    with pytest.raises(RecordsError, match=f"{TAR}: can't be unpacked"):
        cifar10_jpeg.read_split("train", sources)
    (archives / TAR).unlink()
    with pytest.raises(RecordsError, match=f"{TAR}: missing.*unpacked folder"):
        cifar10_jpeg.find_sources(archives)


def test_without_a_local_copy_one_sentence_says_what_to_do():
    with pytest.raises(RecordsError, match=f"{TAR}: can't be downloaded; .*--archives"):
        cifar10_jpeg.find_sources(None)
