"""Run a system for a few steps in processes of its own, and keep what it computed.

A job of `forks`, MODULE:CLASS SAMPLES run.json OUTDIR, trains like `python -m MODULE`, on the first
SAMPLES training images alone, and leaves `rank-R.npz` with every step's loss, the final logits
(rank 0) and the state.
"""

import dataclasses
import functools
import importlib
import json
import os
import pkgutil
import sys
from functools import cache
from pathlib import Path

import forks
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DEADLINE_S = 240
TENSORFLOW = ("baselines.tensorflow_ssgd",)
TORCH = ("baselines.pytorch_ssgd", "crossbow_impl.train", "bench.ranks")


def steps(system, spec, records, weights, samples, folder, **environment):
    """What each rank computed: a list of dicts of arrays, one per rank (process).

    `environment` is for what TensorFlow reads as it is imported.
    """
    folder.mkdir()
    state = folder / "state"
    state.mkdir()
    job = {
        "run": spec.id,
        "spec": spec.to_dict(),
        "inputs": {
            "records": str(records),
            "weights": str(weights),
            "state": str(state),
            "records_sha256": {},
            "weights_sha256": "",
        },
        "code": {"sources_sha256": ""},
    }
    (folder / "run.json").write_text(json.dumps(job))
    arguments = [system, str(samples), str(folder / "run.json"), str(folder)]
    modules = TENSORFLOW if system.startswith(TENSORFLOW) else TORCH
    server, printed = _server(modules, tuple(environment.items())), folder / "printed.txt"
    assert forks.call(server, arguments, ROOT, printed, DEADLINE_S) == 0, printed.read_text()
    return [dict(np.load(path)) for path in sorted(folder.glob("rank-*.npz"))]


@cache
def _server(modules, environment):
    """Runs systems that begin with these modules, for as long as this process lives."""
    own = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests"), *filter(None, own)])
    return forks.server(__file__, *modules, PYTHONPATH=path, **dict(environment))


class Recorded:
    """A system that also writes down what it computes."""

    def __init__(self, system, context):
        self.system, self.context = system, context
        self.losses = []

    def __getattr__(self, name):
        return getattr(self.system, name)

    def train_epoch(self, epoch):
        result = self.system.train_epoch(epoch)
        self.losses.append(result.losses)
        return result

    def state(self):
        state = self.system.state()
        rank = self.context.rank
        logits = {"logits": self.system.logits()} if rank == 0 else {}
        losses = np.concatenate(self.losses)
        np.savez(self.context.out / f"rank-{rank}.npz", losses=losses, **logits, **state)
        return state


def recorded(system, samples, context):
    """The system, on the first `samples` training images, recorded."""
    records = context.records
    encoded = hasattr(records, "train_index")
    columns = ("train_index",) if encoded else ("train_images", "train_labels")
    few = {column: getattr(records, column)[:samples] for column in columns}
    context = dataclasses.replace(context, records=dataclasses.replace(records, **few))
    return Recorded(pkgutil.resolve_name(system)(context), context)


def main():
    system, samples = sys.argv[1], int(sys.argv[2])
    sys.argv[1:] = sys.argv[3:]
    from bench import runner

    module = system.partition(":")[0]
    build = functools.partial(recorded, system, samples)
    if module in TENSORFLOW:
        runner.main(build)
    else:
        from bench import ranks

        own = importlib.import_module(module)
        runner.main(build, getattr(own, "spread", ranks.spread))


if __name__ == "__main__":
    for module in sys.argv[1:]:
        importlib.import_module(module)
    forks.serve(main)
