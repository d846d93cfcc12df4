"""When which kernel ran: `python -m benchmarks.timeline CELL_JSON --out FOLDER`.

Profiles some iterations of Crossbow on the first two of the cell's devices, or on `--ranks`. Writes
of those in the middle:
- timeline.csv: rank, stream, kind (compute or all-reduce), number of kernels, start and end in
  microseconds since the rank's first. Kernels of a stream that follow each other closely are one
  row.
- overlap.json: how many kernels ran at once on average while any did; the share of all-reduce time
  during which something else computed; and the kernels that took longest, as shares of the sum of
  all computing kernels' time.

Each rank leaves what it found as soon as it has it. Where a rank dies, the others' count, and the
command ends with a sentence and the code 1.
"""

import argparse
import functools
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch.distributed
from torch.profiler import ProfilerActivity, profile, schedule

from bench import record
from bench.spec import RunSpec
from benchmarks.kernel_times import longest, middle, overlap, spans
from benchmarks.plan import one_spec
from benchmarks.results import folder, write_result
from benchmarks.systems import on_ranks, prepared

COLUMNS = "rank,stream,kind,kernels,start_us,end_us".split(",")
KERNEL = "kernel"  # as the profiler calls them
WARM_UP = 30  # iterations with the profiler on, as its first are slow; not kept
# At the edges a rank may wait for another that is late, and the last all-reduce has nothing to
# overlap: what is kept of the iterations is the middle third.
ITERATIONS = 6
# In two ranks: of the one that the other waits for, the all-reduce is short.
PROFILED = 2


def trace(
    rank: int, spec: RunSpec, data: Path, weights: Path, out: Path, ranks: Sequence[int]
) -> None:
    """Train one rank; if it is one of `ranks`, profile it and leave its `_part` in `out`."""
    system = prepared(rank, spec, data, weights)
    # One window: a second start of the profiler in a process is one more chance to crash.
    window = schedule(wait=0, warmup=1, active=1, repeat=1)
    watch = functools.partial(profile, activities=[ProfilerActivity.CUDA], schedule=window)
    with watch() if rank in ranks else nullcontext() as profiler:
        for iterations in (WARM_UP, ITERATIONS):
            there = system.begin(system.feed.plan(0), 0, 0)
            system.drain()
            _meet(spec)  # a rank that is late has the others' all-reduces wait for it
            if profiler and iterations == ITERATIONS:
                profiler.step()
            # An epoch has few where many devices have many learners: past its end is no image.
            system.run(0, 0, min(iterations, there))
            system.drain()
    if profiler:
        exported = weights.parent / f"trace-{rank}.json"
        profiler.export_chrome_trace(str(exported))
        record.write_json(_part(out, rank), _found(exported))
    _meet(spec)  # no rank leaves the others before all have written


def _meet(spec: RunSpec) -> None:
    if spec.devices > 1:
        torch.distributed.barrier()


def _found(exported: Path) -> dict[str, Any]:
    events = json.loads(exported.read_text())["traceEvents"]
    kernels = middle([event for event in events if event.get("cat") == KERNEL])
    return {"overlap": overlap(kernels) | {"longest": longest(kernels)}, "spans": spans(kernels)}


def _part(out: Path, rank: int) -> Path:
    return out / f"timeline-of-{rank}.json"


def merge(out: Path, spec: RunSpec, ranks: Sequence[int]) -> list[int]:
    """Make the two files of the ranks' parts, which are gone then; the ranks that left none."""
    parts = {rank: path for rank in ranks if (path := _part(out, rank)).exists()}
    found = {rank: record.read_json(path) for rank, path in parts.items()}
    if found:
        rows = [{"rank": rank, **span} for rank, one in found.items() for span in one["spans"]]
        record.write_table(out / "timeline.csv", COLUMNS, rows)
        figures = {f"rank {rank}": one["overlap"] for rank, one in found.items()}
        write_result(out / "overlap.json", {"run": spec.to_dict(), **figures})
    for path in parts.values():
        path.unlink()
    return [rank for rank in ranks if rank not in found]


def _refuse(spec: RunSpec) -> None:
    if spec.system != "crossbow":
        sys.exit(f"a timeline is of Crossbow's learners, and the cell's system is {spec.system}")
    if spec.device_type != "cuda":
        sys.exit(
            f"a timeline is of kernels on GPUs: the cell asks for {spec.devices} x "
            f"{spec.device_type}"
        )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timeline", description=__doc__)
    parser.add_argument("cell", type=one_spec, help="RunSpec fields as JSON")
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=folder, required=True)
    parser.add_argument("--ranks", type=int, nargs="+", help="whose kernels are profiled")
    options = parser.parse_args()
    spec = options.cell
    _refuse(spec)
    ranks = sorted(set(options.ranks or range(min(PROFILED, spec.devices))))
    if not set(ranks) <= set(range(spec.devices)):
        parser.error(f"the cell's ranks are 0 to {spec.devices - 1}")
    options.out.mkdir(parents=True, exist_ok=True)
    for rank in range(spec.devices):  # of a call that was killed
        _part(options.out, rank).unlink(missing_ok=True)
    lost = ""
    try:
        on_ranks(spec, options.data, functools.partial(trace, out=options.out, ranks=ranks))
    except (ChildProcessError, TimeoutError) as error:
        lost = str(error)
    finally:
        missing = merge(options.out, spec, ranks)
    if lost:
        lacks = " and ".join(f"rank {rank}" for rank in missing) or "no rank"
        sys.exit(f"{lost}; {options.out} lacks {lacks}; try --ranks 0, or another rank alone")
    print((options.out / "overlap.json").read_text())


if __name__ == "__main__":
    main()
