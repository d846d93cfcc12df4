"""The rules for one image file: what it has to be, and what becomes of it if it isn't.

`docs/data.md` has the table of them. A file is judged by its bytes; its name only adds a remark.
"""

import io
import warnings
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import simplejpeg
from PIL import Image, ImageOps

from data_prep.samples import CONVERTED, KEPT, LEFT_OUT

MAX_PIXELS = 100_000_000
_FORMATS = {
    "JPEG": {".jpg", ".jpeg", ".jpe", ".jfif"},
    "PNG": {".png"},
    "GIF": {".gif"},
    "BMP": {".bmp"},
    "WEBP": {".webp"},
    "TIFF": {".tif", ".tiff"},
}
_EIGHT_BIT = {"1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr"}
_TURN = 0x0112  # the EXIF tag of the orientation; 1 is upright, 2 to 8 are mirrored or turned
_UNREADABLE = -1


class _Unusable(Exception):
    """Why an image is left out."""


@dataclass(frozen=True)
class Checked:
    """An image after the rules.

    Attributes:
        jpeg: what goes into the records, an upright JPEG of grey or RGB; None if it is left out.
        pixels: the same decoded, uint8 [H, W, 3].
        problems: what was remarkable about it, none for an ordinary image.
        action: what became of it, if there were problems.
    """

    jpeg: bytes | None = None
    pixels: np.ndarray | None = None
    problems: tuple[str, ...] = ()
    action: str = KEPT


def check(data: bytes, name: str, quality: int) -> Checked:
    """Apply the rules to the bytes of a file; what is converted is a JPEG of `quality` (1 to 100).

    Never raises for what is in the file: anything unusable comes back as left out.
    """
    try:
        return _checked(data, name, quality)
    except _Unusable as reason:
        return Checked(problems=(str(reason),), action=LEFT_OUT)


def _checked(data: bytes, name: str, quality: int) -> Checked:
    if not data:
        raise _Unusable("empty file")
    kind, mode, turn, size = _header(data)
    turned = turn in range(2, 9)
    if size[0] * size[1] > MAX_PIXELS or max(size) > 65_535:
        raise _Unusable(f"{size[0]} x {size[1]} pixels are more than {MAX_PIXELS:,}")
    if mode not in _EIGHT_BIT:
        raise _Unusable(f"{mode} pixels are not of 8 bits a channel")
    problems = []
    ending = PurePosixPath(name).suffix
    if ending.lower() not in _FORMATS[kind]:
        problems.append(f"{kind} named {ending or 'without an ending'}")
    elif kind != "JPEG":
        problems.append(kind)
    if mode not in ("RGB", "YCbCr"):
        problems.append({"L": "grey", "P": "palette"}.get(mode, mode))
    if turned:
        problems.append("EXIF says it is turned")
    if turn == _UNREADABLE:
        problems.append("EXIF can't be read")
    if kind == "JPEG" and mode in ("L", "RGB") and not turned:
        pixels, remark = _decode_jpeg(data)
        return Checked(data, pixels, (*problems, *remark))
    pixels = _decode_other(data)
    jpeg = simplejpeg.encode_jpeg(pixels, quality, "RGB", "444")
    return Checked(
        jpeg, pixels, tuple(problems), f"{CONVERTED} to an RGB JPEG of quality {quality}"
    )


def _header(data: bytes) -> tuple[str, str, int, tuple[int, int]]:
    """Format, mode, EXIF's orientation, and (width, height), without decoding any pixels."""
    if data[:2] == b"\xff\xd8" and b"Exif" not in data[:65_536]:
        # The common case at a thirtieth of the price.
        try:
            height, width, colours, _ = simplejpeg.decode_jpeg_header(data, strict=False)
        except (ValueError, KeyError):  # the latter where it goes on without knowing the colours
            raise _Unusable("can't be decoded (no whole JPEG header)") from None
        modes = {"Gray": "L", "YCbCr": "RGB", "RGB": "RGB"}
        return "JPEG", modes.get(colours, "CMYK"), 1, (width, height)
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as image:
            kind = {"MPO": "JPEG"}.get(image.format, image.format)
            if kind not in _FORMATS:
                raise _Unusable(f"{image.format}, a format that isn't read")
            # Of a PNG it may come after the pixels; as that is converted, it is turned with them.
            turn = _orientation(image) if kind == "JPEG" else 1
            return kind, image.mode, turn, image.size
    except _Unusable:
        raise
    except Exception as error:  # Pillow's parsers raise anything at all over damaged bytes.
        known = data[:2] == b"\xff\xd8" or not isinstance(error, Image.UnidentifiedImageError)
        raise _Unusable("can't be decoded" if known else "not an image") from None


def _orientation(image: Image.Image) -> int:
    try:
        tags = dict(image.getexif())
    except Exception:  # As above; the pixels may be whole nevertheless.
        tags = {}
    return tags.get(_TURN, 1) if tags or "exif" not in image.info else _UNREADABLE


def _decode_jpeg(data: bytes) -> tuple[np.ndarray, tuple[str, ...]]:
    """Pixels uint8 [H, W, 3], and what the decoder remarked."""
    try:
        return simplejpeg.decode_jpeg(data, "RGB"), ()
    except ValueError as error:
        remark = str(error)
    if "Premature end of JPEG file" in remark:  # that of a data segment is damage within
        raise _Unusable(f"truncated ({remark})")
    # Bytes that the decoder skips change no pixel; all else that it mends, it makes up.
    if "extraneous bytes" not in remark:
        raise _Unusable(f"can't be decoded ({remark})")
    try:
        return simplejpeg.decode_jpeg(data, "RGB", strict=False), (remark,)
    except ValueError as error:
        raise _Unusable(f"can't be decoded ({error})") from None


def _decode_other(data: bytes) -> np.ndarray:
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as image:
            upright = ImageOps.exif_transpose(image)
            if upright.mode in ("P", "PA"):
                upright = upright.convert("RGBA")  # a palette may have transparent entries
            return np.ascontiguousarray(upright.convert("RGB"))
    except Exception as error:  # As above.
        truncated = "truncated" in str(error).lower()
        raise _Unusable("truncated" if truncated else f"can't be decoded ({error})") from None
