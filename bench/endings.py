"""How a run ended: its status and the reason in one line."""

import math
import re
import traceback
from pathlib import Path
from typing import Any

from bench import record
from bench.metrics import epochs_to_target

REMOTE = "terminated with the following error:"  # torch's ProcessRaisedException


def divergence(row: dict[str, Any]) -> dict[str, Any] | None:
    """A loss that is no number any more ends the run; None while all are finite."""
    for name in ("train_loss", "test_loss"):
        if not math.isfinite(row[name]):
            reason = f"{name} became {row[name]} in epoch {row['epoch']}"
            return {"status": record.DIVERGED, "reason": reason}
    return None


def completion(history: list[dict[str, Any]], target: float) -> dict[str, Any]:
    """All epochs are done: with the target reached or without."""
    reached = epochs_to_target([row["test_acc"] for row in history], target, "median5")
    if reached is None and len(history) < 5:
        reason = "all epochs done, fewer than the five whose median the target takes"
        return {"status": record.FINISHED, "reason": reason}
    if reached is None:
        return {"status": record.FINISHED, "reason": "all epochs done, target not reached"}
    return {"status": record.REACHED, "reason": f"target {target} reached in epoch {reached}"}


def failure(error: Exception) -> dict[str, Any]:
    """Out of memory, however the framework words it, or any other failure."""
    text = "".join(traceback.format_exception_only(error))
    exhausted = isinstance(error, MemoryError) or any(
        sign in text
        for sign in ("out of memory", "MemoryError", "can't allocate memory", "OOM when")
    )
    status = record.OUT_OF_MEMORY if exhausted else record.FAILED
    reason = _reason(text)
    if isinstance(error, ChildProcessError | TimeoutError):  # of a rank, which may have said why
        reason += f"; see {record.LOG}"
    return {"status": status, "reason": reason, "carried_s": 0.0}


def _reason(text: str) -> str:
    """An exception's type and the first line of what it says; another process's by its traceback.

    Of that, and of a syntax error, lines of code come first, which are indented.
    """
    if REMOTE in text:
        text = text.rpartition("Traceback (most recent call last):")[2]
    said = re.search(r"^\S.*", text, re.MULTILINE | re.DOTALL)
    # A message may begin with line breaks.
    return re.sub(r":\s+", ": ", said[0], count=1).splitlines()[0].strip() if said else text.strip()


def leave_first(out: Path, error: Exception) -> None:
    """Leave the status of a failure in `out`, unless another rank has left one."""
    if not (out / record.STATUS).exists():
        record.write_json(out / record.STATUS, failure(error))
