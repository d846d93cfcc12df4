"""What systems say they handed over is what torch's profiler saw them hand over."""

import math
from pathlib import Path

from one_group import trained
from torch.profiler import ProfilerActivity, profile

from data_prep.records import open_records
from models.weights import export

NETWORK = str(Path(__file__).parent / "normed.py")
FIELDS = {"model": "normed", "model_source": NETWORK, "devices": 2, "batch": 8}
ITERATIONS = 10
# Not powersgd, whose sums are in part begun by gloo's threads, which the profiler does not see.
SYSTEMS = {
    "pytorch": {},
    "topk": {},
    "sufficient-factors": {},
    "noise-scale": {"max_batch": 16},  # iterations stay as many
}


def bytes_of_second_epoch(system):
    """As told, and as handed over; in the first DistributedDataParallel sets up its buckets."""
    system.train_epoch(0)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiled:
        told = system.train_epoch(1).sent_bytes
    shapes = [event.input_shapes for event in profiled.events() if event.name.startswith("gloo:")]
    return {"told": told, "handed_over": 4 * sum(math.prod(shape) for (shape,) in shapes)}


def test_nothing_is_sent_that_is_not_told(spec, digits, first, tmp_path):
    cells = [spec(name, method=method, **FIELDS) for name, method in SYSTEMS.items()]
    records, weights = first(open_records(digits), 2 * 8 * ITERATIONS), tmp_path / "weights.npz"
    export("normed", records.shape, records.classes, 1, weights, NETWORK)
    losses = 4 * ITERATIONS  # a number of each iteration, for epochs.csv
    for cell, ranks in zip(
        cells, trained(cells, bytes_of_second_epoch, records, weights, tmp_path), strict=True
    ):
        for rank in ranks:
            assert rank["told"] > 0, cell.system
            assert rank["handed_over"] == rank["told"] + losses, cell.system
