"""Digits: 1,797 handwritten digits of 8 x 8 grey pixels, part of scikit-learn; no download.

scikit-learn is imported where it is used: whoever plans runs on digits does so in half the time.
"""

import hashlib
from pathlib import Path

import numpy as np

from data_prep.archives import SourceFile
from data_prep.labels import checked_labels
from data_prep.manifest import RecordsError

CLASS_NAMES = tuple("0123456789")
SHAPE = (8, 8, 1)
COUNTS = {"train": 1437, "test": 360}
ORIGINS = [
    {
        "sklearn.datasets.load_digits": (
            "sha256:87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826"
        )
    }
]

# Pixels are 0 to 16; this spreads them over a byte and keeps every step a whole number.
_SCALE = 15
_SPLIT_SEED = 0


def find_sources(archives: Path | None) -> dict[str, SourceFile]:
    """The dataset within scikit-learn, verified; see `data_prep.datasets.Dataset`."""
    import sklearn.datasets

    (name,) = ORIGINS[0]
    pixels, labels = _load()
    checksum = f"sha256:{hashlib.sha256(pixels.tobytes() + labels.tobytes()).hexdigest()}"
    if checksum != ORIGINS[0][name]:
        raise RecordsError(
            f"{name}: checksum is {checksum} where {ORIGINS[0][name]} is expected; "
            "install the scikit-learn that the environment pins"
        )
    return {name: SourceFile(Path(sklearn.datasets.__file__), checksum)}


def read_split(split: str, sources: dict[str, SourceFile]) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of a split, stratified by class; see `data_prep.datasets.Dataset`."""
    from sklearn.model_selection import train_test_split

    pixels, labels = _load()
    parts = train_test_split(
        np.arange(len(labels)),
        test_size=COUNTS["test"],
        random_state=_SPLIT_SEED,
        stratify=labels,
    )
    chosen = np.sort(parts[("train", "test").index(split)])
    images = (pixels[chosen] * np.uint8(_SCALE)).reshape(-1, *SHAPE)
    return images, checked_labels(labels[chosen], len(CLASS_NAMES), *sources)


def _load() -> tuple[np.ndarray, np.ndarray]:
    import sklearn.datasets

    digits = sklearn.datasets.load_digits()
    return digits.images.astype(np.uint8), digits.target.astype(np.uint8)
