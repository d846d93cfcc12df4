import io

import numpy as np
import pytest
import simplejpeg
import torch
from photos import KINDS, photo
from PIL import Image
from torch.nn.functional import interpolate

from benchmarks.encoded_images import sample_images
from benchmarks.torchvision_here import transforms
from data_prep.crops import Box, random_box
from data_prep.jpeg_decode import Decoder

BOXES = [(0, 0, 100, 90), (0, 10, 1, 60), (31, 7, 41, 40), (99, 89, 1, 1), (20, 0, 79, 90)]


def crop(data, box, side, flip=False):
    out = np.empty((side, side, 3), np.uint8)
    height, width = simplejpeg.decode_jpeg_header(data, strict=False)[:2]
    Decoder().crop(memoryview(data), height, width, Box(*box), flip, out)
    return out


def whole_then_crop(data, box, side):
    top, left, height, width = box
    part = simplejpeg.decode_jpeg(data)[top : top + height, left : left + width]
    planes = torch.from_numpy(part.copy())[None].permute(0, 3, 1, 2)
    small = interpolate(planes, (side, side), mode="bilinear", antialias=True)
    return small[0].permute(1, 2, 0).numpy()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("box", BOXES)
def test_rows_that_are_left_out_change_no_pixel(kind, box):
    data = photo(kind, 100, 90)
    assert np.array_equal(crop(data, box, 64), whole_then_crop(data, box, 64))


@pytest.mark.parametrize("kind", KINDS)
def test_less_is_decoded_where_it_can_be(kind, monkeypatch):
    heights, decode = [], simplejpeg.decode_jpeg

    def counted(data, **options):
        heights.append(simplejpeg.decode_jpeg_header(data)[0])
        return decode(data, **options)

    monkeypatch.setattr(simplejpeg, "decode_jpeg", counted)
    crop(photo(kind, 400, 90), (0, 0, 50, 90), 64)
    assert len(heights) == 1 and heights[0] <= (400 if kind == "progressive" else 66)


def test_a_flip_mirrors_what_comes_out():
    data = photo("420", 100, 90)
    assert np.array_equal(crop(data, BOXES[2], 32, flip=True), crop(data, BOXES[2], 32)[:, ::-1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shrink", [2, 4, 8])
def test_a_large_box_is_decoded_smaller(kind, shrink, monkeypatch):
    sizes, decode = [], simplejpeg.decode_jpeg

    def counted(data, **options):
        sizes.append(options["buffer"].shape[1])
        return decode(data, **options)

    data, box = photo(kind, 700, 640), (40, 24, 32 * shrink, 33 * shrink)
    expected = whole_then_crop(data, box, 32).astype(int)
    monkeypatch.setattr(simplejpeg, "decode_jpeg", counted)
    assert np.abs(crop(data, box, 32) - expected).mean() < 3
    assert sizes[0] == 640 // shrink


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_broken_is_refused(kind):
    data = photo(kind, 100, 90)
    middle = len(data) // 2
    odd = data[:middle] + b"\xff\x01" * 20 + data[middle + 40 :]
    broken = [data[:middle], data[:200], b"\0" * 500, b"", data[:-2], odd]
    for box in (BOXES[0], BOXES[2]):
        for part in broken:
            out = np.empty((32, 32, 3), np.uint8)
            with pytest.raises(ValueError):
                Decoder().crop(memoryview(part), 100, 90, Box(*box), False, out)
        with pytest.raises(ValueError, match=r"index says|too small to decode"):
            Decoder().crop(memoryview(data), 102, 90, Box(*box), False, out)


def test_damage_is_refused_or_harmless_but_never_anything_else():
    rng, refused = np.random.default_rng(0), 0
    decoder, out = Decoder(), np.empty((32, 32, 3), np.uint8)
    for kind in KINDS:
        data = photo(kind, 100, 90)
        for _ in range(150):
            damaged = bytearray(data)
            damaged[int(rng.integers(2, 700))] = int(rng.integers(256))
            try:
                decoder.crop(memoryview(damaged), 100, 90, Box(*BOXES[2]), False, out)
            except (ValueError, IndexError):
                refused += 1
    assert refused > 100


@pytest.mark.parametrize("kind", KINDS)
def test_extraneous_bytes_harm_nothing(kind):
    """The preparation keeps such images: no pixel hangs on those bytes."""
    data = photo(kind, 100, 90)
    for place in (len(data) - 2, len(data)):
        odd = data[:place] + b"more junk" + data[place:]
        for box in BOXES[:3]:
            assert np.array_equal(crop(odd, box, 64), crop(data, box, 64))


def test_real_images_differ_little_from_those_of_pillow_and_torchvision(real_archives):
    """Mean absolute differences, of 255: the resize is another, and large boxes decode smaller."""
    images = sample_images(real_archives("imagenet-sample.tar") / "imagenet-sample.tar")[::3]
    rules, alike, shrunk, tests = transforms(), [], [], []
    for sample, data in enumerate(images):
        image = Image.open(io.BytesIO(data)).convert("RGB")
        box = random_box(1, 0, sample, image.height, image.width)
        expected = np.asarray(rules.functional.resized_crop(image, *box, (224, 224))).astype(int)
        difference = np.abs(crop(data, box, 224) - expected).mean()
        (shrunk if min(box.height, box.width) >= 448 else alike).append(difference)
        out = np.empty((224, 224, 3), np.uint8)
        Decoder().centre(memoryview(data), image.height, image.width, out)
        expected = np.asarray(rules.CenterCrop(224)(rules.Resize(256)(image))).astype(int)
        if min(image.height, image.width) < 512:
            tests.append(np.abs(out - expected).mean())
    assert len(alike) > 60 and max(alike) < 0.3 and np.mean(alike) < 0.03
    assert shrunk and max(shrunk) < 8
    assert max(tests) < 0.3
