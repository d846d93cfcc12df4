"""When which kernel ran: `python -m benchmarks.timeline CELL_JSON --out FOLDER`.

Profiles a few iterations of Crossbow on each of the cell's devices and writes timeline.csv, one row
a kernel: rank, stream, kind (compute or all-reduce), name, start and end in microseconds. Then
overlap.json: how many kernels ran at once on average while any did, and the share of all-reduce
time during which something else computed.
"""

import argparse
import csv
import functools
import json
import tempfile
from pathlib import Path
from typing import Any

from torch.profiler import ProfilerActivity, profile

from bench import record
from bench.clock import Ledger
from bench.ranks import on_devices
from bench.spec import RunSpec
from bench.system import Context
from benchmarks.cell import records_of, spec_of
from crossbow_impl.train import Crossbow
from models.weights import export

COLUMNS = "rank,stream,kind,name,start_us,end_us".split(",")
ITERATIONS = 4


def trace(rank: int, spec: RunSpec, data: Path, weights: Path) -> None:
    """Profile one rank; its kernels go to a file beside the weights."""
    context = Context(
        spec=spec, records=records_of(spec.dataset, data), weights=weights, out=weights.parent,
        rank=rank, ranks=spec.devices,
    )  # fmt: skip
    system = Crossbow(context)
    system.prepare(Ledger())
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
    record.write_table(weights.parent / f"kernels-{rank}.csv", COLUMNS, rows(rank, kernels))


def rows(rank: int, kernels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The table's rows, in order of time, from the rank's first kernel on."""
    kernels = sorted(kernels, key=lambda kernel: kernel["ts"])
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


def main() -> None:
    """Trace every rank of one cell and join the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timeline", description=__doc__)
    parser.add_argument("cell", help="RunSpec fields as JSON")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    spec = spec_of(json.loads(options.cell))
    records = records_of(spec.dataset, options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "weights.npz"
        export(spec.model, records.shape, records.classes, spec.seed, weights)
        on_devices(spec, functools.partial(trace, spec=spec, data=options.data, weights=weights))
        found = []
        for rank in range(spec.devices):
            with (Path(folder) / f"kernels-{rank}.csv").open(newline="") as file:
                for row in csv.DictReader(file):
                    times = {name: float(row[name]) for name in ("start_us", "end_us")}
                    found.append({**row, **times})
    record.write_table(options.out / "timeline.csv", COLUMNS, found)
    figures = {
        f"rank {rank}": overlap([k for k in found if k["rank"] == str(rank)])
        for rank in range(spec.devices)
    }
    record.write_json(options.out / "overlap.json", {"run": spec.to_dict(), **figures})
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
