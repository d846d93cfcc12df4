"""Refuses to begin what the disk can't hold."""

import shutil
from pathlib import Path

from data_prep.records import RecordsError

_RESERVE = 50_000_000  # what the rest of the system is left with


def check_space(folder: Path, needed: int) -> None:
    """See that `needed` bytes fit beside what lies in an existing folder.

    Raises:
        RecordsError: they don't.
    """
    free = shutil.disk_usage(folder).free
    if needed + _RESERVE > free:
        raise RecordsError(
            f"{folder}: {needed / 1e9:.2f} GB are needed and {free / 1e9:.2f} GB free; "
            "make room or choose a folder on another disk"
        )
