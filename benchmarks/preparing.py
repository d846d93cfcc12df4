"""Images per second of preparing encoded images: `python -m benchmarks.preparing TAR --out DIR`.

TAR is imagenet-sample.tar, which is copied to the number of images asked for. Each figure is of one
whole command, with the start of its processes. The loop that records are compared with is the plain
one over webdataset's ShardWriter, once copying the files, as it mostly is done, and once decoding
each before, as the preparation does. All take turns, `rounds` times; writes preparing.json with all
rounds and the best of each, as whatever else the machine does only takes away; and the CPU time of
an image in one process without its start, which other work changes least.
"""

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import webdataset
from PIL import Image

from benchmarks.results import folder, write_result
from benchmarks.sample_copies import sample_archive, write_copies
from data_prep.options import Options
from data_prep.prepare import prepare

ONE = Options(workers=1)
ROOT = Path(__file__).resolve().parent.parent


def shard_writer(files: list[tuple[Path, int]], folder: Path, decoded: bool) -> None:
    """The plain loop: every file into shards by webdataset, decoded by Pillow before or not."""
    with webdataset.ShardWriter(str(folder / "train-%06d.tar"), maxsize=256e6, verbose=0) as sink:
        for number, (path, label) in enumerate(files):
            data = path.read_bytes()
            if decoded:
                Image.open(io.BytesIO(data)).convert("RGB")
            sink.write({"__key__": f"{number:08}", "jpg": data, "cls": str(label).encode()})


def command(source: Path, folder: Path, dataset: str, workers: int) -> None:
    """The command of the suite, from its start to its end."""
    options = ["--archives", source, "--workers", str(workers)]
    started = [sys.executable, "-m", "data_prep", dataset, folder, *options]
    done = subprocess.run(started, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)


def cpu_ms(task: Callable[[], None], images: int) -> float:
    """Milliseconds of CPU that a task in this process takes for each image."""
    started = time.process_time()
    task()
    return round(1000 * (time.process_time() - started) / images, 3)


def main() -> None:
    """Measure all in turns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=sample_archive, metavar="TAR")
    parser.add_argument("--out", type=folder, required=True, metavar="DIR")
    parser.add_argument("--images", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--workers", type=int, nargs="+", default=sorted({1, cores}))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        source, target = Path(scratch, "source"), Path(scratch, "target")
        files = write_copies(options.archive, source, options.images)
        tasks: dict[str, Callable[[], None]] = {
            "ShardWriter, copied": lambda: shard_writer(files, target, decoded=False),
            "ShardWriter, decoded by Pillow": lambda: shard_writer(files, target, decoded=True),
        }
        for workers in options.workers:
            for dataset in ("imagefolder", "imagefolder-64"):
                tasks[f"{dataset}, {workers} workers"] = lambda d=dataset, w=workers: command(
                    source, target, d, w
                )
        rates: dict[str, list[float]] = {name: [] for name in tasks}
        for _ in range(options.rounds):
            for name, task in tasks.items():
                shutil.rmtree(target, ignore_errors=True)
                target.mkdir()
                started = time.monotonic()
                task()
                os.sync()
                rates[name].append(round(len(files) / (time.monotonic() - started), 1))
        alone: dict[str, Callable[[], None]] = {
            **{name: task for name, task in tasks.items() if name.startswith("ShardWriter")},
            "imagefolder": lambda: prepare("imagefolder", target, source, options=ONE),
            "imagefolder-64": lambda: prepare("imagefolder-64", target, source, options=ONE),
        }
        cpu = {}
        for name, task in alone.items():
            shutil.rmtree(target)
            target.mkdir()
            cpu[name] = cpu_ms(task, len(files))
        sizes = [path.stat().st_size for path, _ in files]
    result = {
        "images": len(files),
        "bytes_per_image": sum(sizes) / len(sizes),
        "images_per_s": {name: max(of) for name, of in rates.items()},
        "rounds": rates,
        "cpu_ms_per_image": cpu,
        "cores": cores,
    }
    write_result(options.out / "preparing.json", result)
    for name, rate in result["images_per_s"].items():
        print(f"{rate:10,.0f} images/s  {name}")
    for name, milliseconds in cpu.items():
        print(f"{milliseconds:10.2f} ms of CPU an image  {name}")


if __name__ == "__main__":
    main()
