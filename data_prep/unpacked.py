"""Compressed files as what is in them, but no more of it than a data set has: a few kilobytes can
be made that unpack to any size."""

import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import BinaryIO

MOST = 1 << 30  # bytes; the largest of the archives read here unpacks to a fifth of it
_OPENERS = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ": lzma.open, b"BZh": bz2.open}


class TooLarge(OSError):
    """More than `MOST` bytes are in the file."""

    def __init__(self) -> None:
        super().__init__(f"more than {MOST:,} bytes are in it, which no data set has")


class Bounded(io.RawIOBase):
    """Reads from a file, but nothing that lies behind its first `MOST` bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes; all that are left if it is negative."""
        room = MOST - self._file.tell()
        data = self._file.read(room + 1 if size < 0 else min(size, room + 1))
        if len(data) > room:
            raise TooLarge
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place that lies before the bound."""
        if whence or offset > MOST:
            raise TooLarge
        return self._file.seek(offset)

    def tell(self) -> int:
        """Where it is."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file too."""
        self._file.close()
        super().close()


def unpacked(path: Path) -> Bounded:
    """What is in a gzip, xz or bzip2 file, by its first bytes; another as it is."""
    with path.open("rb") as file:
        start = file.read(8)
    opener = next((_OPENERS[magic] for magic in _OPENERS if start.startswith(magic)), open)
    return Bounded(opener(path, "rb"))
