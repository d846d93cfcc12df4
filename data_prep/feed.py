"""Records as training batches: the sample order and augmentation draws that every system shares."""

import numpy as np

from data_prep.augment import AUGMENTATIONS, crop_flip_normalise
from data_prep.epoch_plan import EpochPlan, epoch_plan
from data_prep.records import Records


class Feed:
    """Batches of one run, in NumPy, on the CPU."""

    def __init__(self, records: Records, augmentation: str, seed: int) -> None:
        self.records = records
        self.samples = len(records.train_labels)
        self._augmentation, self._seed = augmentation, seed
        self._pad = AUGMENTATIONS[augmentation].pad

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
        records = self.records
        count = len(records.test_labels)
        still = np.zeros((count, 2), np.uint8), np.zeros(count, bool)
        return crop_flip_normalise(records.test_images, *still, 0, records.mean, records.std)
