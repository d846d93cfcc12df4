"""Records of encoded images: what they hold, what is told of the source, what a rerun does."""

import csv
import json
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest
from image_files import encoded, good_folder, pixels, turned, write_files

from data_prep import disk_space, prepare_images, shard_task
from data_prep.options import Options
from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records

ONE = Options(workers=1)


def report_of(folder: Path) -> list[list[str]]:
    with (folder / "preparation.csv").open(newline="") as file:
        return list(csv.reader(file))[1:]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def times(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("[!.]*")}


@pytest.fixture
def source(tmp_path):
    return good_folder(tmp_path / "photos")


def make(source, folder, name="imagefolder", said=lambda line: None, verify=False, **options):
    chosen = Options(**{"workers": 1, **options})
    prepare(name, folder, source, verify=verify, report=said, options=chosen)
    return open_records(folder, verify=True)


def test_records_hold_the_files_themselves_in_order_of_class_and_name(source, tmp_path):
    records = make(source, tmp_path / "records")
    assert records.class_names == ("cat", "dog") and records.classes == 2
    assert records.shape == (224, 224, 3)
    assert records.train_labels.tolist() == [0] * 4 + [1] * 4
    assert records.test_labels.dtype == np.int64 and records.test_labels.tolist() == [0, 0, 1, 1]
    for split, folder, count in (("train", "train", 8), ("test", "val", 4)):
        names = (tmp_path / f"records/{split}-names.txt").read_text().splitlines()
        assert len(names) == count and names == sorted(names)
        for row, name in enumerate(names):
            assert bytes(records.encoded(split, row)) == (source / name).read_bytes()
            assert name.startswith(folder)
    assert records.train_index["height"].tolist() == [40] * 8
    assert records.train_index["width"].tolist() == [48] * 8


def test_shards_are_tars_in_the_layout_of_webdataset(source, tmp_path):
    records = make(source, tmp_path / "records", shard_mb=0.002)
    shards = sorted((tmp_path / "records").glob("train-*.tar"))
    assert len(shards) == 4 and set(records.train_index["shard"]) == {0, 1, 2, 3}
    row = 0
    for shard in shards:
        with tarfile.open(shard) as archive:
            members = [(member.name, archive.extractfile(member).read()) for member in archive]
        for (label, said), (image, data) in zip(members[::2], members[1::2], strict=True):
            assert (label, image) == (f"{row:08}.cls", f"{row:08}.jpg")
            assert int(said) == records.train_labels[row]
            assert data == bytes(records.encoded("train", row))
            row += 1
    assert row == 8


def test_webdataset_reads_the_shards(source, tmp_path):
    import webdataset

    make(source, tmp_path / "records")
    shard = str(tmp_path / "records/train-000000.tar")
    samples = list(webdataset.WebDataset(shard, shardshuffle=False).decode("pil"))
    assert [sample["cls"] for sample in samples] == [0] * 4 + [1] * 4
    assert samples[0]["jpg"].size == (48, 40)


@pytest.mark.parametrize("name", ["imagefolder", "imagefolder-16"])
def test_records_are_the_same_by_any_number_of_processes(source, tmp_path, name):
    write_files(source, {"train/cat/bad.jpg": b"x", "train/dog/turned.jpg": turned()})
    for workers in (1, 2):
        make(source, tmp_path / str(workers), name, workers=workers, shard_mb=0.002)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert len(report_of(tmp_path / "1")) == 2


def test_decoded_records_are_the_middle_squares_of_the_images(source, tmp_path):
    wide = encoded(size=(400, 100), quality=95)
    write_files(source, {"train/cat/0.jpg": wide, "train/cat/lost.jpg": b""})
    records = make(source, tmp_path / "records", "imagefolder-25")
    assert records.train_images.shape == (8, 25, 25, 3)
    assert records.train_images.dtype == np.uint8
    middle = pixels(size=(400, 100))[:, 150:250].reshape(25, 4, 25, 4, 3).mean((1, 3))
    assert np.abs(records.train_images[0] - middle).mean() < 6
    assert records.train_labels.tolist() == [0] * 4 + [1] * 4
    scaled = records.train_images / 255
    assert records.mean == pytest.approx(scaled.mean((0, 1, 2)), abs=1e-6)
    assert records.std == pytest.approx(scaled.std((0, 1, 2)), abs=1e-6)


@pytest.mark.parametrize("name", ["imagefolder", "imagefolder-16"])
def test_a_shard_of_which_nothing_is_left_is_empty(source, tmp_path, name):
    write_files(source, {"train/cat/large.txt": b"no image " * 1000})
    records = make(source, tmp_path / "records", name, shard_mb=0.008)
    assert records.train_labels.tolist() == [0] * 4 + [1] * 4
    assert len(report_of(tmp_path / "records")) == 1


def test_mean_and_deviation_are_those_of_the_training_images(tmp_path):
    source = good_folder(tmp_path / "photos", train=20)
    records = make(source, tmp_path / "records")
    images = [
        shard_task.check(bytes(records.encoded("train", i)), "a.jpg", 95).pixels / 255
        for i in range(40)
    ]
    assert records.mean == pytest.approx(np.mean(images, (0, 1, 2)), abs=0.01)
    assert records.std == pytest.approx(np.std(images, (0, 1, 2)), abs=0.01)


def test_what_is_wrong_is_told_by_file_and_the_rest_is_there(source, tmp_path):
    write_files(
        source,
        {
            "train/cat/empty.jpg": b"",
            "train/cat/grey.jpg": encoded("L"),
            "train/dog/notes.txt": b"remember the milk",
            "train/dog/png.JPEG": encoded(kind="PNG"),
            "train/README": b"about",
            "val/bird/1.jpg": encoded(),
        },
    )
    said = []
    records = make(source, tmp_path / "records", said=said.append)
    assert report_of(tmp_path / "records") == [
        ["train/README", "not in the folder of a class", "left out"],
        ["val/bird/1.jpg", "of a class that isn't in train", "left out"],
        ["train/cat/empty.jpg", "empty file", "left out"],
        ["train/cat/grey.jpg", "grey", "kept"],
        ["train/dog/notes.txt", "not an image", "left out"],
        ["train/dog/png.JPEG", "PNG named .JPEG", "converted to an RGB JPEG of quality 95"],
    ]
    assert said[-1].endswith(
        f"finished; 4 left out, 1 converted, 1 kept, see {tmp_path / 'records/preparation.csv'}"
    )
    assert len(records.train_labels) == 10 and len(records.test_labels) == 4
    assert all(bytes(records.encoded("train", i)[:2]) == b"\xff\xd8" for i in range(10))


def test_a_class_without_images_keeps_its_label_and_is_told(source, tmp_path):
    (source / "train/ant").mkdir()
    write_files(source, {"train/bee/1.jpg": b"broken", "val/bee/1.jpg": encoded()})
    records = make(source, tmp_path / "records")
    assert records.class_names == ("ant", "bee", "cat", "dog")
    assert sorted(set(records.train_labels.tolist())) == [2, 3]
    assert report_of(tmp_path / "records") == [
        ["ant", "no train images of this class", "noted"],
        ["ant", "no test images of this class", "noted"],
        ["train/bee/1.jpg", "not an image", "left out"],
        ["bee", "all train images of this class are left out", "noted"],
    ]


@pytest.mark.parametrize(
    ("name", "data"),
    [("train/cat/z.jpg", b""), ("train/cat/z.png", encoded(kind="PNG")), ("train/bird/z", b"")],
)
def test_strict_refuses_says_where_the_list_is_and_loses_nothing(source, tmp_path, name, data):
    folder = tmp_path / "records"
    make(source, folder, strict=True)
    before = contents(folder)
    write_files(source, {name: data})
    with pytest.raises(RecordsError, match=r"--strict was asked for.*\.partial/preparation\.csv"):
        make(source, folder, strict=True)
    assert contents_of_files(folder) == before
    open_records(folder, verify=True)
    assert report_of(folder / ".partial")
    # What was not asked to be strict is no answer to who asks for strict.
    make(source, folder)
    with pytest.raises(RecordsError, match="--strict"):
        make(source, folder, strict=True)


def contents_of_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_strict_counts_all_that_it_refuses(source, tmp_path):
    write_files(source, {"train/README": b"", "train/cat/bad.jpg": b"x", "val/dog/bad.jpg": b"x"})
    with pytest.raises(RecordsError, match=r"lists all that it refuses \(3\)"):
        make(source, tmp_path / "records", strict=True)
    assert len(report_of(tmp_path / "records/.partial")) == 3


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ("val", "no test images; put some there, in folders of their classes"),
        ("train", "no train images; give a source that has them"),
    ],
)
def test_a_split_without_files_is_refused_with_what_helps(source, tmp_path, gone, words):
    write_files(source, {"val/emu/1.jpg": encoded()})
    for path in source.glob(f"{gone}/[cd]*/*"):
        path.unlink()
    with pytest.raises(RecordsError, match=rf"{words}; .*preparation\.csv lists"):
        make(source, tmp_path / "records")
    rows = report_of(tmp_path / "records/.partial")
    assert ["val/emu/1.jpg", "of a class that isn't in train", "left out"] in rows


def test_a_folder_too_small_to_hold_out_any_says_what_helps(source, tmp_path):
    shutil.rmtree(source / "val")
    with pytest.raises(RecordsError, match=r"no test images; sort them into .*--test-fraction"):
        make(source, tmp_path / "records", test_fraction=0.001)


@pytest.mark.parametrize("inside", ["", "train", "records"])
def test_records_inside_of_the_source_are_refused(source, tmp_path, inside):
    before = sorted(source.rglob("*"))
    (tmp_path / "link").symlink_to(source)
    for name in ("photos", "link"):
        with pytest.raises(RecordsError, match=r"lies in .*photos, every file of which"):
            make(source, tmp_path / name / inside)
    assert sorted(source.rglob("*")) == before


def test_finished_records_need_no_folder_that_can_be_written(source, tmp_path, monkeypatch):
    folder, said = tmp_path / "records", []
    make(source, folder)

    def refuse(*arguments):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(prepare_images, "folder_lock", refuse)
    make(source, folder, said=said.append)
    assert said[-1] == f"{folder}: already finished"


def test_strict_takes_grey_photographs(source, tmp_path):
    write_files(source, {"train/cat/grey.jpg": encoded("L")})
    assert len(make(source, tmp_path / "records", strict=True).train_labels) == 9


def test_a_finished_folder_is_left_alone_until_its_source_changes(source, tmp_path):
    folder, said = tmp_path / "records", []
    make(source, folder)
    before = times(folder)
    make(source, folder, said=said.append)
    assert said[-1] == f"{folder}: already finished"
    make(tmp_path / "nowhere", folder, said=said.append)
    assert said[-1].startswith(f"{folder}: already finished, though its source can't be used now")
    assert "nowhere: not a folder" in said[-1]
    assert times(folder) == before
    write_files(source, {"train/cat/more.jpg": encoded()})
    assert len(make(source, folder).train_labels) == 9
    # The same name and size, and other pixels: an image was mended in its place.
    data = encoded(seed=5) + bytes(99)
    write_files(source, {"train/cat/more.jpg": data})
    make(source, folder)
    write_files(source, {"train/cat/more.jpg": data[:-1] + b"x"})
    records = make(source, folder)
    assert bytes(records.encoded("train", 4))[-1:] == b"x"


def test_settings_that_are_asked_for_make_other_records_and_others_stay(source, tmp_path):
    folder = tmp_path / "records"
    assert make(source, folder, side=96).shape == (96, 96, 3)
    assert make(source, folder).shape == (96, 96, 3)
    assert make(source, folder, side=64).shape == (64, 64, 3)
    many = make(source, folder, shard_mb=0.002)
    assert "train-000003.tar" in many.hashes and many.shape == (64, 64, 3)
    one = make(source, folder, shard_mb=9)
    assert "train-000001.tar" not in one.hashes
    assert not (folder / "train-000001.tar").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"side": 0}, "--side: 0 is not a whole number from 1"),
        ({"quality": 101}, "--quality: 101 is not"),
        ({"shard_mb": 0}, "--shard-mb: 0 is not above 0"),
        ({"test_fraction": 1.0}, "--test-fraction: 1.0 is not between 0 and 1"),
        ({"workers": -1}, "--workers: -1 is below 0"),
    ],
)
def test_impossible_settings_are_refused(source, tmp_path, options, words):
    with pytest.raises(RecordsError, match=words):
        make(source, tmp_path / "records", **options)
    with pytest.raises(RecordsError, match="imagefolder-16 says its side by its name"):
        make(source, tmp_path / "records", "imagefolder-16", side=17)


def test_a_disk_that_is_too_small_is_refused_before_anything_is_made(source, tmp_path, monkeypatch):
    folder = tmp_path / "records"
    make(source, folder)
    before = contents(folder)
    monkeypatch.setattr(
        disk_space.shutil,
        "disk_usage",
        lambda path: shutil._ntuple_diskusage(10**12, 10**12 - 60_000_000, 60_000_000),
    )
    monkeypatch.setattr(shard_task, "write_hashed", lambda *_: pytest.fail("written"))
    write_files(source, {"train/cat/large.jpg": bytes(40_000_000)})
    with pytest.raises(RecordsError, match=r"40\.04 MB are needed, 50\.00 MB .*60\.00 MB"):
        make(source, folder)
    assert contents_of_files(folder) == before


def test_a_verify_finds_a_changed_shard_and_makes_it_again(source, tmp_path):
    folder = tmp_path / "records"
    make(source, folder)
    before = contents(folder)
    shard = bytearray(before["train-000000.tar"])
    shard[2000] ^= 1
    (folder / "train-000000.tar").write_bytes(shard)
    with pytest.raises(RecordsError, match=r"train-000000\.tar: contents differ"):
        open_records(folder, verify=True)
    said = []
    make(source, folder, verify=True, said=said.append)
    assert contents(folder) == before
    differs = f"{folder}/train-000000.tar: contents differ from the manifest's sha256"
    assert f"{differs}; all is made again" in said
    (folder / "train-000000.tar").write_bytes(shard[:-1])
    with pytest.raises(RecordsError, match=r"train-000000\.tar: \d+ bytes where the manifest"):
        open_records(folder)
    (folder / "train-000000.tar").unlink()
    with pytest.raises(RecordsError, match=r"train-000000\.tar: missing; run"):
        open_records(folder)


def test_an_index_that_does_not_fit_is_refused(source, tmp_path):
    folder = tmp_path / "records"
    make(source, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    index = np.load(folder / "train-index.npy")
    for change, words in [
        (index[:-1], "not an index of 8 samples"),
        (index["label"], "not an index"),
        (np.array([(7, *row.item()[1:]) for row in index], index.dtype), r"asks for train-000007"),
    ]:
        np.save(folder / "train-index.npy", change)
        size = (folder / "train-index.npy").stat().st_size
        manifest["files"]["train-index.npy"]["bytes"] = size
        (folder / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(RecordsError, match=rf"train-index\.npy: .*{words}"):
            open_records(folder)


def test_nothing_usable_is_refused(tmp_path):
    source = write_files(
        tmp_path / "photos",
        {"train/a/1.jpg": b"x", "train/b/1.jpg": b"x", "val/a/1.jpg": encoded()},
    )
    with pytest.raises(
        RecordsError, match=r"photos: none of 2 train images can be used; .*says why"
    ):
        make(source, tmp_path / "records")
    rows = report_of(tmp_path / "records/.partial")
    assert ["train/a/1.jpg", "not an image", "left out"] in rows
    with pytest.raises(RecordsError, match="no finished records"):
        open_records(tmp_path / "records")


def test_records_can_be_sent_to_another_process(source, tmp_path):
    import pickle

    records = make(source, tmp_path / "records")
    first = bytes(records.encoded("train", 0))
    again = pickle.loads(pickle.dumps(records))
    assert bytes(again.encoded("train", 0)) == first
