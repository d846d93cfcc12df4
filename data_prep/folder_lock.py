"""One preparation per folder at a time."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def folder_lock(folder: Path, report: Callable[[str], None]) -> Iterator[None]:
    """Hold the folder, waiting for whoever holds it now. The system lets go of it at a kill."""
    # The file stays behind: to delete it while another process waits on it would let two in.
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report(f"another preparation of {folder} is under way; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
