"""Source files: found in a folder or downloaded, and used only if their checksum is right."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pooch

from data_prep.manifest import RecordsError

# The environment variable that names the folder of archives.
MIRROR_VARIABLE = "DATA_MIRROR"
OPTION = f"--archives, {MIRROR_VARIABLE} or a config's archives"


@dataclass(frozen=True)
class Archive:
    """A file as it is published.

    Attributes:
        name: its file name.
        checksum: `md5:` or `sha256:` and the hex digits.
        urls: mirrors, each ending in the file name; none if it can't be downloaded.
    """

    name: str
    checksum: str
    urls: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceFile:
    """A source found and verified: where it is, and the checksum that says what it is."""

    path: Path
    checksum: str


def obtain(archives: Path | None, *accepted: Archive) -> tuple[Archive, Path]:
    """Find one of the accepted archives in a folder, or download the first without a folder.

    Raises:
        RecordsError: it is missing, can't be downloaded, or its checksum is wrong.
    """
    if archives is None:
        return accepted[0], download(accepted[0])
    for archive in accepted:
        path = find(archives, [archive.name], archive.checksum)
        if path:
            return archive, path
    raise missing(archives, *(archive.name for archive in accepted))


def find(
    archives: Path,
    names: Sequence[str],
    checksum: str,
    digest: Callable[[Path, str], str] | None = None,
) -> Path | None:
    """The file of one of these names with this checksum, or None if no file has such a name.

    `digest` (path, algorithm) -> checksum stands in for that of the bytes as they lie on the disk.

    Raises:
        RecordsError: there are files of such a name, but none with this checksum.
    """
    wrong = None
    for path in places(archives, names):
        found = (digest or file_checksum)(path, checksum.partition(":")[0])
        if found == checksum:
            return path
        wrong = wrong or RecordsError(
            f"{path}: checksum is {found} where {checksum} is expected; "
            "fetch the file again, it is damaged or another one"
        )
    if wrong:
        raise wrong
    return None


def places(archives: Path, names: Sequence[str]) -> Iterator[Path]:
    """Files and folders of one of these names in the folder itself, or one folder down.

    Raises:
        RecordsError: there is no such folder, or something else has the name: a pipe or a device
            would never end.
    """
    if not archives.is_dir():
        raise RecordsError(f"{archives}: not a folder; name that of the archives by {OPTION}")
    below = sorted(path for path in archives.iterdir() if path.is_dir())
    for folder in (archives, *below):
        for name in names:
            path = folder / name
            if path.is_file() or path.is_dir():
                yield path
            elif path.exists():
                raise RecordsError(f"{path}: neither a file nor a folder; put the file there")


def missing(archives: Path, *names: str) -> RecordsError:
    """The error for source files that aren't in the archives folder."""
    return RecordsError(
        f"{archives / names[0]}: missing, also one folder down; put "
        f"{' or '.join(names)} there or name another folder by {OPTION}"
    )


def file_checksum(path: Path, algorithm: str) -> str:
    """The checksum of a file as `algorithm:hex`."""
    with path.open("rb") as file:
        return f"{algorithm}:{hashlib.file_digest(file, algorithm).hexdigest()}"


def download(archive: Archive) -> Path:
    """Download a file into the user's cache, unless it is there already.

    Raises:
        RecordsError: no mirror gave it with the right checksum.
    """
    local = f"get it another way and name its folder by {OPTION}"
    if not archive.urls:
        raise RecordsError(f"{archive.name}: can't be downloaded; {local}")
    reasons = []
    for url in archive.urls:
        try:
            return Path(
                pooch.retrieve(
                    url,
                    known_hash=archive.checksum,
                    fname=archive.name,
                    # By checksum: datasets share file names, and a cache is forever.
                    path=pooch.os_cache("crossbow-suite") / archive.checksum.partition(":")[2],
                )
            )
        except (OSError, ValueError) as error:
            reasons.append(f"{url} ({_reason(error)})")
    raise RecordsError(f"{archive.name}: download failed from {', '.join(reasons)}; {local}")


def _reason(error: Exception) -> str:
    # Failed connections quote the whole stack of calls below them; their type says as much.
    lines = str(error).splitlines()
    return lines[0] if lines and len(lines[0]) < 120 else type(error).__name__
