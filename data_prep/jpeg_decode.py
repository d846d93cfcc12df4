"""One crop of a JPEG at the size that a network sees, for as little decoding as that takes.

libjpeg-turbo decodes; torch resizes, bilinear and antialiased as Pillow does, but vectorised. Both
let other threads run meanwhile.
"""

import numpy as np
import simplejpeg
import torch
from torch.nn.functional import interpolate

from data_prep.crops import Box, crop_of_tests

SHRINKS = (8, 4, 2)  # by which decoding gets faster the more it shrinks
SEQUENTIAL = (0xC0, 0xC1)  # frames of Huffman-coded rows from top to bottom
SCAN = 0xDA
EXTRANEOUS = "extraneous bytes before marker"  # in which no pixel is


class Decoder:
    """Decodes on one thread; its memory stays from image to image."""

    def __init__(self) -> None:
        self._pixels, self._crop = (np.empty(0, np.uint8) for _ in range(2))

    def crop(
        self, data: memoryview, height: int, width: int, box: Box, flip: bool, out: np.ndarray
    ) -> None:
        """Resize `box` of a JPEG of `height` x `width` pixels to `out`, uint8 [side, side, 3].

        Rows below the box are not decoded where the JPEG can be read from the top. A box that is
        at least twice as large as `out` is decoded at a half, a quarter or an eighth, so to the
        nearest pixel of those. `flip` mirrors what comes out.

        Raises:
            ValueError: libjpeg finds it odd but for extraneous bytes, or it has another size.
            IndexError: its header goes on past its end.
        """
        side = len(out)
        shrink = _shrink(min(box.height, box.width), side)
        top, left, bottom, right = (
            round(edge / shrink)
            for edge in (box.top, box.left, box.top + box.height, box.left + box.width)
        )
        pixels = self._decoded(data, height, width, box.top + box.height, shrink)
        part = self._room("_crop", bottom - top, right - left)
        np.copyto(part, pixels[top:bottom, left:right])
        np.copyto(out, _resized(part, side, side, flip))

    def centre(self, data: memoryview, height: int, width: int, out: np.ndarray) -> None:
        """Resize a JPEG's shorter side to 256/224 of `out`'s and take the centre, as in tests.

        Raises:
            ValueError, IndexError: see `crop`.
        """
        side = len(out)
        size, top, left = crop_of_tests(height, width, side)
        pixels = self._decoded(data, height, width, height, _shrink(min(height, width), min(size)))
        np.copyto(out, _resized(pixels, *size)[top : top + side, left : left + side])

    def _decoded(
        self, data: memoryview, height: int, width: int, rows: int, shrink: int
    ) -> np.ndarray:
        """The image, or its first `rows` rows at least, shrunk."""
        frame = _sequential_frame(data)
        if frame:
            found = tuple(int.from_bytes(data[frame + i : frame + i + 2], "big") for i in (5, 7))
            if found != (height, width):
                raise ValueError(f"it is {found} where the index says {(height, width)}")
            down = max(data[frame + 11 + 3 * i] & 15 for i in range(data[frame + 9]))
            if down > 1:  # fewer rows of colour than of light: those below have a part in them
                rows += 8 * down
            rows = min(rows, height)
        else:
            rows = height
        size = [-(-length // shrink) for length in (rows, width)]
        into = self._room("_pixels", *size)
        options = {"min_height": size[0], "min_width": size[1], "min_factor": shrink}
        if rows < height:
            shortened = bytearray(data)
            shortened[frame + 5 : frame + 7] = rows.to_bytes(2, "big")
            data = memoryview(shortened)
        try:
            pixels = simplejpeg.decode_jpeg(data, buffer=into, **options)
        except ValueError as error:  # the first thing that libjpeg found odd
            if EXTRANEOUS not in str(error):
                raise
            if rows < height:  # the rows left out, after all others: the header has none
                return into
            pixels = simplejpeg.decode_jpeg(data, buffer=into, strict=False, **options)
        if pixels.shape != into.shape:
            raise ValueError(f"it is not {(height, width)}, as the index says")
        return pixels

    def _room(self, name: str, height: int, width: int) -> np.ndarray:
        """Memory for an image, uint8 [height, width, 3]."""
        count = height * width * 3
        if getattr(self, name).size < count:
            setattr(self, name, np.empty(count, np.uint8))
        return getattr(self, name)[:count].reshape(height, width, 3)


def _shrink(length: int, wanted: int) -> int:
    """How much smaller an image may be decoded that is to be resized from one to the other."""
    return next((s for s in SHRINKS if length >= s * wanted), 1)


def _resized(pixels: np.ndarray, height: int, width: int, flip: bool = False) -> np.ndarray:
    """Bilinear and antialiased, and mirrored if `flip`: uint8 [h, w, 3] to [height, width, 3].

    Views are made by NumPy: at each of torch's the threads would fight for the interpreter.
    """
    # Channels last, as it comes out too; [None] would give the one image a stride of 0.
    planes = torch.from_numpy(pixels.reshape(1, *pixels.shape).transpose(0, 3, 1, 2))
    small = interpolate(planes, (height, width), mode="bilinear", antialias=True)
    return (small.flip(3) if flip else small).numpy()[0].transpose(1, 2, 0)


def _sequential_frame(data: memoryview) -> int:
    """Where the frame header lies, if rows are stored top to bottom in one whole scan; else 0.

    And 0 where there is anything between the segments of the header.
    """
    at, frame = 2, 0
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in SEQUENTIAL:
            frame = at
        if marker == SCAN:
            return frame if frame and data[at + 4] == data[frame + 9] else 0
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0
