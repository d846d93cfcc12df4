"""One pipeline at a time on one results folder."""

import fcntl
import os
from pathlib import Path

from bench.progress import MATRIX

_held: list[object] = []  # the lock lives as long as this process, and dies with it


class PipelineBusy(RuntimeError):
    """Another pipeline works on the results folder; the message names it."""


def hold_results(results: Path, runs: list[str]) -> None:
    """Lock `results` for this process and note its planned runs for the progress line.

    The kernel lets go of the lock when the process ends, also by `kill -9`, so that there is never
    a stale lock to remove by hand.

    Raises:
        PipelineBusy: another process holds the lock.
    """
    state = results / "state"
    state.mkdir(parents=True, exist_ok=True)
    lock = (state / "pipeline.lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        owner = lock.read().strip() or "unknown"
        raise PipelineBusy(
            f"another pipeline (process {owner}) works on {results}; wait for it to end, or use "
            "another folder with `--config results=FOLDER`"
        ) from None
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    _held.append(lock)
    (state / MATRIX).write_text("\n".join(runs) + "\n")
