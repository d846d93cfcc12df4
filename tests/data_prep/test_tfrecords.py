"""The reader of TFRecords against TensorFlow's own writer, and against damage."""

import subprocess
import sys

import numpy as np
import pytest
from tfrecord_writer import example, record, tfrecord

from data_prep.example_proto import features
from data_prep.records import RecordsError
from data_prep.tfrecord_files import masked_crc, records

WANTED = {"image", "label", "labels", "name", "none"}


def read(data: bytes) -> list[dict]:
    view = memoryview(data)
    return [features(view, *place, WANTED) for place in records(view, "here")]


def test_the_checksum_is_the_published_one():
    # The check value of CRC-32C, masked as TFRecords do it.
    crc = 0xE3069283
    assert masked_crc(b"123456789") == ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def test_reads_what_it_should():
    data = tfrecord([{"image": b"x" * 300, "label": 300, "labels": [1, 2**40], "other": [0.5]}])
    (found,) = read(data)
    ((start, stop),) = found["image"]
    assert data[start:stop] == b"x" * 300
    assert found["label"] == [300] and found["labels"] == [1, 2**40]
    assert set(found) == {"image", "label", "labels"}


@pytest.mark.slow
def test_reads_what_tensorflow_writes(tmp_path):
    write = """
import sys, tensorflow as tf
def of(**lists): return tf.train.Feature(**lists)
features = {
    "image": of(bytes_list=tf.train.BytesList(value=[bytes(range(256)) * 9])),
    "label": of(int64_list=tf.train.Int64List(value=[1000])),
    "labels": of(int64_list=tf.train.Int64List(value=[3, 4])),
    "box": of(float_list=tf.train.FloatList(value=[0.5, 0.25])),
    "none": of(bytes_list=tf.train.BytesList()),
}
example = tf.train.Example(features=tf.train.Features(feature=features))
with tf.io.TFRecordWriter(sys.argv[1]) as file:
    for _ in range(3):
        file.write(example.SerializeToString())
"""
    path = tmp_path / "file"
    subprocess.run([sys.executable, "-c", write, path], check=True, capture_output=True)
    data = path.read_bytes()
    found = read(data)
    assert len(found) == 3
    for of in found:
        ((start, stop),) = of["image"]
        assert data[start:stop] == bytes(range(256)) * 9
        assert of["label"] == [1000] and of["labels"] == [3, 4]


def test_damage_is_found_and_what_came_before_is_given():
    data = tfrecord([{"label": 1}, {"label": 2}, {"label": 3}])
    size = len(data) // 3
    for damaged, words in [
        (data[:-1], "cut short in record 2"),
        (data[: 2 * size + 5], "damaged from record 2 on"),
        (data[: 2 * size] + b"\x01" + data[2 * size + 1 :], "damaged from record 2 on"),
    ]:
        given = []
        with pytest.raises(RecordsError, match=f"here: {words}"):
            for place in records(memoryview(damaged), "here"):
                given.append(place)
        assert len(given) == 2


def test_any_bytes_at_all_are_an_example_or_a_value_error():
    rng = np.random.default_rng(0)
    good = example({"image": b"x" * 40, "label": 7, "box": [0.5]})
    for _ in range(2000):
        data = bytearray(good[: rng.integers(1, len(good) + 1)])
        data[rng.integers(0, len(data))] = rng.integers(0, 256)
        try:
            found = features(memoryview(bytes(data)), 0, len(data), WANTED)
        except ValueError:
            continue
        for place in found.get("image", []):
            if isinstance(place, tuple):
                assert 0 <= place[0] <= place[1] <= len(data)


def test_numbers_may_come_one_by_one():
    # label: {int64_list {value: 5 value: 6}}, not packed, as old writers have it.
    entry = b"\x0a\x05label\x12\x06\x1a\x04\x08\x05\x08\x06"
    data = record(b"\x0a" + bytes([2 + len(entry)]) + b"\x0a" + bytes([len(entry)]) + entry)
    assert read(data) == [{"label": [5, 6]}]
