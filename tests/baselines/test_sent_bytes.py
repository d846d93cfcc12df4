"""What systems say they handed over is what torch's profiler saw them hand over."""

import functools
import math
import pkgutil
from pathlib import Path

import numpy as np
from torch.profiler import ProfilerActivity, profile

from bench.clock import Ledger
from bench.ranks import on_devices
from bench.system import Context
from data_prep.records import open_records
from models.weights import export

NETWORK = str(Path(__file__).parent / "frozen.py")  # of what is frozen nothing is sent
FIELDS = {"model": "frozen", "model_source": NETWORK, "devices": 2, "batch": 8}
ITERATIONS = 10
# Not powersgd, whose sums are in part begun by gloo's threads, which the profiler does not see.
SYSTEMS = {
    "pytorch": ("baselines.pytorch_ssgd:PyTorchSSGD", {}),
    "topk": ("baselines.topk:TopK", {}),
    "sufficient-factors": ("baselines.sufficient_factors:SufficientFactors", {}),
    # Iterations stay as many.
    "noise-scale": ("baselines.noise_scale:NoiseScale", {"max_batch": 16}),
    "local-sgd": ("baselines.local_sgd:LocalSGD", {"period": 3}),
    # It gathers frozen parts as well.
    "fsdp": ("baselines.fsdp:FSDP", {}),
}


def train(rank, cells, context):
    """All systems in one group of processes, which is what takes long to start."""
    for cell in cells:
        system = pkgutil.resolve_name(SYSTEMS[cell.system][0])(context(spec=cell, rank=rank))
        system.prepare(Ledger())
        np.savez(context.keywords["out"] / f"{cell.system}-{rank}.npz", **second_epoch(system))


def second_epoch(system):
    """Bytes as told, and as handed over; in the first epoch torch sets up its buckets."""
    system.train_epoch(0)
    system.evaluated = lambda: system.tested  # what an evaluation needs is not told
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiled:
        told = system.train_epoch(1).sent_bytes
    shapes = [event.input_shapes for event in profiled.events() if event.name.startswith("gloo:")]
    return {"told": told, "handed_over": 4 * sum(math.prod(shape) for (shape,) in shapes)}


def test_nothing_is_sent_that_is_not_told(spec, digits, first, tmp_path):
    cells = [spec(name, method=method, **FIELDS) for name, (_, method) in SYSTEMS.items()]
    records, weights = first(open_records(digits), 2 * 8 * ITERATIONS), tmp_path / "weights.npz"
    export("frozen", records.shape, records.classes, 1, weights, NETWORK)
    context = functools.partial(Context, records=records, weights=weights, out=tmp_path, ranks=2)
    on_devices(cells[0], functools.partial(train, cells=cells, context=context))
    losses = 4 * ITERATIONS  # a number of each iteration, for epochs.csv
    for name in SYSTEMS:
        for rank in range(2):
            seen = np.load(tmp_path / f"{name}-{rank}.npz")
            assert seen["told"] > 0, name
            assert seen["handed_over"] == seen["told"] + losses, name
