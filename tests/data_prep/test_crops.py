import math

import numpy as np
import pytest
import torch
from PIL import Image

from benchmarks.torchvision_here import transforms
from data_prep.crops import crop_of_tests, random_box

SIZES = [(375, 500), (500, 375), (224, 224), (1, 1), (2, 900), (900, 2), (40, 60)]


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_boxes_lie_inside_the_image(height, width):
    boxes = [random_box(1, 0, sample, height, width) for sample in range(300)]
    for top, left, h, w in boxes:
        assert h >= 1 and w >= 1
        assert 0 <= top <= height - h and 0 <= left <= width - w


def test_the_draws_are_pinned():
    """A change of these numbers makes new runs incomparable with the old ones."""
    boxes = [random_box(1, 2, sample, 375, 500) for sample in (0, 1, 1_281_166)]
    assert boxes == [(24, 140, 273, 264), (126, 85, 193, 196), (36, 74, 322, 381)]


def test_seed_epoch_and_sample_all_matter():
    boxes = {
        random_box(seed, epoch, sample, 2000, 3000)
        for seed in range(5)
        for epoch in range(5)
        for sample in range(5)
    }
    assert len(boxes) == 125


def test_area_and_ratio_have_the_distributions_of_torchvision():
    height, width, count = 375, 500, 8000
    ours = np.array([random_box(0, 0, sample, height, width) for sample in range(count)])
    torch.manual_seed(0)
    image, rule = torch.empty(3, height, width), transforms().RandomResizedCrop
    theirs = np.array([rule.get_params(image, (0.08, 1), (3 / 4, 4 / 3)) for _ in range(count)])
    both = ours, theirs
    for quantity in (_area, _log_ratio, lambda box: box[:, 0], lambda box: box[:, 1]):
        ours_at, theirs_at = (np.quantile(quantity(b), np.arange(0.1, 1, 0.1)) for b in both)
        np.testing.assert_allclose(ours_at, theirs_at, atol=0.15 * quantity(both[0]).std())


@pytest.mark.parametrize(
    ("height", "width", "box"),
    [(900, 2, (448, 0, 3, 2)), (2, 900, (0, 448, 2, 3))],
)
def test_where_no_draw_fits_the_centre_is_taken(height, width, box):
    boxes = [random_box(0, 0, sample, height, width) for sample in range(200)]
    assert boxes.count(box) > 190


@pytest.mark.parametrize(("height", "width"), [(256, 256), (375, 500), (501, 374), (3, 7)])
@pytest.mark.parametrize("side", [32, 224])
def test_test_images_are_resized_and_cropped_as_torchvision_does(height, width, side):
    pixels = np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)
    image, rules = Image.fromarray(pixels), transforms()
    small = rules.Resize(round(side * 256 / 224))(image)
    size, top, left = crop_of_tests(height, width, side)
    assert size == (small.height, small.width)
    ours = small.crop((left, top, left + side, top + side))
    assert np.array_equal(np.asarray(ours), np.asarray(rules.CenterCrop(side)(small)))


def _area(boxes):
    return boxes[:, 2] * boxes[:, 3]


def _log_ratio(boxes):
    return np.array([math.log(w / h) for _, _, h, w in boxes])
