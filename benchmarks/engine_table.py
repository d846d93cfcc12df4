"""Which cells of a plan have a row in engine.csv, and which can have one of their own."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.plan import DEFAULTS, learners_of
from workflows.validate import ConfigError

COLUMNS = (
    "model,dataset,batch,learners,devices,system,precision,compile,graph,images_per_s,call,"
    "channels_last,unroll,cudnn_benchmark,spread,memory_bytes,prepared_s"
).split(",")
SETTINGS = [name for name in COLUMNS if name in DEFAULTS]


def refuse_without_row(cells: list[dict[str, Any]], plan: Path) -> None:
    """Refuse cells that have no row of their own in the table.

    Raises:
        ConfigError: the learners are no number, or two cells' rows would be alike.
    """
    seen = set()
    for place, cell in enumerate(cells):
        for m in learners_of(cell):
            if m == "auto":
                raise ConfigError(f"{plan}[{place}].learners: {m!r}; give numbers")
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
