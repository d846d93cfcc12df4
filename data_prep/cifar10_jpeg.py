"""CIFAR-10 as JPEGs, `train/<class>/NNNN.jpg`: lossy, so its results are never those of `cifar10`.

Samples are in the order of class, then of file name.
"""

import hashlib
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import numpy as np
from PIL import Image, UnidentifiedImageError

from data_prep.archives import Archive, SourceFile, download, find, missing, places
from data_prep.cifar10 import CLASS_NAMES, COUNTS, SHAPE
from data_prep.labels import checked_labels
from data_prep.manifest import SPLITS, RecordsError
from data_prep.tar_files import tar_files

__all__ = ["CLASS_NAMES", "COUNTS", "ORIGINS", "SHAPE", "find_sources", "read_split"]

_TAR = "cifar-10-jpeg.tar.xz"
ORIGINS = [{_TAR: "sha256:f513d8616d8ae0d9a6b8534b3f73d29d6949f9edcbcc8ff297bf7ca33727470e"}]


def find_sources(archives: Path | None) -> dict[str, SourceFile]:
    """The archive, verified, or an unpacked folder; see `data_prep.datasets.Dataset`.

    Nothing says what an unpacked folder must hold, so its checksum only says what it does hold.
    """
    checksum = ORIGINS[0][_TAR]
    if archives is None:
        return {_TAR: SourceFile(download(Archive(_TAR, checksum)), checksum)}
    path = find(archives, [_TAR], checksum)
    if path:
        return {_TAR: SourceFile(path, checksum)}
    for train in places(archives, ["train"]):
        if (train / CLASS_NAMES[0]).is_dir():
            return {"unpacked folder": SourceFile(train.parent, _folder_checksum(train.parent))}
    raise missing(archives, _TAR, "an unpacked folder with train/ and test/")


def read_split(split: str, sources: dict[str, SourceFile]) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of a split; see `data_prep.datasets.Dataset`."""
    (source,) = (source.path for source in sources.values())
    jpegs = {}
    for name, data in _jpegs(source, split):
        label, file = PurePosixPath(name).parts[1:]
        if label not in CLASS_NAMES:
            raise RecordsError(f"{source}: {name}: no class of CIFAR-10; move it out of there")
        jpegs[CLASS_NAMES.index(label), file] = data
    _refuse_other_counts(split, Counter(label for label, _ in jpegs), source)
    images = np.empty((len(jpegs), *SHAPE), np.uint8)
    labels = np.empty(len(jpegs), np.int64)
    for row, (label, file) in enumerate(sorted(jpegs)):
        where = f"{source}: {split}/{CLASS_NAMES[label]}/{file}"
        images[row] = _decode(jpegs[label, file], where)
        labels[row] = label
    return images, checked_labels(labels, len(CLASS_NAMES), str(source))


def _refuse_other_counts(split: str, found: Counter[int], source: Path) -> None:
    each = COUNTS[split] // len(CLASS_NAMES)
    for label, name in enumerate(CLASS_NAMES):
        if found[label] != each:
            raise RecordsError(
                f"{source}: {split}/{name} has {found[label]:,} images where {each:,} are "
                "expected; fetch the files again"
            )


def _jpegs(source: Path, split: str) -> Iterator[tuple[str, bytes]]:
    if source.is_dir():
        for path in (source / split).glob("*/*.jpg"):
            if path.is_file():
                yield path.relative_to(source).as_posix(), path.read_bytes()
    else:
        yield from tar_files(source, lambda name: PurePosixPath(name).match(f"{split}/*/*.jpg"))


def _decode(data: bytes, where: str) -> np.ndarray:
    try:
        with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
            # Looked at before the pixels are decoded: a header can claim any size.
            if image.size != (SHAPE[1], SHAPE[0]) or image.mode != "RGB":
                raise RecordsError(
                    f"{where}: {image.mode} of {image.width} x {image.height} pixels where RGB "
                    f"of {SHAPE[1]} x {SHAPE[0]} is expected; fetch the file again"
                )
            return np.asarray(image)
    except (OSError, SyntaxError) as error:
        reason = "not a JPEG" if isinstance(error, UnidentifiedImageError) else error
        raise RecordsError(f"{where}: can't be decoded ({reason}); fetch the file again") from None


def _folder_checksum(folder: Path) -> str:
    digest = hashlib.sha256()
    for split in SPLITS:
        for name, data in sorted(_jpegs(folder, split)):
            digest.update(f"{hashlib.sha256(data).hexdigest()}  {name}\n".encode())
    return f"sha256:{digest.hexdigest()}"
