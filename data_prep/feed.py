"""Records as training batches: the sample order and augmentation draws that every system shares."""

from collections.abc import Iterator

import numpy as np

from data_prep.augment import augmentation_of, crop_flip_normalise
from data_prep.epoch_plan import EpochPlan, epoch_plan
from data_prep.records import Records

TEST_PIXELS = 2**24  # of test images at once


def chunk_size(shape: tuple[int, int, int]) -> int:
    """How many test images of (H, W, C) are taken at once: their activations have to fit."""
    return max(1, min(2000, TEST_PIXELS // (shape[0] * shape[1])))


class Feed:
    """Batches of one run, in NumPy, on the CPU."""

    def __init__(self, records: Records, augmentation: str, seed: int) -> None:
        self.records = records
        self.samples = len(records.train_labels)
        self._augmentation, self._seed = augmentation, seed
        self._pad = augmentation_of(augmentation, records.name, encoded=False).pad

    def plan(self, epoch: int) -> EpochPlan:
        """The order and the draws of `epoch`, counted from 0."""
        return epoch_plan(self.samples, self._seed, epoch, self._augmentation)

    def batch(self, plan: EpochPlan) -> tuple[np.ndarray, np.ndarray]:
        """Images [b, C, H, W] float32 and labels [b] int64 of a slice of an epoch's plan."""
        records = self.records
        images = crop_flip_normalise(
            records.train_images[plan.indices],
            plan.offsets,
            plan.flips,
            self._pad,
            records.mean,
            records.std,
        )
        return images, records.train_labels[plan.indices]

    def test_images(self) -> np.ndarray:
        """All test images [N, C, H, W] float32, without augmentation."""
        return np.concatenate(list(self.test_chunks()))

    def test_chunks(self) -> Iterator[np.ndarray]:
        """All test images, in chunks [n, C, H, W] float32, without augmentation."""
        records, size = self.records, chunk_size(self.records.shape)
        for start in range(0, len(records.test_labels), size):
            images = records.test_images[start : start + size]
            still = np.zeros((len(images), 2), np.uint8), np.zeros(len(images), bool)
            yield crop_flip_normalise(images, *still, 0, records.mean, records.std)
