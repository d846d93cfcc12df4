"""The two forms in which the CIFAR datasets are published, read to arrays."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from data_prep.archives import Archive, SourceFile, obtain
from data_prep.labels import checked_labels
from data_prep.manifest import RecordsError
from data_prep.safe_pickle import load_arrays
from data_prep.tar_files import tar_files

_PIXELS = 3 * 32 * 32
_SITE = "https://www.cs.toronto.edu/~kriz/"
_Parse = Callable[[bytes, str], tuple[np.ndarray, Sequence[int] | np.ndarray]]


def find_archive(archives: Path | None, origins: list[dict[str, str]]) -> dict[str, SourceFile]:
    """One of the archives of `origins`, which have a checksum by name; verified.

    Raises:
        RecordsError: none is there, can be downloaded, or has its checksum.
    """
    accepted = [
        Archive(name, checksum, (_SITE + name,))
        for origin in origins
        for name, checksum in origin.items()
    ]
    archive, path = obtain(archives, *accepted)
    return {archive.name: SourceFile(path, archive.checksum)}


def python_form(labels: bytes) -> _Parse:
    """Reads a pickled batch, whose labels are under the key `labels`."""
    return partial(_parse_python, labels)


def binary_form(label_bytes: int) -> _Parse:
    """Reads rows of `label_bytes` labels, of which the last counts, and an image."""
    return partial(_parse_binary, label_bytes)


def read_members(
    archive: Path, wanted: Sequence[str], classes: int, parse: _Parse
) -> tuple[np.ndarray, np.ndarray]:
    """Images uint8 [N, 32, 32, 3] and labels int64 [N] of some members, in the order given.

    Raises:
        RecordsError: the archive is damaged, a member is missing or not what it should be.
    """
    found = dict(tar_files(archive, lambda member: member in wanted))
    pixels, labels = [], []
    for member in wanted:
        where = f"{archive}: {member}"
        if member not in found:
            raise RecordsError(f"{where}: missing from the archive; fetch the file again")
        batch_pixels, batch_labels = parse(found[member], where)
        pixels.append(batch_pixels)
        labels.append(checked_labels(batch_labels, classes, where))
    # The archives have each image as its red, green and blue planes.
    planes = np.concatenate(pixels).reshape(-1, 3, 32, 32)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), np.concatenate(labels)


def _parse_python(key: bytes, data: bytes, where: str) -> tuple[np.ndarray, list[int]]:
    batch = load_arrays(data, where)
    pixels, labels = (
        batch.get(name) if isinstance(batch, dict) else None for name in (b"data", key)
    )
    if (
        not isinstance(pixels, np.ndarray)
        or pixels.dtype != np.uint8
        or not isinstance(labels, list)
        or pixels.shape != (len(labels), _PIXELS)
    ):
        raise RecordsError(f"{where}: not a batch of CIFAR; fetch the file again")
    return pixels, labels


def _parse_binary(label_bytes: int, data: bytes, where: str) -> tuple[np.ndarray, np.ndarray]:
    row = label_bytes + _PIXELS
    if len(data) % row:
        raise RecordsError(
            f"{where}: {len(data)} bytes, no whole number of {row}-byte samples; "
            "fetch the file again"
        )
    rows = np.frombuffer(data, np.uint8).reshape(-1, row)
    return rows[:, label_bytes:], rows[:, label_bytes - 1]
