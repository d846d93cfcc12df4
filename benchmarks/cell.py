"""One process of `benchmarks.engine`: a JSON row per number of learners on standard output.

A figure is the median of `REPEATS` stretches of at least `STRETCH_S` seconds of training on real
batches, with the device drained at both ends, after a stretch that is thrown away.
"""

import argparse
import dataclasses
import functools
import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench import endings
from bench.spec import RunSpec
from bench.systems import KERAS
from benchmarks.systems import on_ranks, prepared, spec_of
from workflows.seconds import seconds

STRETCH_S, REPEATS = 1.0, 3


def measure(
    rank: int, spec: RunSpec, learners: list[int], stretch_s: float, data: Path, weights: Path
) -> None:
    """Sweep the learners on one rank; rank 0 prints."""
    started = time.monotonic()
    system = prepared(rank, spec, data, weights)
    for m in learners:
        if spec.variant and m != len(system.learners) and not system.resize(m):
            print(f"{m} learners do not fit", file=sys.stderr)
            break
        prepared_s = time.monotonic() - started
        figures = [throughput(system, stretch_s) for _ in range(1 + REPEATS)][1:]
        memory = peak_memory(system)
        if rank == 0:
            row = dataclasses.asdict(spec) | {
                "learners": m,
                "images_per_s": round(median(figures), 1),
                "spread": round((max(figures) - min(figures)) / median(figures), 4),
                "memory_bytes": memory,
                "prepared_s": round(prepared_s, 1),
            }
            print(json.dumps(row), flush=True)
        started = time.monotonic()


def peak_memory(system: Any) -> int | None:
    """The most bytes of its device that training took until now; None on a CPU."""
    if system.spec.system in KERAS:
        return system.peak_memory()
    system.memory.note()
    return system.memory.bytes


def throughput(system: Any, stretch_s: float = STRETCH_S) -> float:
    """Images per second, on all devices, of one stretch of at least `stretch_s` seconds."""
    system.drain()
    start, images, left = time.monotonic(), 0, 0
    while True:
        # Handing over an epoch takes a while too, as in a run: not too often, then. Every rank has
        # to do as many iterations; whether they were enough is for the clock of rank 0 to say.
        most = 500 if system.spec.graph else 20
        if system.spec.variant:
            count = min(system.begin(system.feed.plan(0), 0, 0), most)
            system.run(0, 0, count)
        elif system.spec.system in KERAS:  # whose input pipeline takes longer to open
            left = left or len(system.begin(0))
            count = min(left, most)
            system.run(count)
            left -= count
        else:
            count = min(len(system.begin(0)), most)
            system.run(count)
        images += count * system.images
        system.drain()
        elapsed = time.monotonic() - start
        if system.agree(elapsed >= stretch_s):
            return images / elapsed


def main() -> None:
    """Sweep one cell; its `learners` may be a list. A failure is one line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cell", description=__doc__)
    parser.add_argument("cell", type=json.loads, help="RunSpec fields as JSON")
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--stretch", type=seconds, default=STRETCH_S, help="seconds of a stretch")
    options = parser.parse_args()
    learners = options.cell.pop("learners", [1])
    learners = learners if isinstance(learners, list) else [learners]
    work = functools.partial(measure, learners=learners, stretch_s=options.stretch)
    spec = spec_of({**options.cell, "learners": learners[0]})
    if spec.device_type == "cuda" and spec.system not in KERAS:
        import torch  # TensorFlow's process has none

        if not torch.backends.cuda.is_built():
            sys.exit("the torch here is a build for CPUs; `make gpu` installs the one for GPUs")
    try:
        on_ranks(spec, options.data, work)
    except (ChildProcessError, TimeoutError) as error:  # of a rank; a sentence
        sys.exit(str(error))
    except (AssertionError, AttributeError, LookupError, TypeError):
        raise  # the suite's own mistakes, whose place in the code is what helps
    except Exception as error:
        sys.exit(endings.failure(error)["reason"])


if __name__ == "__main__":
    main()
