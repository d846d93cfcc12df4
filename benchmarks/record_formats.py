"""Tar shards beside TFRecords: `python -m benchmarks.record_formats TAR --out DIR`.

TAR is imagenet-sample.tar, whose images are repeated. Of each format: writing one file by its own
library; reading all samples front to end by that library; reading them in random order through an
index. JPEG and label are what is read; nothing is decoded. TFRecords have no index of their own, so
they are given one here, once of their records, which TensorFlow parses, and once of the JPEGs in
them. The files lie in the page cache. All take turns; writes record_formats.json with all rounds
and the best of each, as whatever else the machine does only takes away.
"""

import argparse
import mmap
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tensorflow as tf
import webdataset

from benchmarks.results import folder, write_result
from benchmarks.sample_copies import sample_archive
from data_prep.example_proto import features
from data_prep.tar_members import tar_members
from data_prep.tfrecord_files import records

IMAGE, LABEL = "image/encoded", "image/class/label"
PARSED = {
    IMAGE: tf.io.FixedLenFeature([], tf.string),
    LABEL: tf.io.FixedLenFeature([], tf.int64),
}
# Offset and length of each record or JPEG, and its label.
Index = list[tuple[int, int, int]]


def write_tar(path: Path, images: list[bytes]) -> None:
    """A shard, by webdataset."""
    with (
        path.open("wb", buffering=1 << 20) as file,  # as the suite does
        webdataset.TarWriter(file, encoder=False, compress=False) as tar,
    ):
        for number, data in enumerate(images):
            tar.write({"__key__": f"{number:08}", "jpg": data, "cls": b"%d" % (number % 1000)})


def write_tfrecord(path: Path, images: list[bytes]) -> None:
    """A file of tf.train.Example, by TensorFlow."""
    with tf.io.TFRecordWriter(str(path)) as file:
        for number, data in enumerate(images):
            lists = {
                IMAGE: tf.train.Feature(bytes_list=tf.train.BytesList(value=[data])),
                LABEL: tf.train.Feature(int64_list=tf.train.Int64List(value=[number % 1000])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=lists))
            file.write(example.SerializeToString())


def read_tar(path: Path) -> int:
    """All samples front to end, by webdataset; their bytes."""
    samples = webdataset.WebDataset(str(path), shardshuffle=False)
    return sum(len(sample["jpg"]) + 0 * int(sample["cls"]) for sample in samples)


def read_tfrecord(path: Path) -> int:
    """All samples front to end, by tf.data as it is fastest: parsed in batches, in parallel."""
    dataset = tf.data.TFRecordDataset(str(path)).batch(32)
    parsed = dataset.map(
        lambda batch: tf.io.parse_example(batch, PARSED), num_parallel_calls=tf.data.AUTOTUNE
    ).prefetch(tf.data.AUTOTUNE)
    total = 0
    for batch in parsed:
        total += sum(map(len, batch[IMAGE].numpy())) + 0 * int(batch[LABEL].numpy().sum())
    return total


def read_jpegs(path: Path, index: Index) -> int:
    """JPEGs by their places, as the suite reads its shards; every byte is touched."""
    total = 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        for offset, length, _ in index:
            total += len(whole[offset : offset + length])
    return total


def read_records(path: Path, index: Index) -> int:
    """Records by their places, parsed by TensorFlow."""
    total = 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        for offset, length, _ in index:
            example = tf.train.Example.FromString(whole[offset : offset + length])
            feature = example.features.feature
            total += len(feature[IMAGE].bytes_list.value[0])
            assert feature[LABEL].int64_list.value[0] >= 0
    return total


def tar_index(path: Path) -> Index:
    """Where the JPEGs of a shard lie."""
    of = [member for member in tar_members(path) if member.name.endswith(".jpg")]
    return [(member.offset, member.length, n % 1000) for n, member in enumerate(of)]


def tfrecord_indexes(path: Path) -> tuple[Index, Index]:
    """Where the records of a file lie, and where the JPEGs in them."""
    whole, jpegs = [], []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        data = memoryview(bytes(mapped))
    for start, stop in records(data, path.name):
        found = features(data, start, stop, {IMAGE, LABEL})
        ((first, last),), (label,) = found[IMAGE], found[LABEL]
        whole.append((start, stop - start, label))
        jpegs.append((first, last - first, label))
    return whole, jpegs


def main() -> None:
    """Measure all in turns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=sample_archive, metavar="TAR")
    parser.add_argument("--out", type=folder, required=True, metavar="DIR")
    parser.add_argument("--images", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    data = options.archive.read_bytes()
    places = [data[at : at + size] for _, at, size in tar_members(options.archive)]
    images = [places[n % len(places)] for n in range(options.images)]
    order = np.random.default_rng(0).permutation(len(images))
    with tempfile.TemporaryDirectory() as scratch:
        tar, tfrecord = Path(scratch, "shard.tar"), Path(scratch, "shard.tfrecord")
        write_tar(tar, images)
        write_tfrecord(tfrecord, images)
        in_tar = tar_index(tar)
        in_records, in_tfrecord = tfrecord_indexes(tfrecord)
        shuffled = {
            "tar": [in_tar[n] for n in order],
            "records": [in_records[n] for n in order],
            "jpegs": [in_tfrecord[n] for n in order],
        }
        tasks: dict[str, Callable[[], object]] = {
            "write, tar": lambda: write_tar(tar, images),
            "write, TFRecord": lambda: write_tfrecord(tfrecord, images),
            "front to end, tar": lambda: read_tar(tar),
            "front to end, TFRecord": lambda: read_tfrecord(tfrecord),
            "random, tar by index": lambda: read_jpegs(tar, shuffled["tar"]),
            "random, TFRecord by index": lambda: read_records(tfrecord, shuffled["records"]),
            "random, TFRecord by index of JPEGs": lambda: read_jpegs(tfrecord, shuffled["jpegs"]),
        }
        rates: dict[str, list[float]] = {name: [] for name in tasks}
        for _ in range(options.rounds):
            for name, task in tasks.items():
                started = time.monotonic()
                read = task()
                rates[name].append(round(len(images) / (time.monotonic() - started), 1))
                assert read in (None, sum(map(len, images))), name
        sizes = {"tar": tar.stat().st_size, "TFRecord": tfrecord.stat().st_size}
    result = {
        "images": len(images),
        "bytes": {"JPEGs": sum(map(len, images)), **sizes},
        "images_per_s": {name: max(of) for name, of in rates.items()},
        "rounds": rates,
    }
    write_result(options.out / "record_formats.json", result)
    for name, rate in result["images_per_s"].items():
        print(f"{rate:10,.0f} images/s  {name}")


if __name__ == "__main__":
    main()
