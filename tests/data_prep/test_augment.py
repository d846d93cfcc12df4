import numpy as np
import pytest

from data_prep.augment import AUGMENTATIONS, augmentation_of, crop_flip_normalise
from data_prep.epoch_plan import epoch_plan


def one_image_at_a_time(images, offsets, flips, pad, mean, std):
    batch, height, width, channels = images.shape
    result = np.empty((batch, channels, height, width), np.float32)
    for n in range(batch):
        for c in range(channels):
            for y in range(height):
                for x in range(width):
                    row = y + int(offsets[n, 0]) - pad
                    column = (width - 1 - x if flips[n] else x) + int(offsets[n, 1]) - pad
                    inside = 0 <= row < height and 0 <= column < width
                    pixel = np.float32(images[n, row, column, c] if inside else 0)
                    result[n, c, y, x] = (pixel / np.float32(255) - mean[c]) / std[c]
    return result


def random_batch(shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


@pytest.mark.parametrize("augmentation", sorted(AUGMENTATIONS))
@pytest.mark.parametrize("shape", [(1, 8, 8, 1), (12, 6, 9, 3), (5, 3, 3, 2)])
def test_agrees_with_a_plain_loop(augmentation, shape):
    images = random_batch(shape)
    plan = epoch_plan(len(images), seed=2, epoch=0, augmentation=augmentation)
    pad = AUGMENTATIONS[augmentation].pad
    mean = np.linspace(0.3, 0.6, shape[3], dtype=np.float32)
    std = np.linspace(0.1, 0.4, shape[3], dtype=np.float32)
    result = crop_flip_normalise(images, plan.offsets, plan.flips, pad, mean, std)
    assert result.dtype == np.float32 and result.flags.c_contiguous
    assert np.array_equal(
        result, one_image_at_a_time(images, plan.offsets, plan.flips, pad, mean, std)
    )


def test_flip_without_padding_agrees_with_a_plain_loop():
    images = random_batch((6, 4, 5, 3))
    offsets, flips = np.zeros((6, 2), np.uint8), np.array([1, 0, 1, 1, 0, 0], bool)
    mean, std = np.full(3, 0.5, np.float32), np.full(3, 0.25, np.float32)
    assert np.array_equal(
        crop_flip_normalise(images, offsets, flips, 0, mean, std),
        one_image_at_a_time(images, offsets, flips, 0, mean, std),
    )


def test_the_padding_is_black_before_it_is_normalised():
    images = np.full((1, 2, 2, 1), 255, np.uint8)
    corner = crop_flip_normalise(
        images,
        np.array([[0, 0]], np.uint8),
        np.array([False]),
        pad=1,
        mean=np.array([0.5], np.float32),
        std=np.array([0.5], np.float32),
    )
    assert corner[0, 0].tolist() == [[-1, -1], [-1, 1]]


@pytest.mark.parametrize("pad", [0, 2])
def test_the_images_given_are_left_alone(pad):
    images = random_batch((4, 6, 6, 3))
    before = images.copy()
    images.setflags(write=False)
    crop_flip_normalise(
        images, np.zeros((4, 2), np.uint8), np.ones(4, bool), pad, np.zeros(3), np.ones(3)
    )
    assert np.array_equal(images, before)


def test_offsets_past_the_padding_and_other_types_are_refused():
    images, flips = random_batch((1, 4, 4, 1)), np.zeros(1, bool)
    with pytest.raises(ValueError, match=r"crop offset 5 is past 2 \* pad = 4"):
        crop_flip_normalise(images, np.array([[5, 0]], np.uint8), flips, 2, np.zeros(1), np.ones(1))
    with pytest.raises(ValueError, match="must be uint8"):
        crop_flip_normalise(
            images / 255, np.zeros((1, 2), np.uint8), flips, 0, np.zeros(1), np.ones(1)
        )


def test_an_augmentation_of_the_other_kind_of_records_is_refused():
    assert augmentation_of("crop_flip", "digits", encoded=False).pad == 4
    assert augmentation_of("resized_crop_flip", "imagenet", encoded=True).resized_crop
    with pytest.raises(ValueError, match="digits has arrays; use crop_flip"):
        augmentation_of("resized_crop_flip", "digits", encoded=False)
    with pytest.raises(ValueError, match="imagenet has encoded images; use resized_crop_flip"):
        augmentation_of("crop_flip", "imagenet", encoded=True)
