"""The files of one run: their names, their columns, how they are written and read."""

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.whole_file import whole_file

RUN, EPOCHS, TELEMETRY, PHASES, STATUS, LOG, AUTOTUNE = (
    "run.json",
    "epochs.csv",
    "telemetry.csv",
    "phases.csv",
    "status.json",
    "log.txt",
    "autotune.csv",
)
# What every run leaves behind; autotune.csv comes on top where learners are tuned.
FILES = (RUN, EPOCHS, TELEMETRY, PHASES, STATUS, LOG)

EPOCH_COLUMNS = (
    "run,epoch,iteration,images,train_s,eval_s,wall_s,learners,lr,"
    "train_loss,test_loss,test_acc,test_top5,images_per_s"
).split(",")
TELEMETRY_COLUMNS = (
    "run,t_s,device,utilization,memory_bytes,power_w,sm_mhz,memory_mhz,temperature_c,throttle"
).split(",")
AUTOTUNE_COLUMNS = "run,iteration,learners,images_per_s,decision,memory_bytes,tuning_s".split(",")
PHASE_COLUMNS = ("run", "phase", "seconds")
# Of status.json, null where not known.
MEMORY = ("memory_bytes", "learner_memory_bytes")
EXCHANGE = ("sent_bytes", "staleness")

FINISHED, REACHED, DIVERGED, OUT_OF_MEMORY, FAILED = (
    "finished",
    "reached",
    "diverged",
    "out_of_memory",
    "failed",
)
# No run at all: the system has no such model; it was planned and not run so far.
NOT_AVAILABLE, NOT_RUN = "not_available", "not_run"


class Table:
    """A CSV file whose rows reach the disk as they happen, so that a killed run leaves them."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file = path.open("w", newline="")
        self._writer = csv.DictWriter(self._file, columns, lineterminator="\n")
        self._writer.writeheader()
        self._file.flush()

    def write(self, row: Mapping[str, Any]) -> None:
        """Append one row; a missing or unknown column is a ValueError or an empty cell."""
        self._writer.writerow(row)
        self._file.flush()

    def close(self) -> None:
        """Close the file, which a loss of power can't undo then."""
        os.fsync(self._file.fileno())
        self._file.close()


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a whole table at once."""
    table = Table(path, columns)
    for row in rows:
        table.write(row)
    table.close()


def read_table(path: Path) -> list[dict[str, str]]:
    """The whole rows of a CSV file; none when it does not exist yet."""
    if not path.exists():
        return []
    return list(table_reader(path))


def table_reader(path: Path) -> "csv.DictReader[str]":
    """Reads the whole rows of a CSV file that exists; it knows their columns, too."""
    return csv.DictReader(io.StringIO(whole_lines(path.read_bytes()).decode()))


def drop_half_row(path: Path) -> None:
    """Cut off the last line of a CSV file if it does not end: its writer was killed in it.

    A file without a whole line is removed.
    """
    content = path.read_bytes()
    whole = whole_lines(content)
    if not whole:
        path.unlink()
    elif whole != content:
        os.truncate(path, len(whole))


def whole_lines(content: bytes) -> bytes:
    """A file's content up to the last line that ends: its writer may have been killed in one."""
    return content[: content.rfind(b"\n") + 1]


def write_json(path: Path, value: Any) -> None:
    """Replace `path` by `value` as JSON, at once or not at all, also when power is lost."""
    with whole_file(path) as file:
        file.write((json.dumps(value, indent=2, sort_keys=True) + "\n").encode())


def read_json(path: Path) -> Any:
    """The JSON value in `path`."""
    return json.loads(path.read_text())
