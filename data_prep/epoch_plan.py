"""The one order of samples and the one set of augmentation draws that every system sees."""

from dataclasses import dataclass

import numpy as np

from data_prep.augment import AUGMENTATIONS


@dataclass(frozen=True, eq=False)
class EpochPlan:
    """What one epoch visits, in order: N samples, each with its crop and its flip.

    Of encoded images the size is known when they are read, so their crops are drawn then, by
    `data_prep.crops` from seed, epoch and sample: a plan of ImageNet stays small.

    Attributes:
        indices: int64 [N], which sample; over a whole epoch a permutation of range(N).
        offsets: uint8 [N, 2], row and column of the crop in the zero-padded image, in [0, 2 * pad].
        flips: bool [N], whether the image is mirrored left to right.
        seed: what the plan was drawn from; `epoch` likewise.
    """

    indices: np.ndarray
    offsets: np.ndarray
    flips: np.ndarray
    seed: int
    epoch: int

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, part: slice) -> "EpochPlan":
        """A stretch of the epoch, `plan[start:stop]`, as views that copy nothing."""
        columns = self.indices[part], self.offsets[part], self.flips[part]
        return EpochPlan(*columns, self.seed, self.epoch)


def epoch_plan(samples: int, seed: int, epoch: int, augmentation: str = "none") -> EpochPlan:
    """Draw the plan of one epoch; equal arguments give equal plans, on any machine.

    Raises:
        ValueError: an unknown augmentation, no samples, or a seed or epoch outside 32 bits.
    """
    if augmentation not in AUGMENTATIONS:
        known = ", ".join(sorted(AUGMENTATIONS))
        raise ValueError(f"unknown augmentation {augmentation!r}; known: {known}")
    if samples < 1:
        raise ValueError(f"an epoch needs at least one sample, not {samples}")
    for name, value in (("seed", seed), ("epoch", epoch)):
        # SeedSequence joins the 32-bit words of its numbers, so that a larger seed at epoch 0 would
        # draw the same epoch as a smaller seed at another one.
        if not 0 <= value < 2**32:
            raise ValueError(f"{name} must be in [0, 2**32), not {value}")

    # A stream each, so that augmentation draws can't change the order of the samples.
    order, crop, mirror = (
        np.random.Generator(np.random.Philox(child))
        for child in np.random.SeedSequence([seed, epoch]).spawn(3)
    )
    chosen = AUGMENTATIONS[augmentation]
    offsets = crop.integers(0, 2 * chosen.pad, size=(samples, 2), dtype=np.uint8, endpoint=True)
    flips = mirror.random(samples) < 0.5 if chosen.flip else np.zeros(samples, bool)
    return EpochPlan(order.permutation(samples), offsets, flips, seed, epoch)
