import os

import pytest
from image_files import encoded, good_folder, write_files

from benchmarks.torchvision_here import transforms
from data_prep import imagefolder
from data_prep.records import RecordsError


def names(samples):
    return [sample.name for sample in samples]


def test_both_splits_are_found_by_their_folders_in_torchvision_s_order(tmp_path):
    folder = good_folder(tmp_path, classes=("b", "A", "a"), train=2, test=1)
    write_files(folder, {"train/a/deep/er/9.jpg": encoded()})
    listing = imagefolder.list_samples(folder, 0.1)
    assert listing.class_names == ("A", "a", "b")
    assert names(listing.samples["test"]) == ["val/A/0.jpg", "val/a/0.jpg", "val/b/0.jpg"]
    assert [sample.label for sample in listing.samples["test"]] == [0, 1, 2]
    transforms()  # makes it importable beside any build of torch
    from torchvision.datasets import DatasetFolder  # what users have sorted their images for

    theirs = DatasetFolder(folder / "train", open, extensions=(".jpg",))
    assert theirs.classes == list(listing.class_names)
    ours = [(sample.path, sample.label) for sample in listing.samples["train"]]
    assert ours == theirs.samples


def test_without_a_test_folder_some_are_held_out_by_name(tmp_path):
    files = {f"{name}/{n}.jpg": b"x" for name in ("cat", "dog") for n in range(500)}
    write_files(tmp_path, files)
    first = imagefolder.list_samples(tmp_path, 0.2)
    assert 150 < len(first.samples["test"]) < 250
    assert len(first.samples["train"]) + len(first.samples["test"]) == 1000
    assert not set(names(first.samples["train"])) & set(names(first.samples["test"]))
    # More are held out by a greater fraction, and images that come later move none.
    more = imagefolder.list_samples(tmp_path, 0.3)
    assert set(names(first.samples["test"])) < set(names(more.samples["test"]))
    write_files(tmp_path, {f"cat/new-{n}.jpg": b"x" for n in range(50)})
    again = imagefolder.list_samples(tmp_path, 0.2)
    assert set(names(first.samples["test"])) <= set(names(again.samples["test"]))
    assert set(names(first.samples["train"])) <= set(names(again.samples["train"]))


def test_a_train_folder_alone_is_divided(tmp_path):
    write_files(tmp_path, {f"train/{c}/{n}.jpg": b"x" for c in "ab" for n in range(50)})
    listing = imagefolder.list_samples(tmp_path, 0.2)
    assert listing.class_names == ("a", "b") and listing.samples["test"]


def test_links_are_followed_and_broken_ones_told(tmp_path):
    folder = good_folder(tmp_path / "photos")
    elsewhere = write_files(tmp_path / "elsewhere", {"1.jpg": encoded()})
    (folder / "train/emu").symlink_to(elsewhere)
    (folder / "train/cat/broken.jpg").symlink_to(tmp_path / "nowhere")
    listing = imagefolder.list_samples(folder, 0.1)
    assert "train/emu/1.jpg" in names(listing.samples["train"])
    problems = {problem.file: problem.problem for problem in listing.problems}
    assert "No such file" in problems["train/cat/broken.jpg"]


def told(listing):
    return {problem.file: problem.problem for problem in listing.problems}


def test_nothing_beside_the_folders_that_are_read_is_skipped_silently(tmp_path):
    folder = good_folder(tmp_path)
    write_files(folder, {"test/cat/1.jpg": encoded(), "b/1.jpg": encoded(), "README": b"about"})
    listing = imagefolder.list_samples(folder, 0.1)
    said = "beside train/ and val/"
    assert told(listing) == {"README": said, "b/": said, "test/": said}
    for samples in listing.samples.values():
        assert {name.split("/")[0] for name in names(samples)} <= {"train", "val"}


def test_hidden_folders_are_no_classes_and_hold_no_images(tmp_path):
    folder = good_folder(tmp_path)
    for hidden in ("train/.ipynb_checkpoints", "train/cat/.thumbs", "val/__MACOSX"):
        write_files(folder, {f"{hidden}/1.jpg": encoded()})
    listing = imagefolder.list_samples(folder, 0.1)
    assert listing.class_names == ("cat", "dog")
    said = "a hidden folder"
    assert told(listing) == {
        "train/.ipynb_checkpoints": said,
        "train/cat/.thumbs": said,
        "val/__MACOSX": said,
    }
    assert [len(samples) for samples in listing.samples.values()] == [8, 4]


def test_links_that_lead_back_are_not_followed(tmp_path):
    folder = good_folder(tmp_path / "photos", train=1, test=1)
    before = names(imagefolder.list_samples(folder, 0.1).samples["train"])
    (folder / "train/cat/up").symlink_to(folder)
    (folder / "train/cat/self").symlink_to("self")
    (folder / "train/dog/again").symlink_to(folder / "train/dog")
    listing = imagefolder.list_samples(folder, 0.1)
    assert names(listing.samples["train"]) == before
    found = told(listing)
    assert found.pop("train/cat/self").startswith("can't be read (Too many levels")
    assert set(found) == {"train/cat/up", "train/dog/again"}
    assert set(found.values()) == {"a link to a folder around it"}


def test_what_is_no_file_is_left_out_rather_than_waited_for(tmp_path):
    folder = good_folder(tmp_path)
    os.mkfifo(folder / "train/cat/pipe.jpg")
    assert told(imagefolder.list_samples(folder, 0.1)) == {"train/cat/pipe.jpg": "no plain file"}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"1.jpg": b"x"}, "no folders of classes where two are the least"),
        ({"train/cat/1.jpg": b"x"}, "train: one folder of a class where two"),
        ({"val/cat/1.jpg": b"x", "b/1.jpg": b"x"}, "val: no class, but there is no .*train"),
    ],
)
def test_what_is_no_folder_of_classes_is_refused(tmp_path, files, words):
    with pytest.raises(RecordsError, match=words):
        imagefolder.list_samples(write_files(tmp_path, files), 0.1)


def test_no_folder_at_all_is_refused(tmp_path):
    with pytest.raises(RecordsError, match="nowhere: not a folder; name the folder"):
        imagefolder.list_samples(tmp_path / "nowhere", 0.1)
    with pytest.raises(RecordsError, match="name it by --archives"):
        imagefolder.list_samples(None, 0.1)
