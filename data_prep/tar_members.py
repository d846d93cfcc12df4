"""Where the files of an uncompressed tar lie in it, so that they can be read without unpacking."""

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from data_prep.manifest import RecordsError


class Member(NamedTuple):
    """A plain file in a tar: `length` bytes from `offset` of the tar."""

    name: str
    offset: int
    length: int


def tar_members(path: Path, start: int = 0, length: int | None = None) -> Iterator[Member]:
    """The plain files of the tar that is `length` bytes of a file from `start` on, in their order.

    Offsets count from the beginning of the file, also in a tar within a tar.

    Raises:
        RecordsError: it is compressed, damaged, or no tar.
    """
    try:
        with path.open("rb") as file:
            stop = file.seek(0, 2) if length is None else start + length
            file.seek(start)
            with tarfile.open(fileobj=file, mode="r:") as archive:
                for member in archive:
                    if member.offset_data + member.size > stop:
                        raise tarfile.ReadError(f"it breaks off in {member.name}")
                    if member.isfile() and not member.issparse():
                        yield Member(member.name, member.offset_data, member.size)
                # tarfile takes a damaged header, or none, for the end, which is a block of zeros.
                file.seek(archive.offset)
                end = file.read(tarfile.BLOCKSIZE)
                if end != bytes(tarfile.BLOCKSIZE) or archive.offset >= stop:
                    raise tarfile.ReadError(f"it breaks off at byte {archive.offset}")
    except tarfile.TarError as error:
        raise RecordsError(
            f"{path}: can't be read as an uncompressed tar ({error}); fetch or unpack it again"
        ) from None
