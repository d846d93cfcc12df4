"""From a cell, which is a RunSpec's fields as JSON, to a system that is ready to train.

A process of TensorFlow's imports no torch, whose CUDA libraries are others; hence imports inside.
"""

import functools
import multiprocessing
import os
import pkgutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.clock import Ledger
from bench.spec import RELEASED, RunSpec
from bench.system import Context
from bench.systems import KERAS
from benchmarks.synthetic import synthetic
from data_prep.manifest import RecordsError
from data_prep.records import Records, open_records
from models.weights import export

KINDS = {
    "crossbow": "crossbow_impl.train:Crossbow",
    "pytorch": "baselines.pytorch_ssgd:PyTorchSSGD",
    "tensorflow": "baselines.tensorflow_ssgd:TensorFlowSSGD",
}


def spec_of(cell: dict[str, Any]) -> RunSpec:
    """The RunSpec of a cell, with the benchmark's defaults."""
    fields = defaulted(cell)
    return RunSpec(**fields | {"alpha": None if fields["alpha"] == "1/k" else fields["alpha"]})


def defaulted(cell: dict[str, Any]) -> dict[str, Any]:
    """The cell with what a run has to have besides, by the benchmark's choice."""
    averaging = {"variant": RELEASED, "mu": 0.9} if cell["system"] == "crossbow" else {}
    return {
        **averaging,
        "alpha": "1/k",
        "device_type": "cuda",
        "seed": 1,
        "epochs": 1,
        "target": 0.9,
        "lr": 0.01,
        "momentum": 0.9,
        "weight_decay": 1e-4,
        "augmentation": "crop_flip",
        **cell,
    }


def records_of(dataset: str, data: Path) -> Records:
    """Prepared records, or random ones that the name of the dataset describes."""
    random = synthetic(dataset)
    return random.records() if random else open_records(data / dataset)


def on_ranks(spec: RunSpec, data: Path, work: Callable[..., None]) -> None:
    """Call `work(rank, spec=, data=, weights=)` once per rank: in a process each, for torch.

    The folder of `weights` is shared by the ranks, and gone afterwards.

    Raises:
        SystemExit: there are no such records in `data`; says how to make them.
    """
    os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "32"  # as bench.launch has it; CUDA starts later
    try:
        # Random images are drawn by each rank, and not here too.
        records = synthetic(spec.dataset) or open_records(data / spec.dataset)
    except RecordsError as error:
        sys.exit(str(error))
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "weights.npz"
        drawn = (
            spec.model, records.shape, records.classes, spec.seed, weights, spec.model_source
        )  # fmt: skip
        work = functools.partial(work, spec=spec, data=data, weights=weights)
        if spec.system in KERAS:
            drawing = multiprocessing.get_context("spawn").Process(target=export, args=drawn)
            drawing.start()
            drawing.join()
            work(0)
        else:
            from bench.ranks import on_devices

            export(*drawn)
            on_devices(spec, work)


def prepared(rank: int, spec: RunSpec, data: Path, weights: Path) -> Any:
    """The rank's system, of those in `KINDS`: compiled, captured, ready to train."""
    context = Context(
        spec=spec, records=records_of(spec.dataset, data), weights=weights, out=weights.parent,
        rank=rank, ranks=spec.devices,
    )  # fmt: skip
    system = pkgutil.resolve_name(KINDS[spec.system])(context)
    system.prepare(Ledger())
    return system
