"""The auto-tuner beside exhaustive search: `python -m benchmarks.tuning CELL_JSON --out FOLDER`.

Sweeps fixed numbers of learners as `benchmarks.engine` does, then trains the cell's `epochs` with
`learners: auto`. Writes tuning.csv, the sweep's rows and the tuner's samples, and tuning.json: what
was chosen, what would have been best by the sweep, and the seconds that tuning and training took.
"""

import argparse
import functools
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench import record
from bench.spec import RunSpec
from benchmarks.cell import STRETCH_S
from benchmarks.engine import ending_at_sigterm, measured
from benchmarks.plan import OF_A_RUN, one_spec, refuse_cell
from benchmarks.results import folder, write_result
from benchmarks.systems import on_ranks, prepared, spec_of
from crossbow_impl.train import Crossbow
from workflows.seconds import seconds
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


def tunable(text: str) -> dict[str, Any]:
    """CELL: what commands that measure one cell take, of Crossbow, without learners.

    Raises:
        argparse.ArgumentTypeError: it can't be tuned here; one sentence.
    """
    spec, cell = one_spec(text), dict(json.loads(text))
    if spec.system != "crossbow":
        raise argparse.ArgumentTypeError(
            f"CELL.system: {spec.system} has no learners to tune; use crossbow"
        )
    if cell.pop("learners", "auto") != "auto":
        raise argparse.ArgumentTypeError(
            "CELL.learners: the tuner chooses them; --learners has those of the sweep"
        )
    return cell


def numbers(text: str) -> list[int]:
    """Numbers of learners, which are a JSON list, from the least to the most.

    Raises:
        argparse.ArgumentTypeError: it is something else; one sentence.
    """
    try:
        learners = json.loads(text)
        one = OF_A_RUN["learners"]["else"]
        validate(learners, {"type": "array", "minItems": 1, "items": one}, "the sweep")
    except ConfigError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"no JSON, {error}") from None
    return sorted({int(m) for m in learners})


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuning", description=__doc__)
    parser.add_argument("cell", type=tunable, help="RunSpec fields as JSON, without learners")
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=folder, required=True)
    parser.add_argument("--learners", type=numbers, default=LEARNERS, help="the sweep, as JSON")
    parser.add_argument("--stretch", type=seconds, default=STRETCH_S, help="seconds of a stretch")
    options = parser.parse_args()
    tuned, swept = (options.cell | {"learners": m} for m in ("auto", options.learners))
    try:
        for cell in (tuned, swept):
            refuse_cell(cell, "CELL")
    except ConfigError as error:
        parser.error(str(error))
    options.out.mkdir(parents=True, exist_ok=True)
    with ending_at_sigterm():
        sweep = list(measured(swept, options.data, SWEEP_S, ("--stretch", str(options.stretch))))
    if not sweep:
        sys.exit("no number of learners could be measured")
    work = functools.partial(train, sweep=sweep, out=options.out)
    on_ranks(spec_of(tuned), options.data, work)
    print((options.out / "tuning.json").read_text())


if __name__ == "__main__":
    main()
