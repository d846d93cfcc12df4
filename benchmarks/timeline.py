"""When which kernel ran: `python -m benchmarks.timeline CELL_JSON --out FOLDER`.

Profiles some iterations of Crossbow on each of the cell's devices and writes those in the middle to
timeline.csv, one row a kernel: rank, stream, kind (compute or all-reduce), name, start and end in
microseconds. Then overlap.json: how many kernels ran at once on average while any did, and the
share of all-reduce time during which something else computed.
"""

import argparse
import csv
import functools
import json
from pathlib import Path
from typing import Any

from torch.profiler import ProfilerActivity, profile

from bench import record
from bench.spec import RunSpec
from benchmarks.systems import on_ranks, prepared, spec_of
from crossbow_impl.train import Crossbow

COLUMNS = "rank,stream,kind,name,start_us,end_us".split(",")
# At the edges a rank may wait for another that is late, and the last all-reduce has nothing to
# overlap: what is kept of the iterations is the middle third.
ITERATIONS = 6


def trace(rank: int, spec: RunSpec, out: Path, data: Path, weights: Path) -> None:
    """Profile one rank; rank 0 writes the files."""
    system = prepared(rank, spec, data, weights)
    assert isinstance(system, Crossbow)
    for warm in (True, False):
        system.begin(system.feed.plan(0), 0, 0)
        system.drain()
        system.agree(True)  # every rank has to be here, or the others' all-reduces wait for it
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            system.run(0, 0, 30 if warm else ITERATIONS)
            system.drain()
    exported = weights.parent / f"trace-{rank}.json"
    profiler.export_chrome_trace(str(exported))
    events = json.loads(exported.read_text())["traceEvents"]
    kernels = [event for event in events if event.get("cat") == "kernel"]
    record.write_table(weights.parent / f"kernels-{rank}.csv", COLUMNS, rows(rank, middle(kernels)))
    system.agree(True)
    if rank == 0:
        join(spec, weights.parent, out)


def middle(kernels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The middle third by number, in order of time: every iteration has as many kernels."""
    kernels = sorted(kernels, key=lambda kernel: kernel["ts"])
    return kernels[len(kernels) // 3 : 2 * len(kernels) // 3]


def rows(rank: int, kernels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The table's rows; time starts with the rank's first kernel."""
    origin = kernels[0]["ts"] if kernels else 0
    return [
        {
            "rank": rank,
            "stream": kernel["args"].get("stream", kernel["tid"]),
            "kind": "all-reduce" if "nccl" in kernel["name"].lower() else "compute",
            "name": kernel["name"][:60],
            "start_us": round(kernel["ts"] - origin, 3),
            "end_us": round(kernel["ts"] - origin + kernel["dur"], 3),
        }
        for kernel in kernels
    ]


def overlap(kernels: list[dict[str, Any]]) -> dict[str, float]:
    """Mean number of kernels at once, and the share of all-reduce time that is overlapped."""
    compute = [(k["start_us"], k["end_us"]) for k in kernels if k["kind"] == "compute"]
    reduce = [(k["start_us"], k["end_us"]) for k in kernels if k["kind"] == "all-reduce"]
    busy = _union(compute)
    covered = sum(
        max(0.0, min(end, b) - max(start, a)) for start, end in _union(reduce) for a, b in busy
    )
    return {
        "kernels_at_once": sum(e - s for s, e in compute) / max(sum(e - s for s, e in busy), 1e-9),
        "all_reduce_us": sum(e - s for s, e in _union(reduce)),
        "all_reduce_overlapped": covered / max(sum(e - s for s, e in _union(reduce)), 1e-9),
    }


def _union(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def join(spec: RunSpec, folder: Path, out: Path) -> None:
    """Write timeline.csv and overlap.json from the ranks' tables in `folder`."""
    kernels = []
    for rank in range(spec.devices):
        with (folder / f"kernels-{rank}.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                times = {name: float(row[name]) for name in ("start_us", "end_us")}
                kernels.append({**row, **times})
    record.write_table(out / "timeline.csv", COLUMNS, kernels)
    figures = {
        f"rank {rank}": overlap([k for k in kernels if k["rank"] == str(rank)])
        for rank in range(spec.devices)
    }
    record.write_json(out / "overlap.json", {"run": spec.to_dict(), **figures})


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timeline", description=__doc__)
    parser.add_argument("cell", type=json.loads, help="RunSpec fields as JSON")
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    on_ranks(spec_of(options.cell), options.data, functools.partial(trace, out=options.out))
    print((options.out / "overlap.json").read_text())


if __name__ == "__main__":
    main()
