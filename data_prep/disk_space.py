"""Refuses to begin what the disk can't hold."""

import shutil
from pathlib import Path

from data_prep.manifest import RecordsError

_RESERVE = 50_000_000  # what the rest of the system is left with


def check_space(folder: Path, needed: int) -> None:
    """See that `needed` bytes fit beside what lies in an existing folder.

    Raises:
        RecordsError: they don't.
    """
    free = shutil.disk_usage(folder).free
    if needed + _RESERVE > free:
        raise RecordsError(
            f"{folder}: {_amount(needed)} are needed, {_amount(_RESERVE)} are to stay free, and "
            f"{_amount(free)} are; make room or choose a folder on another disk"
        )


def _amount(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.2f} MB"
