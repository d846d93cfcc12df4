"""Images of the user's own, in the layout of torchvision's ImageFolder.

Either `train/<class>/*` with `val/` or `test/` beside it, or `<class>/*` alone, of which a fraction
is held out for the test by the hash of the name.
"""

from pathlib import Path
from typing import NamedTuple

from data_prep.class_folders import class_names, list_folder
from data_prep.held_out import hold_out
from data_prep.manifest import RecordsError
from data_prep.samples import LEFT_OUT, Listing, Problem

SHAPE = (224, 224, 3)
COUNTS: dict[str, int] = {}
CLASS_COUNT = 0

_TESTS = ("val", "validation", "test")


class Layout(NamedTuple):
    """The folder of the training images, that of the test images if there is one, the classes."""

    train: Path
    test: Path | None
    classes: tuple[str, ...]


def layout(archives: Path) -> Layout:
    """How the images of a folder are sorted.

    Raises:
        RecordsError: it is no folder of classes.
    """
    if not archives.is_dir():
        raise RecordsError(f"{archives}: not a folder; name the folder of the images")
    test = next((archives / name for name in _TESTS if (archives / name).is_dir()), None)
    train = archives / "train"
    if not train.is_dir():
        if test:
            raise RecordsError(
                f"{test}: no class, but there is no {train} for it; put the training images there"
            )
        train = archives
    classes = class_names(train)
    if len(classes) < 2:
        found = "one folder of a class" if classes else "no folders of classes"
        raise RecordsError(
            f"{train}: {found} where two are the least; put the images of each class into a folder "
            "of its name"
        )
    return Layout(train, test, classes)


def list_samples(archives: Path | None, test_fraction: float) -> Listing:
    """Where the images lie; see `data_prep.datasets.EncodedDataset`."""
    if archives is None:
        raise RecordsError(
            "imagefolder: no folder of images; name it by --archives, or in a config's datasets"
        )
    train, test, classes = layout(archives)
    divided = train != archives
    samples, problems = list_folder(train, classes, "train/" if divided else "")
    if divided:
        problems += _beside(archives, [path for path in (train, test) if path])
    if test:
        tests, more = list_folder(test, classes, f"{test.name}/")
        splits, problems = {"train": samples, "test": tests}, problems + more
        remedy = "put some there, in folders of their classes"
    else:
        splits = hold_out(samples, test_fraction)
        remedy = (
            "sort them into train/<class>/ and val/<class>/, or hold out more by "
            "`python -m data_prep` with --test-fraction"
        )
    listing = Listing(
        str(archives), classes, splits, problems=problems, walked=(archives,), remedy=remedy
    )
    listing.note_missing_classes()
    return listing


def _beside(archives: Path, read: list[Path]) -> list[Problem]:
    """What lies beside the folders that are read."""
    others = sorted(path for path in archives.iterdir() if path not in read)
    said = "beside " + " and ".join(f"{path.name}/" for path in read)
    return [Problem(path.name + "/" * path.is_dir(), said, LEFT_OUT) for path in others]
