import threading

import numpy as np
import pytest
from photos import write_photos

from data_prep.jpeg_feed import JpegFeed
from data_prep.records import RecordsError, open_records

SIDE, COUNT = 16, 60


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    return open_records(write_photos(tmp_path_factory.mktemp("data") / "photos", COUNT, SIDE))


def images(feed, plan, size):
    parts = (plan[i : i + size] for i in range(0, len(plan), size))
    return np.concatenate(list(feed.batches(parts, size)))


def test_images_are_equal_whatever_the_threads_and_batches(photos):
    one, many = (JpegFeed(photos, "resized_crop_flip", 1, threads) for threads in (1, 5))
    expected = images(one, one.plan(2), COUNT)
    assert expected.shape == (COUNT, SIDE, SIDE, 3) and expected.dtype == np.uint8
    for size in (1, 7, 32):
        assert np.array_equal(images(many, many.plan(2), size), expected)


def test_an_epoch_goes_on_in_its_middle_with_the_same_images(photos):
    feed = JpegFeed(photos, "resized_crop_flip", 1, 2)
    plan = feed.plan(0)
    assert np.array_equal(images(feed, plan[23:], 10), images(feed, plan, 10)[23:])


def test_each_epoch_crops_a_sample_anew(photos):
    feed, still = (JpegFeed(photos, name, 1, 2) for name in ("resized_crop_flip", "none"))
    one, other = ([images(f, f.plan(e), 8)[np.argsort(f.plan(e).indices)] for e in (0, 1)]
                  for f in (feed, still))  # fmt: skip
    assert (one[0] != one[1]).any(axis=(1, 2, 3)).all()
    assert np.array_equal(*other)


def test_flips_are_the_plans(photos):
    feed = JpegFeed(photos, "resized_crop_flip", 1, 2)
    plan = feed.plan(0)
    still = type(plan)(plan.indices, plan.offsets, np.zeros_like(plan.flips), 1, 0)
    flipped, straight = images(feed, plan, 8), images(feed, still, 8)
    for flip, a, b in zip(plan.flips, flipped, straight, strict=True):
        assert np.array_equal(a, b[:, ::-1] if flip else b)


def test_test_images_come_in_order_and_in_chunks(photos):
    feed = JpegFeed(photos, "resized_crop_flip", 1, 2)
    chunks = list(feed.test_batches(4))
    assert [len(chunk) for chunk in chunks] == [4, 4, 2]
    assert np.array_equal(np.concatenate(chunks), next(feed.test_batches(10)))


def test_reading_stays_a_little_ahead(photos):
    feed, asked = JpegFeed(photos, "none", 1, 1), []

    def empty(count):
        asked.append(count)
        return np.empty((count, *photos.shape), np.uint8)

    plan = feed.plan(0)
    reading = feed.batches((plan[i : i + 10] for i in range(0, COUNT, 10)), 10, empty)
    next(reading)
    assert len(asked) == 1 + feed.ahead.parts_ahead(10) == 3
    reading.close()
    assert len(asked) == 3


def test_an_image_that_cannot_be_decoded_is_named(tmp_path):
    folder = write_photos(tmp_path / "photos", 20, SIDE)
    records = open_records(folder)
    row = records.train_index[7]
    with (folder / "train-000000.tar").open("r+b") as shard:
        shard.seek(int(row["offset"]) + 30)
        shard.write(bytes(int(row["length"]) - 30))
    feed = JpegFeed(open_records(folder), "resized_crop_flip", 1, 2)
    words = r"train-000000\.tar: train image 7, .* can't be decoded .*data_prep photos .*--verify`"
    with pytest.raises(RecordsError, match=words):
        images(feed, feed.plan(0), 5)
    left = [t for t in threading.enumerate() if t.name.startswith("reader")]
    assert left  # the threads live on: the feed can be used again
    whole = feed.plan(0)
    assert len(images(feed, whole[: whole.indices.tolist().index(7)], 5)) >= 0


def test_crops_of_arrays_are_refused(photos):
    with pytest.raises(ValueError, match="use resized_crop_flip"):
        JpegFeed(photos, "crop_flip", 1, 1)
