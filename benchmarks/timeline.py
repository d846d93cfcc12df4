"""When which kernel ran: `python -m benchmarks.timeline CELL_JSON --out FOLDER`.

Profiles some iterations of Crossbow on each of the cell's devices. Writes of those in the middle:
- timeline.csv: rank, stream, kind (compute or all-reduce), number of kernels, start and end in
  microseconds since the rank's first. Kernels of a stream less than `GAP_US` apart are one row.
- overlap.json: how many kernels ran at once on average while any did; the share of all-reduce time
  during which something else computed; and the kernels that took longest, as shares of the sum of
  all computing kernels' time.
"""

import argparse
import functools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import torch.distributed
from torch.profiler import ProfilerActivity, profile

from bench import record
from bench.spec import RunSpec
from benchmarks.results import write_result
from benchmarks.systems import on_ranks, prepared, spec_of
from crossbow_impl.train import Crossbow

COLUMNS = "rank,stream,kind,kernels,start_us,end_us".split(",")
GAP_US = 1.0
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
        _meet(spec)  # a rank that is late has the others' all-reduces wait for it
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            system.run(0, 0, 30 if warm else ITERATIONS)
            system.drain()
    exported = weights.parent / f"trace-{rank}.json"
    profiler.export_chrome_trace(str(exported))
    events = json.loads(exported.read_text())["traceEvents"]
    kernels = middle([event for event in events if event.get("cat") == "kernel"])
    found = {
        "overlap": overlap(kernels) | {"longest": longest(kernels)},
        "spans": [{"rank": rank, **span} for span in spans(kernels)],
    }
    record.write_json(weights.parent / f"found-{rank}.json", found)
    _meet(spec)
    if rank == 0:
        ranks = [record.read_json(weights.parent / f"found-{r}.json") for r in range(spec.devices)]
        rows = [row for found in ranks for row in found["spans"]]
        record.write_table(out / "timeline.csv", COLUMNS, rows)
        figures = {f"rank {r}": found["overlap"] for r, found in enumerate(ranks)}
        write_result(out / "overlap.json", {"run": spec.to_dict(), **figures})


def _meet(spec: RunSpec) -> None:
    if spec.devices > 1:
        torch.distributed.barrier()


def middle(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The middle third, in order of time: every iteration has as many kernels."""
    events = sorted(events, key=lambda event: event["ts"])
    events = events[len(events) // 3 : 2 * len(events) // 3]
    return [
        {
            "stream": event["args"].get("stream", event["tid"]),
            "kind": "all-reduce" if "nccl" in event["name"].lower() else "compute",
            "name": event["name"],
            "start_us": event["ts"] - events[0]["ts"],
            "end_us": event["ts"] - events[0]["ts"] + event["dur"],
        }
        for event in events
    ]


def spans(kernels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A stream's kernels, in order of time, joined where they follow each other closely."""
    found: list[dict[str, Any]] = []
    last: dict[tuple[str, str], dict[str, Any]] = {}
    for kernel in kernels:
        lane = (kernel["stream"], kernel["kind"])
        if lane in last and kernel["start_us"] - last[lane]["end_us"] < GAP_US:
            last[lane]["kernels"] += 1
        else:
            last[lane] = {"stream": lane[0], "kind": lane[1], "kernels": 1}
            last[lane]["start_us"] = round(kernel["start_us"], 1)
            found.append(last[lane])
        last[lane]["end_us"] = round(kernel["end_us"], 1)
    return found


def longest(kernels: list[dict[str, Any]]) -> dict[str, float]:
    """The kernels with the largest shares of all computing kernels' time."""
    times: Counter[str] = Counter()
    for kernel in kernels:
        if kernel["kind"] == "compute":
            times[kernel["name"][:60]] += kernel["end_us"] - kernel["start_us"]
    total = max(sum(times.values()), 1e-9)
    return {name: round(time / total, 4) for name, time in times.most_common(8)}


def overlap(kernels: list[dict[str, Any]]) -> dict[str, Any]:
    """Mean number of kernels at once, and the share of all-reduce time that is overlapped."""
    compute = [(k["start_us"], k["end_us"]) for k in kernels if k["kind"] == "compute"]
    reduce = _union([(k["start_us"], k["end_us"]) for k in kernels if k["kind"] == "all-reduce"])
    busy = _union(compute)
    covered = sum(max(0.0, min(end, b) - max(start, a)) for start, end in reduce for a, b in busy)
    return {
        "kernels_at_once": _length(compute) / max(_length(busy), 1e-9),
        "all_reduce_us": _length(reduce),
        "all_reduce_overlapped": covered / max(_length(reduce), 1e-9),
    }


def _length(spans: list[tuple[float, float]]) -> float:
    return sum(end - start for start, end in spans)


def _union(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


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
