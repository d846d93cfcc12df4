"""engine.csv, to which one visit after the other adds its rows, and a call's machine beside it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench import record
from benchmarks.plan import DEFAULTS, learners_of
from workflows.validate import ConfigError

COLUMNS = (
    "model,dataset,batch,learners,devices,system,precision,compile,graph,images_per_s,call,"
    "channels_last,unroll,cudnn_benchmark,spread,memory_bytes,prepared_s"
).split(",")
SETTINGS = [name for name in COLUMNS if name in DEFAULTS]
# What all rows of a call share.
MACHINE = {"gpus": "GPUs", "cpu": "CPU", "cores": "number of cores", "packages": "packages"}


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows so far; half a row, whose writer was killed in it, is cut off.

    Raises:
        ConfigError: the table has other columns.
    """
    if path.exists():
        record.drop_half_row(path)
    if path.exists():  # a file of half a line is gone now
        header = path.read_text().splitlines()[0].split(",")
        if header != COLUMNS:
            raise ConfigError(
                f"{path} has other columns: move it away, or make them {','.join(COLUMNS)}"
            )
    return record.read_table(path)


def describe(path: Path, description: dict[str, Any], measured: bool) -> None:
    """Write the machine and the code of a call; if rows of it were `measured`, theirs remain.

    Raises:
        ConfigError: they were measured on another machine, or with other code or packages.
    """
    if measured and path.exists():
        before = record.read_json(path)
        other = [word for key, word in MACHINE.items() if before.get(key) != description[key]]
        commits = {each["code"]["commit"] for each in (before, description)}
        if len(commits) > 1 or "" in commits:
            other.append("commit" + ", or has none: CODE_COMMIT names it" * ("" in commits))
        old, new = (each.get("interpreters", {}) for each in (before, description))
        other += [f"packages of {s}" for s in old.keys() & new.keys() if old[s] != new[s]]
        if other:
            raise ConfigError(
                f"{path}: this visit differs from the rows of this call in {', '.join(other)}; "
                "give it a --call of its own"
            )
        description = before | {"interpreters": old | new}
    record.write_json(path, description)


def refuse_without_row(cells: list[dict[str, Any]], plan: Path) -> None:
    """Refuse cells that have no row of their own in the table.

    Raises:
        ConfigError: the learners are no number of the system's, or two cells' rows would be alike.
    """
    seen = set()
    for place, cell in enumerate(cells):
        for m in learners_of(cell):
            if m == "auto" or (m != 1 and cell["system"] != "crossbow"):
                raise ConfigError(
                    f"{plan}[{place}].learners: {m!r}; give numbers, of others than crossbow 1"
                )
            if (row := key(cell | {"learners": m})) in seen:
                raise ConfigError(
                    f"{plan}[{place}]: with {m} learners its row would be another cell's too; the "
                    f"table tells {', '.join(SETTINGS)}"
                )
            seen.add(row)


def unmeasured(cells: list[dict[str, Any]], rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    """The cells, or the part of their numbers of learners, of which there is no row yet.

    Those that come before a measured one have been tried: they failed, and come last.
    """
    seen = {key(row) for row in rows}
    tried: list[dict[str, Any]] = []
    left: list[dict[str, Any]] = []
    for cell in cells:
        swept = learners_of(cell)
        todo = [m for m in swept if key(cell | {"learners": m}) not in seen]
        if len(todo) < len(swept):
            tried += left
            left = []
        if todo:
            left.append(cell | {"learners": todo})
    return left + tried


def key(row: dict[str, Any], names: Iterable[str] = SETTINGS) -> tuple[str, ...]:
    """These settings of a row or a cell, as the table has them; where it lacks one, the default."""
    filled = DEFAULTS | row
    return tuple(str(filled[name]) for name in names)
