"""Streamed batches are those of the plan; on a GPU also where a captured graph reads them."""

import numpy as np
import pytest
import torch
from marks import needs_cuda
from photos import write_photos
from torch.testing import assert_close

from data_prep.array_source import ArraySource
from data_prep.feed import Feed
from data_prep.jpeg_feed import JpegFeed
from data_prep.records import open_records
from data_prep.streamed_feed import StreamedFeed
from data_prep.torch_feed import feed_for

SIDE, COUNT = 16, 60
DEVICES = ["cpu", pytest.param("cuda", marks=[pytest.mark.gpu, needs_cuda])]


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    return open_records(write_photos(tmp_path_factory.mktemp("data") / "photos", COUNT, SIDE))


def read(source, part):
    return next(source.batches([part], len(part)))


def normalised(records, pixels):
    scaled = (torch.from_numpy(pixels).float() / 255 - torch.from_numpy(records.mean)) / (
        torch.from_numpy(records.std)
    )
    return scaled.permute(0, 3, 1, 2)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("size", "stride", "first"), [(6, 6, 0), (4, 12, 4), (1, 2, 1)])
def test_batches_are_those_of_the_plan(device, size, stride, first, photos):
    source = JpegFeed(photos, "resized_crop_flip", 1, 2)
    feed = StreamedFeed(source, torch.device(device))
    for epoch in range(2):
        plan = feed.plan(epoch)
        feed.begin(plan)
        for start in range(first, COUNT - size + 1, stride):
            feed.stage(start, size, stride)
            images, labels = feed.batch_at(torch.tensor([start], device=device), size)
            part = plan[start : start + size]
            assert_close(images.cpu(), normalised(photos, read(source, part)))
            assert np.array_equal(labels.cpu().numpy(), photos.train_labels[part.indices])


@pytest.mark.parametrize("device", DEVICES)
def test_learners_have_parts_of_what_is_staged(device, photos):
    feed = StreamedFeed(JpegFeed(photos, "resized_crop_flip", 1, 2), torch.device(device))
    feed.begin(feed.plan(0))
    feed.stage(24, 12, 12)
    whole, _ = feed.batch_at(torch.tensor([24], device=device), 12)
    for learner in range(3):
        own, _ = feed.batch_at(torch.tensor([24 + 4 * learner], device=device), 4)
        assert torch.equal(own, whole[4 * learner : 4 * learner + 4])


def test_the_rest_of_an_epoch_has_the_batches_that_it_would_have_had(photos):
    feed = StreamedFeed(JpegFeed(photos, "resized_crop_flip", 1, 2), torch.device("cpu"))
    plan = feed.plan(3)
    feed.begin(plan)
    feed.stage(30, 10, 10)
    expected, _ = feed.batch_at(torch.tensor([30]), 10)
    feed.begin(plan[20:])  # another number of learners starts so, in the middle of an epoch
    feed.stage(10, 10, 10)
    actual, _ = feed.batch_at(torch.tensor([10]), 10)
    assert torch.equal(actual, expected)


def test_in_turn_each_image_is_read_once(photos):
    feed = StreamedFeed(JpegFeed(photos, "resized_crop_flip", 1, 2), torch.device("cpu"))
    asked, batches = [], feed.source.batches
    feed.source.batches = lambda *arguments: asked.append(1) or batches(*arguments)
    feed.begin(feed.plan(0))
    for start in range(0, COUNT, 6):
        feed.stage(start, 6, 6)
    assert len(asked) == 1


@pytest.mark.parametrize("device", DEVICES)
def test_staging_out_of_turn_gives_what_was_asked_for(device, photos):
    """Smaller parts too, of which more are read ahead, as when learners are taken away."""
    feed = StreamedFeed(JpegFeed(photos, "resized_crop_flip", 1, 2), torch.device(device))
    plan = feed.plan(0)
    feed.begin(plan)
    turns = [(0, 8), (40, 8), *((start, 2) for start in range(8, 40, 2)), (0, 30)]
    for start, size in turns:
        feed.stage(start, size, size)
        images, _ = feed.batch_at(torch.tensor([start], device=device), size)
        part = plan[start : start + size]
        assert_close(images.cpu(), normalised(photos, read(feed.source, part)))


def test_evaluating_does_not_disturb_what_is_staged(photos):
    feed = StreamedFeed(JpegFeed(photos, "resized_crop_flip", 1, 2), torch.device("cpu"))
    plan = feed.plan(0)
    feed.begin(plan)
    feed.stage(0, 4, 4)
    before, _ = feed.batch_at(torch.tensor([0]), 4)
    (images,) = feed.images([feed.plan(1)[:20]], 20)
    assert len(images) == 20
    tests = torch.cat(list(feed.tests()))
    assert tests.shape == (10, 3, SIDE, SIDE)
    after, _ = feed.batch_at(torch.tensor([0]), 4)
    assert torch.equal(after, before)


def test_arrays_are_streamed_as_they_are_fed(digits):
    records = open_records(digits)
    feed, plain = (
        StreamedFeed(ArraySource(records, "crop_flip", 1, 2), torch.device("cpu")),
        Feed(records, "crop_flip", 1),
    )
    plan = feed.plan(0)
    feed.begin(plan)
    feed.stage(100, 32, 32)
    images, labels = feed.batch_at(torch.tensor([100]), 32)
    expected, their_labels = plain.batch(plan[100:132])
    assert np.allclose(images.numpy(), expected, atol=1e-6)
    assert np.array_equal(labels.numpy(), their_labels)
    assert np.allclose(torch.cat(list(feed.tests())).numpy(), plain.test_images(), atol=1e-6)


@pytest.mark.gpu
@needs_cuda
def test_a_captured_graph_reads_each_iterations_images(photos):
    """Many replays are queued at once, so an early overwrite or a late copy would show."""
    device, size = torch.device("cuda"), 6
    source = JpegFeed(photos, "resized_crop_flip", 1, 4)
    feed = StreamedFeed(source, device)
    feed.begin(feed.plan(0))
    feed.stage(0, size, size)
    count = torch.zeros(1, dtype=torch.int64, device=device)
    kept = torch.zeros(COUNT // size, size, 3, SIDE, SIDE, device=device)
    busy = torch.randn(2048, 2048, device=device)

    def step():
        busy.copy_(busy @ busy / 2048)  # so that the host gets ahead
        kept.index_copy_(0, count, feed.batch_at(count * size, size)[0][None])
        count.add_(1)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        step()
    for epoch in range(5):
        plan = feed.plan(epoch)
        feed.begin(plan)
        count.zero_()
        for start in range(0, COUNT, size):
            feed.stage(start, size, size)
            graph.replay()
        expected = normalised(photos, read(source, plan))
        assert_close(kept.flatten(0, 1).cpu(), expected)


def test_encoded_images_are_streamed(photos, digits):
    cpu = torch.device("cpu")
    assert isinstance(feed_for(photos, "none", 1, cpu, False), StreamedFeed)
    assert not isinstance(feed_for(open_records(digits), "none", 1, cpu, False), StreamedFeed)
