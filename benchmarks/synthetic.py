"""Datasets `synthetic-SIDE-CLASSES`: random RGB images, for throughput alone."""

import re
from dataclasses import dataclass

import numpy as np

from data_prep.records import Records

DRAWN_BYTES = 2**25  # which repeat, after no whole number of images
MOST_BYTES = 2**31  # of all images; of 224x224, six iterations of 256 on each of eight devices


@dataclass(frozen=True)
class Synthetic:
    """What the name of such a dataset says; sides in pixels."""

    name: str
    side: int
    classes: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """(H, W, C) of an image."""
        return self.side, self.side, 3

    @property
    def samples(self) -> int:
        """How many images there are to train on."""
        return min(50_000, MOST_BYTES // (self.side * self.side * 3))

    def records(self) -> Records:
        """The images, the same each time."""
        rng = np.random.default_rng(0)
        drawn = rng.integers(0, 256, DRAWN_BYTES, np.uint8)  # to draw all takes ten seconds
        images = np.resize(drawn, (self.samples, *self.shape))
        labels = rng.integers(0, self.classes, self.samples)
        half = np.full(3, 0.5, np.float32)
        return Records(
            name=self.name, train_images=images, train_labels=labels, test_images=images[:8],
            test_labels=labels[:8], classes=self.classes, shape=self.shape, mean=half, std=half,
            hashes={},
        )  # fmt: skip


def synthetic(dataset: str) -> Synthetic | None:
    """The random images that `dataset` names; None if it is none of these.

    Raises:
        ValueError: it begins as one of these, and goes on otherwise.
    """
    if not dataset.startswith("synthetic-"):
        return None
    if not (named := re.fullmatch(r"synthetic-([1-9][0-9]*)-([1-9][0-9]*)", dataset)):
        raise ValueError(f"{dataset!r} is no synthetic-SIDE-CLASSES, such as synthetic-32-10")
    return Synthetic(dataset, int(named[1]), int(named[2]))
