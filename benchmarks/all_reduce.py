"""Seconds of an all-reduce by bytes: `python -m benchmarks.all_reduce --out DIR --call NAME`.

Sums float32 between 2 and more devices as the systems do, gloo between CPUs and NCCL between GPUs.
A figure is the median of `ROUNDS` rounds of some all-reduces, one right after the other, on rank 0.
Appends rows to DIR/all_reduce.csv, with the machine beside it in DIR/all_reduce-NAME.json.
"""

import argparse
import functools
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import torch
import torch.distributed as dist

from bench import record
from bench.ranks import on_devices
from benchmarks.calls import add_call, adding, begin, surroundings
from benchmarks.results import folder
from benchmarks.systems import spec_of
from workflows.validate import ConfigError

COLUMNS = "call,device_type,devices,bytes,seconds,least_s,most_s".split(",")
KIB = 2**10
SIZES = [4 * KIB, 64 * KIB, 512 * KIB, 2048 * KIB, 8192 * KIB, 32768 * KIB, 131072 * KIB]
ROUNDS = 9
ROUND_S = 0.1  # at least; a round of small sums has many


def measure(rank: int, device_type: str, sizes: list[int], out: Path) -> None:
    """Time every size on one rank; rank 0 leaves the rows in `out`."""
    device = torch.device(device_type, rank if device_type == "cuda" else 0)
    rows = []
    for size in sizes:
        values = torch.zeros(size // 4, device=device)
        once = _seconds(values, 3)
        count = torch.tensor([max(1, min(1000, round(ROUND_S / once)))], device=device)
        dist.broadcast(count, src=0)
        figures = [_seconds(values, int(count)) for _ in range(1 + ROUNDS)][1:]
        found = {"seconds": median(figures), "least_s": min(figures), "most_s": max(figures)}
        rows.append({"bytes": size, **{name: f"{s:.4g}" for name, s in found.items()}})
    if rank == 0:
        record.write_json(out, {"rows": rows})


def _seconds(values: torch.Tensor, count: int) -> float:
    """The mean of `count` sums, from when all ranks have come to when this one has its sums."""
    dist.barrier()
    _drain(values.device)
    started = time.perf_counter()
    for _ in range(count):
        dist.all_reduce(values, async_op=True).wait()
    _drain(values.device)
    return (time.perf_counter() - started) / count


def _drain(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def main() -> None:
    """Measure every size on every number of devices that there are."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.all_reduce", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--device-type", choices=["cpu", "cuda"], default="cuda")
    parser.add_argument("--devices", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="bytes")
    parser.add_argument("--out", type=folder, required=True, metavar="DIR")
    add_call(parser)
    parser.add_argument(
        "--skip-measured", action="store_true",
        help="leave out the sums that this call has in all_reduce.csv",
    )  # fmt: skip
    options = parser.parse_args()
    if min(options.devices) < 2:
        sys.exit(f"--devices {min(options.devices)}: a sum needs two devices or more")
    there = options.devices
    if options.device_type == "cuda":
        there = [count for count in options.devices if count <= torch.cuda.device_count()]
        if not there:
            sys.exit(f"{torch.cuda.device_count()} GPUs are here: --device-type cpu needs none")
    table = options.out / "all_reduce.csv", COLUMNS, options.call
    try:
        done = begin(*table, surroundings(options.device_type))
    except ConfigError as error:
        sys.exit(str(error))
    seen = [(row["devices"], row["bytes"]) for row in done] if options.skip_measured else []
    with adding(*table) as add, tempfile.TemporaryDirectory() as parts:
        for devices in there:
            sizes = [size for size in options.sizes if (str(devices), str(size)) not in seen]
            if not sizes:
                print(f"{devices} devices: all sums of this call are there")
                continue
            cell = {"system": "pytorch", "model": "lenet", "dataset": "digits", "batch": 1}
            spec = spec_of(cell | {"devices": devices, "device_type": options.device_type})
            found = Path(parts, f"{devices}.json")
            work = functools.partial(
                measure, device_type=options.device_type, sizes=sizes, out=found
            )
            on_devices(spec, work)
            for row in record.read_json(found)["rows"]:
                add({"device_type": options.device_type, "devices": devices} | row)
                print(devices, row["bytes"], row["seconds"], flush=True)


if __name__ == "__main__":
    main()
