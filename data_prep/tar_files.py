"""Files of a tar archive, read in memory: nothing is unpacked, so no member's path can do harm."""

import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from data_prep.manifest import RecordsError
from data_prep.unpacked import unpacked


def tar_files(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Name and contents of the wanted plain files, in the order of the archive.

    Links, devices and files with holes (a few bytes that claim to be any number) are passed over.

    Raises:
        RecordsError: the archive is damaged or cut short, or unpacks to more than a data set is.
    """
    try:
        with unpacked(path) as file, tarfile.open(fileobj=file, mode="r:") as archive:
            for member in archive:
                if member.isfile() and not member.issparse() and wanted(member.name):
                    yield member.name, archive.extractfile(member).read()
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        raise RecordsError(f"{path}: can't be unpacked ({error}); fetch the file again") from None
