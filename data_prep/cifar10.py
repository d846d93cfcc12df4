"""CIFAR-10: 60,000 photographs of 32 x 32 pixels in ten classes, from either canonical archive."""

from pathlib import Path

import numpy as np

from data_prep.archives import SourceFile
from data_prep.cifar_archives import binary_form, find_archive, python_form, read_members

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

_PYTHON, _BINARY = "cifar-10-python.tar.gz", "cifar-10-binary.tar.gz"
ORIGINS = [
    {_PYTHON: "md5:c58f30108f718f92721af3b95e74349a"},
    {_BINARY: "md5:c32a1d4ab5d03f1284b67883e8d87530"},
]

_BATCHES = {
    "train": [f"data_batch_{number}" for number in range(1, 6)],
    "test": ["test_batch"],
}


def find_sources(archives: Path | None) -> dict[str, SourceFile]:
    """The Python or the binary archive, verified; see `data_prep.datasets.Dataset`."""
    return find_archive(archives, ORIGINS)


def read_split(split: str, sources: dict[str, SourceFile]) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of a split; see `data_prep.datasets.Dataset`."""
    ((name, source),) = sources.items()
    if name == _PYTHON:
        members = [f"cifar-10-batches-py/{batch}" for batch in _BATCHES[split]]
        return read_members(source.path, members, len(CLASS_NAMES), python_form(b"labels"))
    members = [f"cifar-10-batches-bin/{batch}.bin" for batch in _BATCHES[split]]
    return read_members(source.path, members, len(CLASS_NAMES), binary_form(label_bytes=1))
