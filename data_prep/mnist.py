"""MNIST: 70,000 handwritten digits of 28 x 28 grey pixels."""

from pathlib import Path

import numpy as np

from data_prep.archives import SourceFile
from data_prep.idx import find_files, read_files

CLASS_NAMES = tuple("0123456789")
SHAPE = (28, 28, 1)
COUNTS = {"train": 60_000, "test": 10_000}

# The site of the authors often refuses downloads; these mirrors have the same files.
_MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)
_GZIPPED = {
    "train-images-idx3-ubyte": "md5:f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "train-labels-idx1-ubyte": "md5:d53e105ee54ea40749a09fcbcd1e9432",
    "t10k-images-idx3-ubyte": "md5:9fb629c4189551a2d022fa330f9573f3",
    "t10k-labels-idx1-ubyte": "md5:ec29112dd5afa0611ce80d1b7f02629c",
}
ORIGINS = [
    {
        "train-images-idx3-ubyte": "md5:6bbc9ace898e44ae57da46a324031adb",
        "train-labels-idx1-ubyte": "md5:a25bea736e30d166cdddb491f175f624",
        "t10k-images-idx3-ubyte": "md5:2646ac647ad5339dbf082846283269ea",
        "t10k-labels-idx1-ubyte": "md5:27ae3e4e09519cfbb04c329615203637",
    }
]


def find_sources(archives: Path | None) -> dict[str, SourceFile]:
    """The four IDX files, verified; see `data_prep.datasets.Dataset`."""
    return find_files(archives, _MIRRORS, _GZIPPED, ORIGINS[0])


def read_split(split: str, sources: dict[str, SourceFile]) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of a split; see `data_prep.datasets.Dataset`."""
    return read_files(split, sources, (COUNTS[split], *SHAPE), len(CLASS_NAMES))
