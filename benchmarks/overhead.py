"""What telemetry costs a run: `python -m benchmarks.overhead CELL_JSON --out FOLDER`.

Trains in stretches, with the sampler of `bench.launch` at work in a process of its own and without
it, in turns (with, without, without, with, ...), so that a drift of the machine hits both alike.
Writes overhead.json: images per second of both, how much slower the sampled stretch of each pair
was (a fraction; negative where it was faster), samples per second, and the cores that sampling
took. The process that samples imports no torch, hence the imports inside functions.
"""

import argparse
import functools
import multiprocessing
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench import gpus, lifeline, record, telemetry
from bench.spec import RunSpec
from benchmarks.results import folder, write_result
from workflows.seconds import seconds

STRETCH_S, PAIRS = 1.0, 12


def watch(spec: RunSpec, pid: int, path: Path, sampling: Event, results: Connection) -> None:
    """Sample like `bench.launch` while `sampling` is set; send what it took when all is over."""
    lifeline.follow(pid)
    devices = gpus.visible() if spec.device_type == "cuda" else []
    sampler = telemetry.Sampler(spec.id, pid, devices, time.monotonic())
    samples = record.Table(path, record.TELEMETRY_COLUMNS)
    count, wall_s, cpu_s = 0, 0.0, 0.0
    results.send("ready")
    while not results.poll():
        if not sampling.wait(0.01):
            continue
        started, cpu_started = time.monotonic(), time.process_time()
        while sampling.is_set():
            for row in sampler.sample():
                samples.write(row)
            count += 1
            time.sleep(sampler.period_s)
        wall_s += time.monotonic() - started
        cpu_s += time.process_time() - cpu_started
    samples.close()
    results.send({"samples_per_s": count / wall_s, "sampler_cores": cpu_s / wall_s})


def alternate(
    rank: int, spec: RunSpec, pairs: int, stretch_s: float, out: Path, data: Path, weights: Path
) -> None:
    """Train in pairs of stretches and write overhead.json."""
    from benchmarks.cell import throughput
    from benchmarks.systems import prepared

    system = prepared(rank, spec, data, weights)
    spawn = multiprocessing.get_context("spawn")  # CUDA cannot be used after a fork
    sampling, (here, there) = spawn.Event(), spawn.Pipe()
    arguments = (spec, os.getpid(), weights.parent / record.TELEMETRY, sampling, there)
    sampler = spawn.Process(target=watch, args=arguments, daemon=True)
    sampler.start()
    there.close()  # so that to wait for a sampler that has died ends
    assert here.recv() == "ready"
    throughput(system, stretch_s)
    found = in_turns(pairs, sampling, lambda: throughput(system, stretch_s))
    here.send("over")
    taken = here.recv()
    sampler.join()
    write_result(out / "overhead.json", summary(found) | taken | {"run": spec.to_dict()})


def in_turns(pairs: int, sampling: Event, stretch: Callable[[], float]) -> list[dict[bool, float]]:
    """Each pair's throughput of the sampled stretch (True) and of the other (False)."""
    found = []
    for pair in range(pairs):
        figures = {}
        for sampled in (True, False) if pair % 2 == 0 else (False, True):
            (sampling.set if sampled else sampling.clear)()
            figures[sampled] = stretch()
        sampling.clear()
        found.append(figures)
    return found


def summary(found: list[dict[bool, float]]) -> dict[str, Any]:
    """Both medians in images per second, and the paired costs as fractions."""
    costs = [1 - figures[True] / figures[False] for figures in found]
    low, _, high = quantiles(costs, n=4)
    return {
        "images_per_s_sampled": median(figures[True] for figures in found),
        "images_per_s_alone": median(figures[False] for figures in found),
        "cost": median(costs),
        "cost_quartiles": [low, high],
        "cost_range": [min(costs), max(costs)],
        "pairs": len(found),
    }


def main() -> None:
    """The command line."""
    from benchmarks.plan import one_spec
    from benchmarks.systems import on_ranks

    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=__doc__)
    parser.add_argument("cell", type=one_spec, help="RunSpec fields as JSON, of one device")
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=folder, required=True)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--stretch", type=seconds, default=STRETCH_S, help="seconds of a stretch")
    options = parser.parse_args()
    spec = options.cell
    if spec.devices != 1:
        parser.error("this takes a cell of one device")
    if options.pairs < 2:
        parser.error(f"--pairs {options.pairs}: of less than two there are no quartiles")
    options.out.mkdir(parents=True, exist_ok=True)
    settings = {"pairs": options.pairs, "stretch_s": options.stretch, "out": options.out}
    on_ranks(spec, options.data, functools.partial(alternate, **settings))
    print((options.out / "overhead.json").read_text())


if __name__ == "__main__":
    main()
