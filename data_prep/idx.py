"""IDX files, the form of MNIST and of the datasets made to replace it, gzipped or plain."""

import hashlib
import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from data_prep.archives import Archive, SourceFile, download, find, missing
from data_prep.labels import checked_labels
from data_prep.manifest import RecordsError
from data_prep.unpacked import unpacked

_UNSIGNED_BYTE = 0x08
# The images and the labels of each split, as MNIST and its replacements name them.
_FILES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}


def find_files(
    archives: Path | None,
    sites: Sequence[str],
    gzipped: Mapping[str, str],
    unpacked: Mapping[str, str],
) -> dict[str, SourceFile]:
    """The files of `unpacked`, verified; both mappings have a checksum by file name.

    Raises:
        RecordsError: see `find_idx`.
    """
    found = {}
    for name, checksum in unpacked.items():
        file = f"{name}.gz"
        published = Archive(file, gzipped[name], tuple(site + file for site in sites))
        found[name] = find_idx(archives, published, checksum)
    return found


def read_files(
    split: str, sources: Mapping[str, SourceFile], shape: tuple[int, ...], classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Images uint8 [N, H, W, 1] and labels int64 [N] of a split; `shape` is (N, H, W, 1).

    Raises:
        RecordsError: a file is damaged or is not what it should be.
    """
    images, labels = (sources[name].path for name in _FILES[split])
    return (
        read_idx(images, shape[:3]).reshape(shape),
        checked_labels(read_idx(labels, shape[:1]), classes, str(labels)),
    )


def find_idx(archives: Path | None, published: Archive, unpacked: str) -> SourceFile:
    """Find an IDX file, gzipped or plain, by the checksum of what is in it; else download it.

    The same bytes can be gzipped in many ways, so a local file's wrapper is of no interest.

    Raises:
        RecordsError: it is missing, damaged or another file.
    """
    if archives is None:
        return SourceFile(download(published), unpacked)
    names = [published.name, published.name.removesuffix(".gz")]
    path = find(archives, names, unpacked, _unpacked_checksum)
    if path is None:
        raise missing(archives, *names)
    return SourceFile(path, unpacked)


def read_idx(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    """Read an IDX file of unsigned bytes into a uint8 array of the shape given.

    Raises:
        RecordsError: the file is damaged, or is of another shape.
    """
    data = _unpack(path)
    dimensions = data[3] if len(data) >= 4 else 0
    header = 4 + 4 * dimensions
    if data[:3] != bytes([0, 0, _UNSIGNED_BYTE]) or len(data) < header:
        raise RecordsError(f"{path}: not an IDX file of unsigned bytes; fetch the file again")
    found = struct.unpack(f">{dimensions}I", data[4:header])
    if found != shape:
        raise RecordsError(
            f"{path}: shape {list(found)} where {list(shape)} is expected; fetch the file again"
        )
    if len(data) - header != math.prod(shape):
        raise RecordsError(
            f"{path}: {len(data) - header} bytes of data where its header says "
            f"{math.prod(shape)}; fetch the file again"
        )
    return np.frombuffer(data, np.uint8, offset=header).reshape(shape)


def _unpacked_checksum(path: Path, algorithm: str) -> str:
    return f"{algorithm}:{hashlib.new(algorithm, _unpack(path)).hexdigest()}"


def _unpack(path: Path) -> bytes:
    try:
        with unpacked(path) as file:
            return file.read()
    except (EOFError, zlib.error, OSError) as error:
        raise RecordsError(f"{path}: can't be unpacked ({error}); fetch the file again") from None
