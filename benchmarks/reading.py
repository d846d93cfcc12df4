"""Images per second of reading encoded images: `python -m benchmarks.reading TAR --out DIR`.

TAR is imagenet-sample.tar, whose images are copied to the number asked for; they lie in the page
cache. A reader (benchmarks/readers.py) has a process of its own with as many threads or workers as
there are cores, or as `--workers` says, and reads one epoch before the one that is timed. All take
turns, in an order that is reversed every round. Beside the images per second there are those per
second of CPU time, of all threads and workers: other work on the machine changes them little.
Writes reading.csv, with the median of each, and reading.json, with all rounds and the machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

import psutil

from bench import record
from bench.sources import sources
from benchmarks.preparing import command
from benchmarks.readers import READERS
from benchmarks.results import folder, write_result
from benchmarks.sample_copies import sample_archive, write_copies

ROOT = Path(__file__).resolve().parent.parent
RATES = ("images_per_s", "images_per_cpu_s")
COLUMNS = (
    "reader", "workers",
    *(f"{rate}{of}" for rate in RATES for of in ("", "_least", "_most", "_of_decode_alone")),
    "rounds",
)  # fmt: skip
TFRECORD_FILES, ALONE = 8, "decode alone"
LIBRARIES = ("simplejpeg", "pillow", "torch", "torchvision", "webdataset")  # beside TensorFlow
Rounds = dict[tuple[str, int], list[tuple[float, float]]]  # both rates, by reader and workers


def write_tfrecords(files: list[tuple[Path, int]], folder: Path) -> None:
    """The same images for tf.data."""
    import tensorflow as tf

    folder.mkdir()
    for number in range(TFRECORD_FILES):
        with tf.io.TFRecordWriter(str(folder / f"train-{number:05}")) as sink:
            for path, label in files[number::TFRECORD_FILES]:
                data = tf.train.BytesList(value=[path.read_bytes()])
                features = {
                    "image/encoded": tf.train.Feature(bytes_list=data),
                    "image/class/label": tf.train.Feature(
                        int64_list=tf.train.Int64List(value=[label])
                    ),
                }
                example = tf.train.Example(features=tf.train.Features(feature=features))
                sink.write(example.SerializeToString())


def timed(reader: str, folder: Path, batch: int, workers: int) -> tuple[float, float]:
    """Images per second, and per second of CPU time, of the second epoch, in this process."""
    epoch = READERS[reader](folder, batch, workers)
    for number in range(2):
        started, cpu_started, images = time.monotonic(), cpu_seconds(), 0
        for part in epoch(number):
            images += len(part[0] if isinstance(part, tuple | list) else part)
        elapsed, used = time.monotonic() - started, cpu_seconds() - cpu_started
    return images / elapsed, images / max(used, 0.01)  # of CPU time a hundredth is the least told


def cpu_seconds() -> float:
    """What this process and its workers have used."""
    this = psutil.Process()
    times = [process.cpu_times() for process in (this, *this.children(recursive=True))]
    return sum(of.user + of.system for of in times)


def in_a_process(reader: str, folder: Path, batch: int, workers: int) -> tuple[float, float]:
    """The same, as a process of its own prints it."""
    arguments = [json.dumps([reader, str(folder), batch, workers])]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.reading", "--one", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"},
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{reader} ended with code {done.returncode}:\n{done.stderr}")
    return tuple(json.loads(done.stdout.splitlines()[-1]))


def table(rounds: Rounds) -> list[dict[str, object]]:
    """A row of the CSV for each reader and number of workers."""
    rows = []
    for (reader, workers), pairs in rounds.items():
        row: dict[str, object] = {"reader": reader, "workers": workers, "rounds": len(pairs)}
        for place, rate in enumerate(RATES):
            of = [pair[place] for pair in pairs]
            row[rate] = round(median(of), 1)
            row[f"{rate}_least"], row[f"{rate}_most"] = round(min(of), 1), round(max(of), 1)
            if alone := [pair[place] for pair in rounds.get((ALONE, workers), [])]:
                row[f"{rate}_of_decode_alone"] = round(median(of) / median(alone), 3)
        rows.append(row)
    return rows


def main() -> None:
    """Measure all in turns; or one, of which the arguments are a JSON list."""
    if sys.argv[1:2] == ["--one"]:
        reader, work, batch, workers = json.loads(sys.argv[2])
        print(json.dumps(timed(reader, Path(work), batch, workers)))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=sample_archive, metavar="TAR")
    parser.add_argument("--out", type=folder, required=True, metavar="DIR")
    parser.add_argument("--images", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--workers", type=int, nargs="+", default=[cores])
    parser.add_argument("--readers", nargs="+", choices=READERS, default=[*READERS])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        files = write_copies(options.archive, work / "source", options.images)
        command(work / "source", work / "records", "imagefolder", cores)
        if any(name.startswith("tf.data") for name in options.readers):
            write_tfrecords(files, work / "tfrecords")
        turns = [(reader, workers) for workers in options.workers for reader in options.readers]
        rounds: Rounds = {turn: [] for turn in turns}
        for number in range(options.rounds):
            for reader, workers in turns[:: -1 if number % 2 else 1]:
                rates = in_a_process(reader, work, options.batch, workers)
                rounds[reader, workers].append(rates)
                print("{:8,.0f} {:8,.0f}".format(*rates), reader, workers, flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    rows = table(rounds)
    record.write_table(options.out / "reading.csv", COLUMNS, rows)
    result = {
        "images": len(files),
        "batch": options.batch,
        "cores": cores,
        "rounds": [
            {
                "reader": reader,
                "workers": workers,
                "rates": [[round(rate, 1) for rate in pair] for pair in of],
            }
            for (reader, workers), of in rounds.items()
        ],
        "libraries": {name: version(name) for name in LIBRARIES},
    }
    code = sources("benchmarks.reading", "data_prep")
    write_result(options.out / "reading.json", result, code)


if __name__ == "__main__":
    main()
