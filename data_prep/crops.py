"""Which part of an image of any size a network sees: random resized crops, and the centre of tests.

Pure functions of whole numbers, so that every system, engine and number of threads sees the same
pixels. The rules are torchvision's, `RandomResizedCrop` and `Resize` with `CenterCrop`.
"""

import math
import threading
from typing import NamedTuple

import numpy as np

AREA = (0.08, 1.0)  # of the image
RATIO = (3 / 4, 4 / 3)  # width to height
ATTEMPTS = 10
TEST_MARGIN = 256 / 224  # the shorter side of a resized test image to the side of its crop


class _Draws(threading.local):
    """A thread's generator, set to each sample anew: to make one takes ten times as long."""

    def __init__(self) -> None:
        self._philox = np.random.Philox(key=0)
        self._generator = np.random.Generator(self._philox)
        self._state = self._philox.state

    def at(self, key: int, sample: int) -> list[list[float]]:
        self._state["state"]["key"][0] = key
        self._state["state"]["counter"][1] = sample
        self._philox.state = self._state
        return self._generator.random((ATTEMPTS, 4)).tolist()


_draws = _Draws()


class Box(NamedTuple):
    """A rectangle of whole pixels inside an image."""

    top: int
    left: int
    height: int
    width: int


def random_box(seed: int, epoch: int, sample: int, height: int, width: int) -> Box:
    """The random resized crop of a sample of `height` x `width` pixels in one epoch.

    A part of uniform area and log-uniform ratio, anywhere in the image; where none of ten fits,
    the largest central part of a permitted ratio. The draws are those of Philox keyed by seed and
    epoch, at a counter that the sample sets, so a crop can be had without those before it.
    """
    low, high = map(math.log, RATIO)
    for area, ratio, y, x in _draws.at(seed << 32 | epoch, sample):
        pixels = height * width * (AREA[0] + area * (AREA[1] - AREA[0]))
        shape = math.exp(low + ratio * (high - low))
        w, h = round(math.sqrt(pixels * shape)), round(math.sqrt(pixels / shape))
        if 0 < w <= width and 0 < h <= height:
            return Box(int(y * (height - h + 1)), int(x * (width - w + 1)), h, w)
    if width / height < RATIO[0]:
        return _central(height, width, round(width / RATIO[0]), width)
    if width / height > RATIO[1]:
        return _central(height, width, height, round(height * RATIO[1]))
    return Box(0, 0, height, width)


def crop_of_tests(height: int, width: int, side: int) -> tuple[tuple[int, int], int, int]:
    """To what size an image is resized in tests, and top and left of its crop of `side` there."""
    shorter, whole = min(height, width), round(side * TEST_MARGIN)
    size = (int(whole * height / shorter), int(whole * width / shorter))
    return size, round((size[0] - side) / 2), round((size[1] - side) / 2)


def _central(height: int, width: int, h: int, w: int) -> Box:
    return Box((height - h) // 2, (width - w) // 2, h, w)
