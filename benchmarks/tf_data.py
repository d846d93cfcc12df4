"""TensorFlow's input pipeline by itself: `python -m benchmarks.tf_data CELL_JSON --out FOLDER`.

Writes tf_data.json: images per second that tf.data hands over, by how many batches it reads ahead
and by whether it may make calls of `map` in parallel, beside what training takes with what the
system has chosen. A figure is the median of stretches, all settings in turns; with it the range.
"""

import argparse
import functools
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from bench.spec import RunSpec
from benchmarks.cell import STRETCH_S, throughput
from benchmarks.plan import one_spec
from benchmarks.results import folder, write_result
from benchmarks.systems import on_ranks, prepared
from workflows.seconds import seconds

AHEAD = 0, 1, 2, 8, -1  # batches; -1 is tf.data.AUTOTUNE
REPEATS, BATCHES = 5, 20


def pipeline(system: Any, ahead: int, parallel: bool) -> Callable[[float], float]:
    """Images per second of a stretch of so many seconds in which nothing is trained."""
    import tensorflow as tf

    options = tf.data.Options()
    options.experimental_optimization.map_parallelization = parallel
    rates = [0.0] * (system.feed.samples // system.images)
    dataset = system.dataset(0, rates).with_options(options).repeat()
    batches = iter(dataset.prefetch(ahead) if ahead else dataset)

    @tf.function
    def take(count: tf.Tensor) -> tf.Tensor:
        labels = tf.constant(0, tf.int64)
        for _ in tf.range(count):
            labels += tf.reduce_sum(next(batches)[1])
        return labels

    def stretch(seconds: float) -> float:
        take(tf.constant(BATCHES)).numpy()  # what had been read ahead is not of this stretch
        start, images = time.monotonic(), 0
        while (elapsed := time.monotonic() - start) < seconds:
            take(tf.constant(BATCHES)).numpy()
            images += BATCHES * system.images
        return images / elapsed

    return stretch


def compare(
    rank: int, spec: RunSpec, stretch_s: float, out: Path, data: Path, weights: Path
) -> None:
    """Measure every setting, and training, in turns and write tf_data.json."""
    system = prepared(rank, spec, data, weights)
    settings = list(itertools.product(AHEAD, (False, True)))
    stretches = [pipeline(system, *setting) for setting in settings]
    stretches.append(lambda seconds: throughput(system, seconds))
    turns = [[stretch(stretch_s) for stretch in stretches] for _ in range(1 + REPEATS)][1:]
    *alone, training = [figures(column) for column in zip(*turns, strict=True)]
    rows = [
        {"ahead": ahead, "parallel": parallel} | row
        for (ahead, parallel), row in zip(settings, alone, strict=True)
    ]
    found = {"pipeline": rows, "training": training, "run": spec.to_dict()}
    write_result(out / "tf_data.json", found)


def figures(stretches: tuple[float, ...]) -> dict[str, Any]:
    """The median of some stretches, and the lowest and highest."""
    return {
        "images_per_s": round(median(stretches), 1),
        "range": [round(min(stretches), 1), round(max(stretches), 1)],
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tf_data", description=__doc__)
    parser.add_argument("cell", type=one_spec, help="RunSpec fields as JSON, of TensorFlow")
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=folder, required=True)
    parser.add_argument("--stretch", type=seconds, default=STRETCH_S, help="seconds of a stretch")
    options = parser.parse_args()
    spec = options.cell
    if spec.system != "tensorflow":
        parser.error("this takes a cell of tensorflow")
    work = functools.partial(compare, stretch_s=options.stretch, out=options.out)
    on_ranks(spec, options.data, work)
    print((options.out / "tf_data.json").read_text())


if __name__ == "__main__":
    main()
