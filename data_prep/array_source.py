"""Arrays as images to be streamed: what `data_prep.jpeg_feed` is for encoded images."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from data_prep.augment import augmentation_of, crop_flip
from data_prep.epoch_plan import EpochPlan, epoch_plan
from data_prep.read_ahead import ReadAhead
from data_prep.records import Records


class ArraySource:
    """Batches of one run as uint8 [n, H, W, C]; see `data_prep.jpeg_feed.JpegFeed`."""

    def __init__(self, records: Records, augmentation: str, seed: int, threads: int) -> None:
        self.records, self.samples = records, len(records.train_labels)
        self.ahead = ReadAhead(threads)
        self._augmentation, self._seed = augmentation, seed
        self._pad = augmentation_of(augmentation, records.name, encoded=False).pad

    def plan(self, epoch: int) -> EpochPlan:
        """The order and the draws of `epoch`, counted from 0."""
        return epoch_plan(self.samples, self._seed, epoch, self._augmentation)

    def batches(
        self, parts: Iterable[EpochPlan], size: int, empty: Callable | None = None
    ) -> Iterator[np.ndarray]:
        """The images of each part of a plan, read ahead; at most `size` in a part."""
        return self.ahead.read(self._read, parts, size, empty or self._empty)

    def test_batches(self, size: int) -> Iterator[np.ndarray]:
        """All test images in order, `size` at a time."""
        images = self.records.test_images
        return (np.array(images[i : i + size]) for i in range(0, len(images), size))

    def _empty(self, count: int) -> np.ndarray:
        return np.empty((count, *self.records.shape), np.uint8)

    def _read(self, plan: EpochPlan, out: np.ndarray) -> None:
        images = self.records.train_images[plan.indices]
        out[:] = crop_flip(images, plan.offsets, plan.flips, self._pad)
