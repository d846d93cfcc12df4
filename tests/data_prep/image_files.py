"""Image files as they should be, and broken in every way that the rules know."""

import io
import tarfile
from pathlib import Path

import numpy as np
from PIL import Image


def pixels(seed: int = 0, size: tuple[int, int] = (48, 40)) -> np.ndarray:
    """A picture with some detail, uint8 [H, W, 3], of (width, height)."""
    width, height = size
    small = np.random.default_rng(seed).integers(0, 256, (6, 6, 3), np.uint8)
    return np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC))


def encoded(
    mode: str = "RGB", kind: str = "JPEG", seed: int = 0, size=(48, 40), **options
) -> bytes:
    data = io.BytesIO()
    Image.fromarray(pixels(seed, size)).convert(mode).save(data, kind, **options)
    return data.getvalue()


def turned(orientation: int = 6) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encoded(exif=exif)


def with_broken_exif() -> bytes:
    data = turned()
    place = data.index(b"Exif\0\0") + 6
    return data[:place] + b"XX" + data[place + 2 :]


def with_extra_bytes() -> bytes:
    """A JPEG with bytes before its last marker that mean nothing, as some cameras leave them."""
    data = encoded()
    return data[:-2] + bytes(range(60)) + data[-2:]


def overwritten() -> bytes:
    """A JPEG whose coded pixels were overwritten in the middle."""
    data = bytearray(encoded(size=(200, 200)))
    middle = len(data) // 2
    data[middle : middle + 400] = b"\xff\x00" * 200
    return bytes(data)


def cut_out() -> bytes:
    """A JPEG whose coded pixels lack a part in the middle, and whose end is there."""
    data = encoded(size=(200, 200), quality=90)
    middle = len(data) // 2
    return data[:middle] + data[middle + 1000 :]


def sixteen_bits() -> bytes:
    data = io.BytesIO()
    Image.fromarray(np.arange(600, dtype=np.uint16).reshape(20, 30) * 100).save(data, "PNG")
    return data.getvalue()


def transparent_palette() -> bytes:
    data = io.BytesIO()
    image = Image.fromarray(pixels()).quantize(16)
    image.save(data, "PNG", transparency=b"\x00\x80" + b"\xff" * 14)
    return data.getvalue()


def write_files(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def good_folder(folder: Path, classes=("cat", "dog"), train: int = 4, test: int = 2) -> Path:
    """A folder of the user's own with a split of its own."""
    return write_files(
        folder,
        {
            f"{split}/{name}/{number}.jpg": encoded(seed=hash_free_seed(split, name, number))
            for split, count in (("train", train), ("val", test))
            for name in classes
            for number in range(count)
        },
    )


def hash_free_seed(*parts) -> int:
    return (
        sum(ord(letter) * 31**place for place, letter in enumerate("".join(map(str, parts)))) % 9973
    )


def tar_of(members: list[tuple[str, bytes]]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()
