"""ImageNet (ILSVRC 2012): 1,281,167 training and 50,000 validation photographs of 1,000 classes.

It can't be downloaded without an account. Found are the published tars, the same unpacked, and the
TFRecords of TensorFlow's conversion. The validation images are the test split.
"""

from pathlib import Path

from data_prep.archives import OPTION, places
from data_prep.imagenet_folders import list_folders
from data_prep.imagenet_tars import TRAIN, list_tars
from data_prep.imagenet_tfrecords import list_tfrecords
from data_prep.manifest import RecordsError
from data_prep.samples import Listing

SHAPE = (224, 224, 3)
COUNTS = {"train": 1_281_167, "test": 50_000}
CLASS_COUNT = 1000


def list_samples(archives: Path | None, test_fraction: float) -> Listing:
    """Where the images lie; see `data_prep.datasets.EncodedDataset`."""
    if archives is None:
        raise RecordsError(
            "imagenet: can't be downloaded; get it from image-net.org and name its folder by "
            f"{OPTION}"
        )
    listing = _list(archives)
    listing.drop_duplicates()
    listing.note_missing_classes()
    listing.note_counts(COUNTS, CLASS_COUNT)
    return listing


def _list(archives: Path) -> Listing:
    if any(places(archives, [TRAIN])):
        return list_tars(archives)
    for train in places(archives, ["train"]):
        if train.is_dir() and any(path.is_dir() for path in train.iterdir()):
            return list_folders(train.parent, archives)
    for folder in (archives, *sorted(path for path in archives.iterdir() if path.is_dir())):
        if any(folder.glob("train-?????-of-?????")):
            return list_tfrecords(folder, CLASS_COUNT)
    raise RecordsError(
        f"{archives / TRAIN}: missing, also one folder down; put it there, or train/ and val/ "
        "unpacked, or the TFRecords train-00000-of-01024 and on"
    )
