"""What the times of a GPU's kernels say: which ran at once, and beside which all-reduce."""

from collections import Counter
from typing import Any

GAP_US = 1.0  # kernels of a stream less than this apart are one span


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
