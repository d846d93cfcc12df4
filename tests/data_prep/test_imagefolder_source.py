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


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"1.jpg": b"x"}, "0 folders of classes where two are the least"),
        ({"train/cat/1.jpg": b"x"}, "train: 1 folders of classes"),
    ],
)
def test_what_is_no_folder_of_classes_is_refused(tmp_path, files, words):
    with pytest.raises(RecordsError, match=words):
        imagefolder.list_samples(write_files(tmp_path, files), 0.1)


def test_no_folder_at_all_is_refused(tmp_path):
    with pytest.raises(RecordsError, match="nowhere: not a folder; give --archives"):
        imagefolder.list_samples(tmp_path / "nowhere", 0.1)
    with pytest.raises(RecordsError, match="name it with --archives"):
        imagefolder.list_samples(None, 0.1)
