"""Where the files of an uncompressed tar lie in it, so that they can be read without unpacking."""

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from data_prep.records import RecordsError


class Member(NamedTuple):
    """A plain file in a tar: `length` bytes from `offset` of the tar."""

    name: str
    offset: int
    length: int


def tar_members(path: Path, start: int = 0) -> Iterator[Member]:
    """The plain files of the tar that begins at byte `start` of a file, in their order.

    Offsets count from the beginning of the file, also in a tar within a tar.

    Raises:
        RecordsError: it is compressed, damaged, or no tar.
    """
    try:
        with path.open("rb") as file:
            file.seek(start)
            with tarfile.open(fileobj=file, mode="r:") as archive:
                for member in archive:
                    if member.isfile():
                        yield Member(member.name, member.offset_data, member.size)
    except tarfile.TarError as error:
        raise RecordsError(
            f"{path}: can't be read as an uncompressed tar ({error}); fetch or unpack it again"
        ) from None
