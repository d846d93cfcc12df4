"""CIFAR-10: 60,000 photographs of 32 x 32 pixels in ten classes, from either canonical archive."""

from pathlib import Path

import numpy as np

from data_prep.archives import Archive, SourceFile, obtain
from data_prep.labels import checked_labels
from data_prep.records import RecordsError
from data_prep.safe_pickle import load_arrays
from data_prep.tar_files import tar_files

CLASS_NAMES = (
    "airplane",
    "automobile",
    "bird",
    "cat",
    "deer",
    "dog",
    "frog",
    "horse",
    "ship",
    "truck",
)
SHAPE = (32, 32, 3)
COUNTS = {"train": 50_000, "test": 10_000}

_SITE = "https://www.cs.toronto.edu/~kriz/"
_PYTHON, _BINARY = "cifar-10-python.tar.gz", "cifar-10-binary.tar.gz"
ORIGINS = [
    {_PYTHON: "md5:c58f30108f718f92721af3b95e74349a"},
    {_BINARY: "md5:c32a1d4ab5d03f1284b67883e8d87530"},
]

_BATCHES = {
    "train": [f"data_batch_{number}" for number in range(1, 6)],
    "test": ["test_batch"],
}
_PIXELS = 3 * 32 * 32


def find_sources(archives: Path | None) -> dict[str, SourceFile]:
    """The Python or the binary archive, verified; see `data_prep.datasets.Dataset`."""
    accepted = [
        Archive(name, checksum, (_SITE + name,))
        for origin in ORIGINS
        for name, checksum in origin.items()
    ]
    archive, path = obtain(archives, *accepted)
    return {archive.name: SourceFile(path, archive.checksum)}


def read_split(split: str, sources: dict[str, SourceFile]) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of a split; see `data_prep.datasets.Dataset`."""
    ((name, source),) = sources.items()
    if name == _PYTHON:
        folder, ending, parse = "cifar-10-batches-py/", "", _parse_python
    else:
        folder, ending, parse = "cifar-10-batches-bin/", ".bin", _parse_binary
    wanted = [folder + batch + ending for batch in _BATCHES[split]]
    found = dict(tar_files(source.path, lambda member: member in wanted))
    pixels, labels = [], []
    for member in wanted:
        where = f"{source.path}: {member}"
        if member not in found:
            raise RecordsError(f"{where}: missing from the archive; fetch the file again")
        batch_pixels, batch_labels = parse(found[member], where)
        pixels.append(batch_pixels)
        labels.append(checked_labels(batch_labels, len(CLASS_NAMES), where))
    # The archives have each image as its red, green and blue planes.
    planes = np.concatenate(pixels).reshape(-1, 3, 32, 32)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), np.concatenate(labels)


def _parse_python(data: bytes, where: str) -> tuple[np.ndarray, list[int]]:
    batch = load_arrays(data, where)
    pixels, labels = (
        batch.get(key) if isinstance(batch, dict) else None for key in (b"data", b"labels")
    )
    if (
        not isinstance(pixels, np.ndarray)
        or pixels.dtype != np.uint8
        or not isinstance(labels, list)
        or pixels.shape != (len(labels), _PIXELS)
    ):
        raise RecordsError(f"{where}: not a batch of CIFAR-10; fetch the file again")
    return pixels, labels


def _parse_binary(data: bytes, where: str) -> tuple[np.ndarray, np.ndarray]:
    if len(data) % (1 + _PIXELS):
        raise RecordsError(
            f"{where}: {len(data)} bytes, no whole number of {1 + _PIXELS}-byte samples; "
            "fetch the file again"
        )
    rows = np.frombuffer(data, np.uint8).reshape(-1, 1 + _PIXELS)
    return rows[:, 1:], rows[:, 0]
