"""The auto-tuner beside exhaustive search: `python -m benchmarks.tuning CELL_JSON --out FOLDER`.

Sweeps fixed numbers of learners as `benchmarks.engine` does, then trains the cell's `epochs` with
`learners: auto`. Writes tuning.csv, the sweep's rows and the tuner's samples, and tuning.json: what
was chosen, what would have been best by the sweep, and the seconds that tuning and training took.
"""

import argparse
import functools
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench import record
from bench.spec import RunSpec
from benchmarks.cell import STRETCH_S
from benchmarks.engine import measured
from benchmarks.plan import refuse_cell
from benchmarks.results import write_result
from benchmarks.systems import on_ranks, prepared, spec_of
from crossbow_impl.train import Crossbow
from workflows.validate import ConfigError, validate

LEARNERS = [1, 2, 4, 6, 8, 12, 16, 24, 32]  # up to the most that the tuner may choose
SWEEP_S = 400.0
COLUMNS = "source,learners,images_per_s,spread,iteration,decision,tuning_s".split(",")


def train(
    rank: int, spec: RunSpec, sweep: list[dict[str, Any]], out: Path, data: Path, weights: Path
) -> None:
    """Train all epochs; rank 0 writes tuning.json and tuning.csv."""
    system: Crossbow = prepared(rank, spec, data, weights)
    system.drain()
    started = time.monotonic()
    for epoch in range(spec.epochs):
        system.train_epoch(epoch)
    system.drain()
    train_s = time.monotonic() - started
    if rank == 0:
        figures = compare(sweep, len(system.learners), system.trace, train_s)
        write_result(out / "tuning.json", figures | {"run": spec.to_dict()})
        rows = [{"source": "sweep", **row} for row in sweep]
        rows += [{"source": "tuner", **row} for row in system.trace]
        kept = [{name: row.get(name, "") for name in COLUMNS} for row in rows]
        record.write_table(out / "tuning.csv", COLUMNS, kept)


def compare(
    sweep: list[dict[str, Any]], chosen: int, trace: list[dict[str, Any]], train_s: float
) -> dict[str, Any]:
    """The chosen number of learners beside the sweep's best, and the share that tuning took."""
    best = max(sweep, key=lambda row: row["images_per_s"])
    reached = throughput_at(chosen, sweep)
    tuning_s = trace[-1]["tuning_s"] if trace else 0.0
    return {
        "chosen": chosen,
        "chosen_images_per_s": reached,
        "best": best["learners"],
        "best_images_per_s": best["images_per_s"],
        "ratio": reached / best["images_per_s"],
        "tuning_s": tuning_s,
        "train_s": train_s,
        "share": tuning_s / train_s,
    }


def throughput_at(m: int, sweep: list[dict[str, Any]]) -> float:
    """Images per second of m learners, where need be between the sweep's neighbours of m."""
    return float(
        np.interp(m, [row["learners"] for row in sweep], [row["images_per_s"] for row in sweep])
    )


def refuse(cell: Any, learners: Any) -> None:
    """Refuse a cell that can't be tuned, or whose learners can't be swept.

    Raises:
        ConfigError: that; one sentence.
    """
    validate(cell, {"type": "object"}, "CELL")
    refuse_cell(cell | {"learners": "auto"}, "CELL")
    if cell["system"] != "crossbow":
        raise ConfigError(f"CELL.system: {cell['system']} has no learners to tune; use crossbow")
    if cell.get("learners", "auto") != "auto":
        raise ConfigError(
            "CELL.learners: the tuner chooses them; --learners has those of the sweep"
        )
    refuse_cell(cell | {"learners": learners}, "CELL")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuning", description=__doc__)
    parser.add_argument("cell", type=json.loads, help="RunSpec fields as JSON, without learners")
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--learners", type=json.loads, default=LEARNERS, help="the sweep, as JSON")
    parser.add_argument("--stretch", default=str(STRETCH_S), help="seconds of a stretch")
    options = parser.parse_args()
    try:
        refuse(options.cell, options.learners)
    except ConfigError as error:
        parser.error(str(error))
    options.out.mkdir(parents=True, exist_ok=True)
    swept = options.cell | {"learners": options.learners}
    sweep = list(measured(swept, options.data, SWEEP_S, ("--stretch", options.stretch)))
    spec = spec_of(options.cell | {"learners": "auto"})
    if not sweep:
        parser.error("no number of learners could be measured")
    on_ranks(spec, options.data, functools.partial(train, sweep=sweep, out=options.out))
    print((options.out / "tuning.json").read_text())


if __name__ == "__main__":
    main()
