"""Encoded records for tests: smooth random pictures of many sizes, with all kinds of JPEG."""

import io

import numpy as np
from PIL import Image

from benchmarks.encoded_images import write_records

KINDS = {
    "444": {"subsampling": 0},
    "422": {"subsampling": 1},
    "420": {"subsampling": 2},
    "gray": {},
    "progressive": {"progressive": True, "subsampling": 2},
    "restarts": {"restart_marker_rows": 1, "subsampling": 2},
}


def photo(kind, height, width, seed=0):
    """A JPEG of a kind and size."""
    channels = () if kind == "gray" else (3,)
    grid = np.random.default_rng(seed).integers(0, 256, (12, 12, *channels), np.uint8)
    image = Image.fromarray(grid).resize((width, height), Image.Resampling.BICUBIC)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=92, **KINDS[kind])
    return file.getvalue()


def write_photos(folder, count, side, tests=10):
    """Records of `count` training images, somewhat larger than `side`; four classes."""
    rng, kinds = np.random.default_rng(5), [*KINDS]
    images, labels = {}, {}
    for split, size in (("train", count), ("test", tests)):
        shapes = rng.integers(side, 3 * side, (size, 2)).tolist()
        images[split] = [photo(kinds[i % 6], *shape, i) for i, shape in enumerate(shapes)]
        labels[split] = [i % 4 for i in range(size)]
    write_records(folder, images, labels, side)
    return folder
