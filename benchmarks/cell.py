"""One process of `benchmarks.engine`: a JSON row per number of learners on standard output.

A figure is the median of `REPEATS` stretches of at least `STRETCH_S` seconds of training on real
batches, with the device drained at both ends, after a stretch that is thrown away.
"""

import dataclasses
import functools
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

from baselines.pytorch_ssgd import PyTorchSSGD
from bench.clock import Ledger
from bench.ranks import on_devices
from bench.spec import RELEASED, RunSpec
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.records import Records, open_records
from models.weights import export

STRETCH_S, REPEATS = 1.0, 3
SYNTHETIC_SAMPLES = 2048


def measure(rank: int, spec: RunSpec, learners: list[int], data: Path, weights: Path) -> None:
    """Sweep the learners on one rank; rank 0 prints."""
    records = records_of(spec.dataset, data)
    context = Context(
        spec=spec, records=records, weights=weights, out=weights.parent, rank=rank,
        ranks=spec.devices,
    )  # fmt: skip
    started = time.monotonic()
    system = (Crossbow if spec.variant else PyTorchSSGD)(context)
    system.prepare(Ledger())
    for m in learners:
        if isinstance(system, Crossbow) and m != len(system.learners):
            try:
                system.resize(m)
            except torch.OutOfMemoryError:
                print(f"{m} learners do not fit", file=sys.stderr)
                break
        prepared_s = time.monotonic() - started
        torch.cuda.reset_peak_memory_stats()
        figures = [throughput(system) for _ in range(1 + REPEATS)][1:]
        if rank == 0:
            row = dataclasses.asdict(spec) | {
                "learners": m,
                "images_per_s": round(median(figures), 1),
                "spread": round((max(figures) - min(figures)) / median(figures), 4),
                "memory_bytes": torch.cuda.max_memory_allocated(),
                "prepared_s": round(prepared_s, 1),
            }
            print(json.dumps(row), flush=True)
        started = time.monotonic()


def throughput(system: Crossbow | PyTorchSSGD) -> float:
    """Images per second, on all devices, of one stretch."""
    system.drain()
    start, images = time.monotonic(), 0
    while True:
        # Every rank has to do as many iterations: their number comes from the clock of rank 0.
        if isinstance(system, Crossbow):
            count = min(system.begin(system.feed.plan(0), 0, 0), 50)
            system.run(0, 0, count)
        else:
            count = min(len(system.begin(0)), 50)
            for _ in range(count):
                system.step()
        images += count * system.images
        system.drain()
        elapsed = time.monotonic() - start
        if system.agree(elapsed >= STRETCH_S):
            return images / elapsed


def records_of(dataset: str, data: Path) -> Records:
    """Prepared records, or `synthetic-SIDE-CLASSES`: random RGB images, for throughput alone."""
    if not dataset.startswith("synthetic-"):
        return open_records(data / dataset)
    side, classes = map(int, dataset.split("-")[1:])
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (SYNTHETIC_SAMPLES, side, side, 3), np.uint8)
    labels = rng.integers(0, classes, SYNTHETIC_SAMPLES)
    half = np.full(3, 0.5, np.float32)
    return Records(
        name=dataset, train_images=images, train_labels=labels, test_images=images[:8],
        test_labels=labels[:8], classes=classes, shape=(side, side, 3), mean=half, std=half,
        hashes={},
    )  # fmt: skip


def spec_of(cell: dict[str, Any]) -> RunSpec:
    """The RunSpec of a cell, with the benchmark's defaults."""
    averaging = {"variant": RELEASED, "mu": 0.9} if cell["system"] == "crossbow" else {}
    defaults = {
        "device_type": "cuda",
        "seed": 1,
        "epochs": 1,
        "target": 0.9,
        "lr": 0.01,
        "momentum": 0.9,
        "weight_decay": 1e-4,
        "augmentation": "crop_flip",
    }
    return RunSpec(**{**averaging, **defaults, **cell})


def main() -> None:
    """`python -m benchmarks.cell CELL_JSON DATA`."""
    cell, data = json.loads(sys.argv[1]), Path(sys.argv[2])
    learners = cell.pop("learners", [1])
    spec = spec_of({**cell, "learners": learners[0]})
    records = records_of(spec.dataset, data)
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "weights.npz"
        export(spec.model, records.shape, records.classes, spec.seed, weights)
        on_devices(
            spec,
            functools.partial(measure, spec=spec, learners=learners, data=data, weights=weights),
        )


if __name__ == "__main__":
    main()
