"""The joined tables that figures are drawn from, read with the right types."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from plots import _runs

_EPOCHS = ("run", "epoch", "images", "train_s", "test_acc")
_AUTOTUNE = ("run", "iteration", "learners", "images_per_s", "decision", "memory_bytes")


@dataclass(frozen=True)
class Tables:
    """`summary` has one row a run, `epochs` one an epoch, `autotune` one a throughput sample."""

    summary: pd.DataFrame
    epochs: pd.DataFrame
    autotune: pd.DataFrame


def read(summary: Path, epochs: Path, autotune: Path) -> Tables:
    """The tables as written, with text columns kept text ("1" and "auto" are both learners).

    Raises:
        ValueError: a table lacks a column; one sentence.
    """
    text = dict.fromkeys((*_runs.TEXT, *_runs.KINDS), str)
    return Tables(
        _read(summary, text, ("seed", *_runs.TEXT, *_runs.NUMBERS)),
        _read(epochs, {"run": str}, _EPOCHS),
        _read(autotune, {"run": str, "decision": str}, _AUTOTUNE),
    )


def _read(path: Path, text: dict, needed: tuple[str, ...]) -> pd.DataFrame:
    table = pd.read_csv(path, dtype=text)
    missing = [column for column in needed if column not in table.columns]
    if missing:
        raise ValueError(f"{path} lacks the columns {', '.join(missing)}")
    return table
