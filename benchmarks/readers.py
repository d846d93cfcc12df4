"""Ways to read an epoch of encoded images: decoded, cropped at random to 224 x 224, mirrored.

Each is a function of the folder that `benchmarks.reading` filled, the batch, and the threads or
worker processes; it returns what to call for an epoch's batches. Those are of uint8 unless the name
says otherwise. A reader imports its framework itself, for each runs in a process of its own.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Epoch = Callable[[int], Iterable[Any]]  # from the number of an epoch to its batches
SIDE = 224


def decode_alone(folder: Path, batch: int, workers: int) -> Epoch:
    """Every image decoded whole by simplejpeg, in threads, and forgotten: the pure decode rate."""
    import numpy as np
    import simplejpeg

    from data_prep.epoch_plan import epoch_plan
    from data_prep.records import open_records

    records, pool = open_records(folder / "records"), ThreadPoolExecutor(workers)

    def decode(samples: list[int]) -> np.ndarray:
        for sample in samples:
            simplejpeg.decode_jpeg(records.encoded("train", sample))
        return np.empty(len(samples))

    def epoch(number: int) -> Iterator[np.ndarray]:
        order = epoch_plan(len(records.train_index), 0, number).indices.tolist()
        return pool.map(decode, (order[i : i + 8] for i in range(0, len(order), 8)))

    return epoch


def suite(folder: Path, batch: int, workers: int) -> Epoch:
    """The suite's own feed of encoded records, into memory used again, as the streamed feed has."""
    import numpy as np

    from data_prep.jpeg_feed import JpegFeed
    from data_prep.records import open_records

    feed = JpegFeed(open_records(folder / "records"), "resized_crop_flip", 0, workers)

    count = feed.ahead.parts_ahead(batch) + 2
    buffers = itertools.cycle([np.empty((batch, SIDE, SIDE, 3), np.uint8) for _ in range(count)])

    def epoch(number: int) -> Iterable[Any]:
        plan = feed.plan(number)
        parts = (plan[i : i + batch] for i in range(0, len(plan), batch))
        return feed.batches(parts, batch, lambda rows: next(buffers)[:rows])

    return epoch


def torchvision(folder: Path, batch: int, workers: int) -> Epoch:
    """ImageFolder and DataLoader, the images left as bytes."""
    from benchmarks.torchvision_here import transforms

    return _image_folder(folder, batch, workers, [transforms().PILToTensor()])


def torchvision_float(folder: Path, batch: int, workers: int) -> Epoch:
    """ImageFolder and DataLoader as mostly written: normalised float32."""
    from benchmarks.torchvision_here import transforms

    rules = transforms()
    normalise = rules.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    return _image_folder(folder, batch, workers, [rules.ToTensor(), normalise])


def _image_folder(folder: Path, batch: int, workers: int, last: list[Any]) -> Epoch:
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder

    dataset = ImageFolder(str(folder / "source" / "train"), _crop_and_flip(last))
    loader = DataLoader(dataset, batch, shuffle=True, num_workers=workers, persistent_workers=True)
    return lambda number: loader


def _crop_and_flip(last: list[Any]) -> Any:
    from benchmarks.torchvision_here import transforms

    rules = transforms()
    return rules.Compose([rules.RandomResizedCrop(SIDE), rules.RandomHorizontalFlip(), *last])


def webdataset(folder: Path, batch: int, workers: int) -> Epoch:
    """WebDataset on the suite's own shards, with torchvision's transforms, in a DataLoader."""
    import webdataset as wds
    from torch.utils.data import default_collate

    from benchmarks.torchvision_here import transforms

    shards = sorted(str(path) for path in (folder / "records").glob("train-*.tar"))
    crop = _crop_and_flip([transforms().PILToTensor()])
    dataset = wds.WebDataset(shards, shardshuffle=len(shards)).shuffle(256).decode("pil")
    dataset = dataset.to_tuple("jpg", "cls").map_tuple(crop).batched(batch, default_collate)
    loader = wds.WebLoader(dataset, batch_size=None, num_workers=workers, persistent_workers=True)
    return lambda number: loader


def tf_data(folder: Path, batch: int, workers: int, antialias: bool = True) -> Epoch:
    """tf.data on TFRecords: decode_and_crop_jpeg, so that no more than the crop is decoded.

    With `antialias` its resize is the one that all others here have; the plain one is faster.
    """
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)

    def load(record: Any) -> tuple[Any, Any]:
        features = {
            "image/encoded": tf.io.FixedLenFeature([], tf.string),
            "image/class/label": tf.io.FixedLenFeature([], tf.int64),
        }
        example = tf.io.parse_single_example(record, features)
        data = example["image/encoded"]
        begin, size, _ = tf.image.sample_distorted_bounding_box(
            tf.io.extract_jpeg_shape(data),
            tf.zeros([1, 0, 4]),
            aspect_ratio_range=(3 / 4, 4 / 3),
            area_range=(0.08, 1.0),
            max_attempts=10,
            use_image_if_no_bounding_boxes=True,
        )
        window = tf.concat([begin[:2], size[:2]], 0)
        image = tf.io.decode_and_crop_jpeg(data, window, channels=3)
        image = tf.image.resize(image, (SIDE, SIDE), antialias=antialias)
        image = tf.image.random_flip_left_right(image)
        return tf.cast(tf.round(image), tf.uint8), example["image/class/label"]

    files = sorted(str(path) for path in folder.glob("tfrecords/*"))
    dataset = tf.data.TFRecordDataset(files).shuffle(256).map(load, workers).batch(batch)
    options = tf.data.Options()
    options.threading.private_threadpool_size = workers
    dataset = dataset.prefetch(tf.data.AUTOTUNE).with_options(options)
    return lambda number: dataset


def dali(folder: Path, batch: int, workers: int) -> Epoch:
    """NVIDIA DALI on the CPU: its decoder of random crops, and its resize."""
    from nvidia.dali import fn, pipeline_def, types

    @pipeline_def(batch_size=batch, num_threads=workers, device_id=None)
    def pipeline() -> Any:
        data, label = fn.readers.file(file_root=folder / "source" / "train", name="images")
        shape = {"random_area": (0.08, 1.0), "random_aspect_ratio": (3 / 4, 4 / 3)}
        image = fn.decoders.image_random_crop(data, num_attempts=10, **shape)
        image = fn.resize(image, size=(SIDE, SIDE), interp_type=types.INTERP_LINEAR, antialias=True)
        return fn.flip(image, horizontal=fn.random.coin_flip()), label

    reader = pipeline()
    reader.build()

    def epoch(number: int) -> Iterator[Any]:
        for _ in range(reader.epoch_size("images") // batch):
            yield reader.run()[0].as_array()

    return epoch


READERS: dict[str, Callable[[Path, int, int], Epoch]] = {
    "decode alone": decode_alone,
    "this suite": suite,
    "torchvision ImageFolder, DataLoader": torchvision,
    "torchvision ImageFolder, DataLoader, float32": torchvision_float,
    "WebDataset, DataLoader": webdataset,
    "tf.data, antialiased": tf_data,
    "tf.data, not antialiased": partial(tf_data, antialias=False),
    "DALI, CPU": dali,
}
# Not among the suite's packages, for its half a gigabyte: measured where it is installed.
if find_spec("nvidia") is None or find_spec("nvidia.dali") is None:
    del READERS["DALI, CPU"]
