"""200 photographs of ImageNet, each of another class: for tests of the machinery and its speed.

About a fifth is held out by the hash of the name. Its classes have no other image, so that accuracy
on it says nothing.
"""

from pathlib import Path, PurePosixPath

from data_prep.archives import OPTION, find, missing
from data_prep.held_out import hold_out
from data_prep.manifest import RecordsError
from data_prep.samples import Listing, Sample
from data_prep.tar_members import tar_members

SHAPE = (224, 224, 3)
COUNTS = {"train": 153, "test": 47}
CLASS_COUNT = 200

_HELD_OUT = 0.2
_TAR = "imagenet-sample.tar"
ORIGINS = [{_TAR: "sha256:1476fedcd1616328853d7a136baa569a40ed54f38b0a41a61921296b8e7af279"}]


def list_samples(archives: Path | None, test_fraction: float) -> Listing:
    """Where the images lie; see `data_prep.datasets.EncodedDataset`."""
    if archives is None:
        raise RecordsError(f"{_TAR}: can't be downloaded; name its folder by {OPTION}")
    path = find(archives, [_TAR], ORIGINS[0][_TAR])
    if path is None:
        raise missing(archives, _TAR)
    members = sorted(tar_members(path))
    classes = sorted({PurePosixPath(member.name).parts[0] for member in members})
    samples = [
        Sample(name, str(path), offset, length, classes.index(PurePosixPath(name).parts[0]))
        for name, offset, length in members
    ]
    return Listing(str(path), tuple(classes), hold_out(samples, _HELD_OUT), dict(ORIGINS[0]))
