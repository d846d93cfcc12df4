"""Images of the user's own, in the layout of torchvision's ImageFolder.

Either `train/<class>/*` with `val/` or `test/` beside it, or `<class>/*` alone, of which a fraction
is held out for the test by the hash of the name.
"""

from pathlib import Path

from data_prep.class_folders import class_names, list_folder
from data_prep.held_out import hold_out
from data_prep.records import RecordsError
from data_prep.samples import Listing

SHAPE = (224, 224, 3)
COUNTS: dict[str, int] = {}
CLASS_COUNT = 0

_TESTS = ("val", "validation", "test")


def list_samples(archives: Path | None, test_fraction: float) -> Listing:
    """Where the images lie; see `data_prep.datasets.EncodedDataset`."""
    if archives is None:
        raise RecordsError("imagefolder: no folder of images; name it with --archives")
    if not archives.is_dir():
        raise RecordsError(f"{archives}: not a folder; give --archives the folder of the images")
    divided = (archives / "train").is_dir()
    train = archives / "train" if divided else archives
    classes = class_names(train)
    if len(classes) < 2:
        raise RecordsError(
            f"{train}: {len(classes)} folders of classes where two are the least; "
            "put the images of each class into a folder of its name"
        )
    samples, problems = list_folder(train, classes, "train/" if divided else "")
    test = next((archives / name for name in _TESTS if (archives / name).is_dir()), None)
    if divided and test:
        tests, more = list_folder(test, classes, f"{test.name}/")
        splits, problems = {"train": samples, "test": tests}, problems + more
    else:
        splits = hold_out(samples, test_fraction)
    listing = Listing(str(archives), classes, splits, problems=problems)
    listing.note_missing_classes()
    return listing
