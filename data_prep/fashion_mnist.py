"""Fashion-MNIST: 70,000 pictures of clothes of 28 x 28 grey pixels, in the form of MNIST."""

from pathlib import Path

import numpy as np

from data_prep.archives import SourceFile
from data_prep.idx import find_files, read_files

CLASS_NAMES = (
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
)
SHAPE = (28, 28, 1)
COUNTS = {"train": 60_000, "test": 10_000}

_SITE = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
_GZIPPED = {
    "train-images-idx3-ubyte": "md5:8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "train-labels-idx1-ubyte": "md5:25c81989df183df01b3e8a0aad5dffbe",
    "t10k-images-idx3-ubyte": "md5:bef4ecab320f06d8554ea6380940ec79",
    "t10k-labels-idx1-ubyte": "md5:bb300cfdad3c16e7a12a480ee83cd310",
}
# Those of the files in Debian's package dataset-fashion-mnist, unpacked.
ORIGINS = [
    {
        "train-images-idx3-ubyte": "md5:f4a8712d7a061bf5bd6d2ca38dc4d50a",
        "train-labels-idx1-ubyte": "md5:9018921c3c673c538a1fc5bad174d6f9",
        "t10k-images-idx3-ubyte": "md5:8181f5470baa50b63fa0f6fddb340f0a",
        "t10k-labels-idx1-ubyte": "md5:15d484375f8d13e6eb1aabb0c3f46965",
    }
]


def find_sources(archives: Path | None) -> dict[str, SourceFile]:
    """The four IDX files, verified; see `data_prep.datasets.Dataset`."""
    return find_files(archives, [_SITE], _GZIPPED, ORIGINS[0])


def read_split(split: str, sources: dict[str, SourceFile]) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of a split; see `data_prep.datasets.Dataset`."""
    return read_files(split, sources, (COUNTS[split], *SHAPE), len(CLASS_NAMES))
