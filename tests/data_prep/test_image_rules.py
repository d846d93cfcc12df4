"""Every row of the table of rules in docs/data.md, on an image that is so."""

import re
from pathlib import Path

import numpy as np
import pytest
import simplejpeg
from image_files import (
    cut_out,
    encoded,
    overwritten,
    pixels,
    sixteen_bits,
    transparent_palette,
    turned,
    with_broken_exif,
    with_extra_bytes,
)

from data_prep import image_rules
from data_prep.image_rules import check

PAGE = Path(__file__).parents[2] / "docs" / "data.md"
KEPT, CONVERTED, OUT = "kept", "converted to an RGB JPEG of quality 95", "left out"
PNG = {"kind": "PNG"}
CASES = {
    "ordinary": ("a.JPEG", encoded(), [], KEPT),
    "grey": ("a.jpg", encoded("L"), ["grey"], KEPT),
    "extraneous bytes": ("a.jpg", with_extra_bytes(), ["extraneous bytes"], KEPT),
    "upright by EXIF": ("a.jpg", turned(1), [], KEPT),
    "broken EXIF": ("a.jpg", with_broken_exif(), ["EXIF can't be read"], KEPT),
    "JPEG named .png": ("a.png", encoded(), ["JPEG named .png"], KEPT),
    "no ending": ("a", encoded(), ["JPEG named without an ending"], KEPT),
    "CMYK": ("a.jpg", encoded("CMYK"), ["CMYK"], CONVERTED),
    "PNG named .JPEG": ("a.JPEG", encoded(**PNG), ["PNG named .JPEG"], CONVERTED),
    "PNG": ("a.png", encoded(**PNG), ["PNG"], CONVERTED),
    "palette": ("a.png", encoded("P", **PNG), ["PNG", "palette"], CONVERTED),
    "transparent": ("a.png", encoded("RGBA", **PNG), ["PNG", "RGBA"], CONVERTED),
    "transparent palette": ("a.png", transparent_palette(), ["PNG", "palette"], CONVERTED),
    "GIF": ("a.gif", encoded("P", "GIF"), ["GIF", "palette"], CONVERTED),
    "WEBP": ("a.webp", encoded(kind="WEBP"), ["WEBP"], CONVERTED),
    "EXIF says it is turned": ("a.jpg", turned(6), ["EXIF says it is turned"], CONVERTED),
    "empty file": ("a.jpg", b"", ["empty file"], OUT),
    "truncated": ("a.jpg", encoded()[:-300], ["truncated"], OUT),
    "truncated PNG": ("a.png", encoded(size=(200, 200), **PNG)[:-9000], ["truncated"], OUT),
    "only the beginning": ("a.jpg", encoded()[:60], ["can't be decoded"], OUT),
    "a segment cut out": ("a.jpg", cut_out(), ["can't be decoded"], OUT),
    "overwritten": ("a.jpg", overwritten(), ["can't be decoded"], OUT),
    "not an image": ("a.jpg", b"<html>404</html>", ["not an image"], OUT),
    "not 8 bits": ("a.png", sixteen_bits(), ["not of 8 bits a channel"], OUT),
    "other format": ("a.ico", encoded(kind="ICO"), ["a format that isn't read"], OUT),
}


@pytest.mark.parametrize("case", CASES)
def test_what_becomes_of_an_image(case):
    name, data, problems, action = CASES[case]
    checked = check(data, name, quality=95)
    assert len(checked.problems) == len(problems), checked.problems
    for found, words in zip(checked.problems, problems, strict=True):
        assert words in found
    assert checked.action == action
    if action == OUT:
        assert checked.jpeg is None and checked.pixels is None
        return
    assert (checked.jpeg == data) == (action == KEPT)
    assert checked.pixels.dtype == np.uint8 and checked.pixels.shape[2] == 3
    # Whoever reads the records gets the pixels that were checked, upright and in three channels.
    again = simplejpeg.decode_jpeg(checked.jpeg, "RGB", strict=False)
    assert np.abs(again.astype(int) - checked.pixels).mean() < (4 if action == CONVERTED else 0.01)


def test_colours_survive_a_conversion():
    for data in (encoded("CMYK", quality=95, subsampling=0), encoded(**PNG)):
        found = check(data, "a.jpg", 95).pixels
        assert np.abs(found.astype(int) - pixels()).mean() < 3


def test_a_turned_image_is_upright_afterwards():
    stored = simplejpeg.decode_jpeg(turned(6), "RGB")
    assert np.array_equal(check(turned(6), "a.jpg", 95).pixels, np.rot90(stored, -1))
    stored = simplejpeg.decode_jpeg(turned(2), "RGB")
    assert np.array_equal(check(turned(2), "a.jpg", 95).pixels, stored[:, ::-1])


def test_too_many_pixels_are_left_out_before_they_are_decoded(monkeypatch):
    monkeypatch.setattr(image_rules, "MAX_PIXELS", 48 * 40 - 1)
    monkeypatch.setattr(image_rules, "_decode_jpeg", lambda data: pytest.fail("decoded"))
    assert check(encoded(), "a.jpg", 95).problems == ("48 x 40 pixels are more than 1,919",)


def test_any_damage_at_all_is_a_problem_and_no_traceback():
    rng = np.random.default_rng(0)
    for kind in ("JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP"):
        good = encoded("P" if kind == "GIF" else "RGB", kind)
        for _ in range(60):
            data = bytearray(good[: rng.integers(1, len(good))])
            for place in rng.integers(0, len(data), 3):
                data[place] = rng.integers(0, 256)
            checked = check(bytes(data), "a.jpg", 95)
            assert checked.pixels is not None or checked.action == OUT


def test_the_page_has_a_row_for_every_rule():
    rows = re.findall(r"^\| (.+?) \| `?(.+?)`? \| (.+?) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    said = " ".join(problem for _, problem, _ in rows)
    for _, _, problems, _ in CASES.values():
        for problem in problems:
            assert problem.split(" named")[0] in said, problem
