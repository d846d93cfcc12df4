"""Tiny source files in the layouts in which the datasets are published."""

import gzip
import hashlib
import io
import struct
import tarfile
from pathlib import Path

import numpy as np
from PIL import Image


def checksum(data: bytes, algorithm: str = "md5") -> str:
    return f"{algorithm}:{hashlib.new(algorithm, data).hexdigest()}"


def idx(array: np.ndarray) -> bytes:
    header = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(np.uint8).tobytes()


def mnist_files(seed: int = 0, train: int = 6, test: int = 4) -> dict[str, bytes]:
    rng = np.random.default_rng(seed)
    return {
        "train-images-idx3-ubyte": idx(rng.integers(0, 256, (train, 28, 28))),
        "train-labels-idx1-ubyte": idx((seed + np.arange(train)) % 10),
        "t10k-images-idx3-ubyte": idx(rng.integers(0, 256, (test, 28, 28))),
        "t10k-labels-idx1-ubyte": idx((9 - seed - np.arange(test)) % 10),
    }


def write_mnist(folder: Path, files: dict[str, bytes], zipped: bool = True) -> dict[str, str]:
    """Write the files and return the checksums of what is in them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        if zipped:
            (folder / f"{name}.gz").write_bytes(gzip.compress(data))
        else:
            (folder / name).write_bytes(data)
    return {name: checksum(data) for name, data in files.items()}


def python2_pickle(pixels: np.ndarray, labels: list[int], key: bytes = b"labels") -> bytes:
    """A batch as Python 2 pickled it, which no pickler of today writes: byte strings throughout."""

    def string(data: bytes) -> bytes:
        return b"T" + struct.pack("<i", len(data)) + data

    def number(value: int) -> bytes:
        return b"J" + struct.pack("<i", value)

    array = (
        b"cnumpy.core.multiarray\n_reconstruct\n"
        + (b"cnumpy\nndarray\n" + number(0) + b"\x85" + string(b"b") + b"\x87R")
        + (b"(" + number(1) + number(len(pixels)) + number(pixels.shape[1]) + b"\x86")
        + (b"cnumpy\ndtype\n" + string(b"u1") + number(0) + number(1) + b"\x87R")
        + (b"(" + number(3) + string(b"|") + b"NNN" + number(-1) + number(-1) + number(0) + b"tb")
        + (b"\x89" + string(pixels.tobytes()) + b"tb")
    )
    return (
        b"\x80\x02}("
        + (string(b"data") + array)
        + (string(key) + b"](" + b"".join(map(number, labels)) + b"e")
        + (string(b"batch_label") + string(b"testing batch 1 of 1"))
        + b"u."
    )


def cifar_batches(per_batch: int = 2) -> dict[str, tuple[np.ndarray, list[int]]]:
    rng = np.random.default_rng(1)
    return {
        name: (rng.integers(0, 256, (per_batch, 3072), np.uint8), rng.integers(0, 10, per_batch))
        for name in [*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"]
    }


def cifar_python_members(batches: dict) -> dict[str, bytes]:
    return {
        f"cifar-10-batches-py/{name}": python2_pickle(pixels, labels)
        for name, (pixels, labels) in batches.items()
    }


def cifar_binary_members(batches: dict) -> dict[str, bytes]:
    return {
        f"cifar-10-batches-bin/{name}.bin": b"".join(
            bytes([label]) + row.tobytes() for row, label in zip(pixels, labels, strict=True)
        )
        for name, (pixels, labels) in batches.items()
    }


def jpeg(
    colour: tuple[int, int, int], size: tuple[int, int] = (32, 32), mode: str = "RGB"
) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", size, colour).convert(mode).save(data, "JPEG", quality=95)
    return data.getvalue()


def jpeg_members(class_names: tuple[str, ...]) -> dict[str, bytes]:
    """Two training images and one test image per class; the red tells which image it is."""
    return {
        f"{split}/{name}/{number:04}.jpg": jpeg((100 * number + 50, 20 * label, 0))
        for split, count in (("train", 2), ("test", 1))
        for number in range(count)
        for label, name in enumerate(class_names)
    }


def write_tar(path: Path, members: dict[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, f"w:{path.suffix[1:]}") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
