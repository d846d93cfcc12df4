"""What a results folder says of its runs, also while they are written. It only reads."""

import csv
import io
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import record
from bench.progress import MATRIX

PLANNED, RUNNING, STOPPED, UNREADABLE = "planned", "running", "stopped", "unreadable"
WENT_WELL = (record.REACHED, record.FINISHED)
SILENT_S = 60.0  # a run's telemetry has two samples a second; file systems may show them late
NEEDED = {"epoch", "train_s", "eval_s", "wall_s", "test_acc", "images_per_s"}


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run as its folder has it.

    `state` is that of status.json, or one of the above: STOPPED has neither a status nor written
    anything for a while. `epochs` has the rows of epochs.csv. `heard_at`, `epoch_at` and
    `ended_at` are times of files, as `time.time()`, and 0.0 where there is no such file.
    """

    id: str
    folder: Path
    state: str
    reason: str = ""
    spec: dict[str, Any] = field(default_factory=dict)
    epochs: list[dict[str, float]] = field(default_factory=list)
    wall_s: float | None = None
    carried_s: float = 0.0
    heard_at: float = 0.0
    epoch_at: float = 0.0
    ended_at: float = 0.0

    @property
    def started_at(self) -> float:
        """When the run's wall clock was 0, as `time.time()`; of a resumed run, as if unbroken."""
        if self.ended_at and self.wall_s is not None:
            return self.ended_at - self.wall_s
        if self.epochs:
            return self.epoch_at - self.epochs[-1]["wall_s"]
        return modified(self.folder / record.RUN)


def problem(results: Path) -> str:
    """Why there is nothing to see in `results`, in one sentence; empty if there is something."""
    if not results.exists():
        return f"{results}: there is no such folder"
    if not results.is_dir():
        return f"{results}: a file; name the results folder of an experiment"
    if not ids(results, everything=True):
        return (
            f"{results}: no run was planned or made here; name the results folder of an experiment"
        )
    return ""


def ids(results: Path, everything: bool = False) -> list[str]:
    """The runs that the last experiment planned, in its order; all there are where none is noted.

    With `everything`, those of earlier experiments in the same folder come after them.
    """
    matrix, runs = results / "state" / MATRIX, results / "runs"
    planned = read_whole(matrix).split() if matrix.exists() else []
    if planned and not everything:
        return planned
    there = sorted(path.name for path in runs.iterdir() if path.is_dir()) if runs.is_dir() else []
    return planned + [run for run in there if run not in set(planned)]


def look(results: Path, known: dict[str, Run], everything: bool = False) -> Iterator[Run]:
    """Every run of `ids`. `known` keeps those that have ended, which are read once."""
    for run in ids(results, everything):
        folder = results / "runs" / run
        ended_at = modified(folder / record.STATUS)
        if run not in known or known[run].ended_at != ended_at:
            known[run] = read_run(folder)
        yield known[run]
        if not known[run].ended_at:
            del known[run]


def read_run(folder: Path) -> Run:
    """The run in `folder`, which may not be there yet, or be written at this moment."""
    ended_at, epoch_at = modified(folder / record.STATUS), modified(folder / record.EPOCHS)
    heard_at = max(epoch_at, *(modified(folder / name) for name in (record.RUN, record.TELEMETRY)))
    read: dict[str, dict[str, Any]] = {}
    for name, needed in ((record.RUN, "spec"), (record.STATUS, "status")):
        try:
            read[name] = dict(record.read_json(folder / name))
            read[name][needed]
        except FileNotFoundError:
            read[name] = {}
        except (OSError, ValueError, TypeError, KeyError) as error:
            reason = f"{name} is damaged ({error!r}); delete the run's folder, and it is made again"
            return Run(
                id=folder.name, folder=folder, state=UNREADABLE, reason=reason, ended_at=ended_at
            )
    outcome = read[record.STATUS]
    reason = outcome.get("reason") or ""
    if outcome:
        state = str(outcome["status"])
    elif not read[record.RUN]:
        state = PLANNED
    elif time.time() - heard_at < SILENT_S:
        state = RUNNING
    else:
        state, reason = STOPPED, "no status and no sign of life; the same command goes on with it"
    return Run(
        id=folder.name,
        folder=folder,
        state=state,
        reason=reason,
        spec=read[record.RUN].get("spec", {}),
        epochs=epoch_rows(folder / record.EPOCHS),
        wall_s=outcome.get("wall_s"),
        carried_s=outcome.get("carried_s") or 0.0,
        heard_at=heard_at,
        epoch_at=epoch_at,
        ended_at=ended_at,
    )


def epoch_rows(path: Path) -> list[dict[str, float]]:
    """The numbers of epochs.csv, up to the first row that isn't whole."""
    rows = []
    for row in csv.DictReader(io.StringIO(read_whole(path))):
        try:
            numbers = {key: float(value) for key, value in row.items() if key != "run"}
        except (TypeError, ValueError):
            break
        if not numbers.keys() >= NEEDED:
            break
        rows.append(numbers)
    return rows


def read_whole(path: Path) -> str:
    """The text of a file without a last line that is still being written; empty without a file."""
    try:
        return record.whole_lines(path.read_bytes()).decode(errors="replace")
    except FileNotFoundError:
        return ""


def modified(path: Path) -> float:
    """When the file was last written, as `time.time()`; 0.0 without a file."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
