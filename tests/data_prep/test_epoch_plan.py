import numpy as np
import pytest

from data_prep.augment import AUGMENTATIONS
from data_prep.epoch_plan import epoch_plan


@pytest.mark.parametrize("samples", [1, 2, 997, 50_000])
def test_a_plan_visits_every_sample_once(samples):
    plan = epoch_plan(samples, seed=1, epoch=0, augmentation="crop_flip")
    assert plan.indices.dtype == np.int64
    assert np.array_equal(np.sort(plan.indices), np.arange(samples))
    assert len(plan) == samples


def test_equal_arguments_draw_equal_plans():
    first = epoch_plan(500, seed=3, epoch=7, augmentation="crop_flip")
    second = epoch_plan(500, seed=3, epoch=7, augmentation="crop_flip")
    assert np.array_equal(first.indices, second.indices)
    assert np.array_equal(first.offsets, second.offsets)
    assert np.array_equal(first.flips, second.flips)


def test_the_draws_are_pinned():
    """A change of these numbers makes new runs incomparable with the old ones."""
    plan = epoch_plan(8, seed=1, epoch=2, augmentation="crop_flip")
    assert plan.indices.tolist() == [4, 1, 0, 3, 7, 6, 2, 5]
    assert plan.offsets.tolist() == [[8, 1], [0, 5], [5, 1], [5, 6], [5, 7], [4, 8], [4, 1], [2, 6]]
    assert plan.flips.tolist() == [False, False, False, False, True, True, False, True]


def test_seed_and_epoch_both_matter():
    plans = {
        (seed, epoch): epoch_plan(200, seed, epoch, "crop_flip")
        for seed in range(4)
        for epoch in range(4)
    }
    assert len({plan.indices.tobytes() for plan in plans.values()}) == 16
    assert len({plan.offsets.tobytes() for plan in plans.values()}) == 16
    assert len({plan.flips.tobytes() for plan in plans.values()}) == 16


@pytest.mark.parametrize("augmentation", sorted(AUGMENTATIONS))
def test_augmentation_leaves_the_order_alone(augmentation):
    plain = epoch_plan(300, seed=5, epoch=1, augmentation="none")
    augmented = epoch_plan(300, seed=5, epoch=1, augmentation=augmentation)
    assert np.array_equal(plain.indices, augmented.indices)


def test_crops_and_flips_cover_their_range_evenly():
    plan = epoch_plan(45_000, seed=0, epoch=0, augmentation="crop_flip")
    assert plan.offsets.dtype == np.uint8 and plan.offsets.shape == (45_000, 2)
    for axis in range(2):
        counts = np.bincount(plan.offsets[:, axis], minlength=9)
        assert len(counts) == 9 and np.all(np.abs(counts - 5000) < 400)
    assert plan.flips.dtype == np.bool_ and 0.48 < plan.flips.mean() < 0.52
    # Row and column are drawn apart, and the flip apart from both.
    assert abs(np.corrcoef(plan.offsets.T)[0, 1]) < 0.03
    assert abs(np.corrcoef(plan.offsets[:, 0], plan.flips)[0, 1]) < 0.03


def test_without_augmentation_nothing_moves():
    plan = epoch_plan(50, seed=0, epoch=0)
    assert not plan.offsets.any() and not plan.flips.any()


def test_the_plan_of_encoded_images_moves_nothing_but_flips():
    plan = epoch_plan(1000, seed=0, epoch=0, augmentation="resized_crop_flip")
    assert not plan.offsets.any() and 0.4 < plan.flips.mean() < 0.6


def test_a_slice_is_a_view_of_all_three():
    plan = epoch_plan(50, seed=4, epoch=3, augmentation="crop_flip")
    part = plan[10:25]
    assert np.array_equal(part.indices, plan.indices[10:25])
    assert np.array_equal(part.offsets, plan.offsets[10:25])
    assert np.array_equal(part.flips, plan.flips[10:25])
    assert np.shares_memory(part.indices, plan.indices)
    assert (part.seed, part.epoch) == (4, 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"augmentation": "crop"},
            "unknown augmentation 'crop'; known: crop_flip, none, resized_crop_flip",
        ),
        ({"samples": 0}, "at least one sample"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**32}, "seed must be"),
        ({"epoch": -1}, "epoch must be"),
    ],
)
def test_impossible_plans_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        epoch_plan(**{"samples": 10, "seed": 0, "epoch": 0} | arguments)
