"""Which class each validation image of ILSVRC 2012 is of: the file that says so, wherever it is."""

import io
import re
import struct
import zlib
from pathlib import Path

from scipy.io import loadmat

from data_prep.archives import file_checksum, places
from data_prep.manifest import RecordsError
from data_prep.samples import NOTED, Problem
from data_prep.tar_files import tar_files

# In the TensorFlow conversion: the class of image 1, 2, ... on a line each.
LABELS = "imagenet_2012_validation_synset_labels.txt"
DEVKIT = "ILSVRC2012_devkit_t12"
_MD5 = "md5:fa75699e90414af021442c21a62c3abf"
_META, _TRUTH = "data/meta.mat", "data/ILSVRC2012_validation_ground_truth.txt"
_MAT_HEADER, _COMPRESSED = 128, 15  # of MATLAB's format 5
MOST_META = 1 << 26  # bytes unpacked: it is a table of two thousand rows
_NUMBER = re.compile(r"ILSVRC2012_val_(\d{8})\.\w+")


class Truth:
    """The class (such as n01440764) of each validation image."""

    def __init__(self, classes: list[str], problems: list[Problem]) -> None:
        self._classes = classes
        self.classes = frozenset(classes)
        self.problems = problems

    def of(self, file: str) -> str | None:
        """The class of ILSVRC2012_val_NNNNNNNN.JPEG; None if the file isn't one of those."""
        match = _NUMBER.fullmatch(file)
        number = int(match[1]) if match else 0
        return self._classes[number - 1] if 1 <= number <= len(self._classes) else None


def find_truth(archives: Path) -> Truth:
    """The ground truth that lies in a folder, or one folder down.

    Raises:
        RecordsError: there is none, or it is damaged.
    """
    for path in places(archives, [LABELS]):
        return Truth(path.read_text(encoding="utf-8").split(), [])
    for path in places(archives, [f"{DEVKIT}.tar.gz"]):
        members = dict(tar_files(path, lambda name: name.endswith((_META, _TRUTH))))
        files = {name.removeprefix(f"{DEVKIT}/"): data for name, data in members.items()}
        return Truth(_classes(files, path), _differs(path))
    for path in places(archives, [DEVKIT]):
        files = {name: (path / name).read_bytes() for name in (_META, _TRUTH)}
        return Truth(_classes(files, path), [])
    raise RecordsError(
        f"{archives / DEVKIT}.tar.gz: missing, also one folder down, and nothing else says the "
        f"classes of the validation images; put it or {LABELS} there, or sort them by class into "
        "folders"
    )


def _classes(files: dict[str, bytes], where: Path) -> list[str]:
    try:
        _refuse_bomb(files[_META])
        synsets = loadmat(io.BytesIO(files[_META]), squeeze_me=True)["synsets"]
        names = {int(row["ILSVRC2012_ID"]): str(row["WNID"]) for row in synsets}
        return [names[int(number)] for number in files[_TRUTH].split()]
    # A damaged .mat file can raise anything at all.
    except Exception as error:
        raise RecordsError(
            f"{where}: no ground truth can be read from it ({type(error).__name__}: {error}); "
            "fetch it again"
        ) from None


def _refuse_bomb(mat: bytes) -> None:
    """Each variable of a .mat file is compressed by itself: type and length, then a zlib stream."""
    place, left = _MAT_HEADER, MOST_META
    while place + 8 <= len(mat):
        kind, length = struct.unpack_from("<II", mat, place)
        place += 8
        if kind == _COMPRESSED:
            left -= len(zlib.decompressobj().decompress(mat[place : place + length], left + 1))
        if left < 0:
            raise ValueError(f"more than {MOST_META:,} bytes are in {_META}")
        place += length


def _differs(path: Path) -> list[Problem]:
    found = file_checksum(path, "md5")
    if found == _MD5:
        return []
    return [Problem(path.name, f"{found} where {_MD5} is published", NOTED)]
