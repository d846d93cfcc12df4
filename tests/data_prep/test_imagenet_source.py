"""ImageNet in each of its forms: the same records, and what is wrong told by name."""

import csv

import pytest
from image_files import encoded, tar_of, write_files
from imagenet_files import VAL, WNIDS, by_class, examples, flat, tars, train_images, val_images
from tfrecord_writer import tfrecord

from data_prep import imagenet, imagenet_tars, imagenet_truth
from data_prep.archives import file_checksum
from data_prep.options import Options
from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records


def tfrecords(folder):
    train, val = examples("train"), examples("validation")
    return write_files(
        folder,
        {
            "train-00000-of-00002": tfrecord(train[:5]),
            "train-00001-of-00002": tfrecord(train[5:]),
            "validation-00000-of-00001": tfrecord(val),
        },
    )


FORMS = {"tars": tars, "flat": flat, "by class": by_class, "TFRecords": tfrecords}


@pytest.fixture
def archives(tmp_path, monkeypatch):
    """Writes the tiny ImageNet in a form, and makes it the one that is published."""
    monkeypatch.setattr(imagenet, "COUNTS", {"train": 9, "test": 4})
    monkeypatch.setattr(imagenet, "CLASS_COUNT", 3)

    def write(form):
        folder = FORMS[form](tmp_path / "archives")
        published = {
            path.name: file_checksum(path, "md5") for path in folder.glob("ILSVRC2012_img_*.tar")
        }
        monkeypatch.setattr(imagenet_tars, "PUBLISHED", published)
        return folder

    return write


def make(source, folder, **options):
    prepare("imagenet", folder, source, options=Options(workers=1, **options))
    return open_records(folder, verify=True)


def report_of(folder):
    with (folder / "preparation.csv").open(newline="") as file:
        return list(csv.reader(file))[1:]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_makes_the_same_records(archives, tmp_path, form):
    records = make(archives(form), tmp_path / "records", strict=True)
    assert records.class_names == WNIDS
    assert records.train_labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert records.test_labels.tolist() == list(VAL)
    images = [data for of in train_images().values() for _, data in sorted(of.items())]
    assert [bytes(records.encoded("train", i)) for i in range(9)] == images
    assert [bytes(records.encoded("test", i)) for i in range(4)] == list(val_images().values())
    assert report_of(tmp_path / "records") == []


def test_the_devkit_may_be_packed(archives, tmp_path):
    import tarfile

    folder = archives("tars")
    with tarfile.open(folder / "ILSVRC2012_devkit_t12.tar.gz", "w:gz") as archive:
        archive.add(folder / "ILSVRC2012_devkit_t12", "ILSVRC2012_devkit_t12")
    for path in sorted((folder / "ILSVRC2012_devkit_t12").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (folder / "ILSVRC2012_devkit_t12").rmdir()
    assert make(folder, tmp_path / "records").test_labels.tolist() == list(VAL)
    # It isn't the published one, and that is said.
    ((file, problem, action),) = report_of(tmp_path / "records")
    assert file == "ILSVRC2012_devkit_t12.tar.gz" and action == "noted"
    assert imagenet_truth._MD5 in problem
    packed = folder / "ILSVRC2012_devkit_t12.tar.gz"
    packed.write_bytes(packed.read_bytes()[:200])
    with pytest.raises(RecordsError, match=r"devkit_t12\.tar\.gz: can't be unpacked"):
        make(folder, tmp_path / "others")


def test_tars_with_other_checksums_and_counts_are_used_and_told_or_refused(archives, tmp_path):
    folder = archives("tars")
    images = list(val_images().items())
    write_files(folder, {"ILSVRC2012_img_val.tar": tar_of([*images[:3], images[0]])})
    records = make(folder, tmp_path / "records")
    assert records.test_labels.tolist() == list(VAL[:3])
    said = {
        (file, problem.split(":")[0], action)
        for file, problem, action in report_of(tmp_path / "records")
    }
    assert said == {
        ("ILSVRC2012_img_val.tar", "md5", "noted"),
        ("val/ILSVRC2012_val_00000001.JPEG", "duplicate name", "left out"),
        ("", "3 test images where 4 are published", "noted"),
    }
    with pytest.raises(RecordsError, match="--strict"):
        make(folder, tmp_path / "strict", strict=True)


def test_a_class_that_is_missing_from_train_shifts_no_label(archives, tmp_path):
    folder = archives("flat")
    for path in (folder / f"train/{WNIDS[1]}").iterdir():
        path.unlink()
    (folder / f"train/{WNIDS[1]}").rmdir()
    records = make(folder, tmp_path / "records")
    assert records.train_labels.tolist() == [0, 0, 0, 2, 2, 2]
    assert [WNIDS[1], "no train images of this class", "noted"] in report_of(tmp_path / "records")
    assert ["", "6 train images where 9 are published", "noted"] in report_of(tmp_path / "records")


def test_files_that_do_not_belong_are_told(archives, tmp_path):
    folder = archives("flat")
    write_files(folder, {"val/ILSVRC2012_val_00000005.JPEG": encoded(), "val/x.txt": b"x"})
    make(folder, tmp_path / "records")
    assert sorted(report_of(tmp_path / "records")) == [
        ["val/ILSVRC2012_val_00000005.JPEG", "no ground truth says its class", "left out"],
        ["val/x.txt", "no ground truth says its class", "left out"],
    ]


def test_a_tar_within_the_tar_that_is_damaged_is_told(archives, tmp_path):
    folder = archives("tars")
    inner = [(f"{wnid}.tar", tar_of(list(of.items()))) for wnid, of in train_images().items()]
    inner[0] = (inner[0][0], b"x" * 1024)
    # Cut just before the last of its three images, whose headers are where they were.
    name, whole = inner[1]
    inner[1] = (name, whole[: whole.rindex(b"n02084071_")])
    inner.append(("readme.txt", b"x"))
    write_files(folder, {"ILSVRC2012_img_train.tar": tar_of(inner)})
    assert len(make(folder, tmp_path / "records").train_labels) == 5
    said = {row[0]: row[1] for row in report_of(tmp_path / "records")}
    assert "it breaks off" in said[f"ILSVRC2012_img_train.tar: {WNIDS[1]}.tar"]
    first = said[f"ILSVRC2012_img_train.tar: {WNIDS[0]}.tar"]
    assert "can't be read as an uncompressed tar" in first
    assert said["ILSVRC2012_img_train.tar: readme.txt"] == "not the tar of a class"


def test_tfrecords_that_are_missing_or_damaged_are_told(archives, tmp_path):
    folder = archives("TFRecords")
    (folder / "train-00001-of-00002").unlink()
    first = examples("train")[0]
    odd = [
        first | {"image/class/label": 0},
        {key: value for key, value in first.items() if key != "image/encoded"},
        first | {"image/class/label": [1, 2]},
        first,
        first,
    ]
    data = tfrecord(odd)
    damaged = tfrecord(examples("validation"))
    write_files(
        folder,
        {
            "train-00000-of-00002": data + data[:100] + b"\xff" * 200,
            "validation-00000-of-00001": damaged[:-900],
        },
    )
    records = make(folder, tmp_path / "records")
    assert len(records.train_labels) == 1 and len(records.test_labels) == 3
    rows = report_of(tmp_path / "records")
    assert ["train-00001-of-00002", "missing file", "noted"] in rows
    where = "train-00000-of-00002"
    said = {file: problem for file, problem, action in rows if action == "left out"}
    assert said[f"{where}: record 0"] == "label 0 is not in 1 to 3"
    assert "no image with a label" in said[f"{where}: record 1"]
    assert "no image with a label" in said[f"{where}: record 2"]
    assert said["train/n01440764_1.JPEG"] == "duplicate name"
    assert "cut short in record 5" in said[where]
    assert "cut short in record 3" in said["validation-00000-of-00001"]


@pytest.mark.parametrize(
    ("form", "gone", "words"),
    [
        ("tars", "ILSVRC2012_img_val.tar", r"ILSVRC2012_img_val\.tar: missing"),
        ("tars", "ILSVRC2012_devkit_t12", r"ILSVRC2012_devkit_t12\.tar\.gz: missing"),
        ("flat", "imagenet_2012_validation_synset_labels.txt", r"devkit_t12\.tar\.gz: missing"),
        ("flat", "val", "val: missing"),
        ("flat", "train", r"ILSVRC2012_img_train\.tar: missing"),
        ("TFRecords", "validation-00000-of-00001", "validation-00000-of-...: missing"),
    ],
)
def test_what_is_missing_is_named(archives, tmp_path, form, gone, words):
    folder = archives(form)
    (folder / gone).rename(tmp_path / "gone")
    with pytest.raises(RecordsError, match=words):
        make(folder, tmp_path / "records")
    with pytest.raises(RecordsError, match=r"get it from image-net\.org"):
        make(None, tmp_path / "records")
    with pytest.raises(RecordsError, match="nowhere: not a folder"):
        make(tmp_path / "nowhere", tmp_path / "records")


def test_a_compressed_or_damaged_tar_is_refused(archives, tmp_path):
    folder = archives("tars")
    (folder / "ILSVRC2012_img_train.tar").write_bytes(b"\x1f\x8b" + bytes(1000))
    with pytest.raises(RecordsError, match=r"img_train\.tar: can't be read as an uncompressed tar"):
        make(folder, tmp_path / "records")
