"""Every system trains on encoded images, and on the same pixels."""

import numpy as np
import pytest
from photos import write_photos
from steps import steps

from baselines.pytorch_ssgd import PyTorchSSGD
from bench.clock import Ledger
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.jpeg_feed import JpegFeed
from data_prep.records import Records, open_records
from models.weights import export

SIDE, COUNT, BATCH = 32, 96, 8
HARD = {
    "dataset": "photos",
    "epochs": 1,
    "batch": BATCH,
    "weight_decay": 1e-3,
    "augmentation": "resized_crop_flip",
    "schedule": {"kind": "one-cycle", "warmup": 0.3},
}


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    return write_photos(tmp_path_factory.mktemp("data") / "photos", COUNT, SIDE)


@pytest.fixture(scope="module")
def initial(photos, tmp_path_factory):
    """A function from a model's name to the file of its initial weights on photos."""

    def of(model):
        path = tmp_path_factory.mktemp("weights") / "weights.npz"
        export(model, (SIDE, SIDE, 3), 4, 1, path)
        return path

    return of


@pytest.fixture(scope="module")
def decoded(photos):
    """The photos as arrays, cropped as without augmentation."""
    records = open_records(photos)
    feed = JpegFeed(records, "none", 1, 1)
    plan = feed.plan(0)
    images = np.empty((COUNT, SIDE, SIDE, 3), np.uint8)
    images[plan.indices] = next(feed.batches([plan], COUNT))
    return Records(
        name="photos", train_images=images, train_labels=records.train_labels,
        test_images=next(feed.test_batches(10)), test_labels=records.test_labels, classes=4,
        shape=records.shape, mean=records.mean, std=records.std, hashes={},
    )  # fmt: skip


def trained(build, spec, records, weights, folder, epochs=2):
    """Losses, logits and state after some epochs, in this process."""
    system = build(Context(spec=spec, records=records, weights=weights, out=folder))
    system.prepare(Ledger())
    losses = [system.train_epoch(epoch).losses for epoch in range(epochs)]
    return np.concatenate(losses), system.logits(), system.state()


@pytest.mark.parametrize(
    ("build", "fields"),
    [
        (Crossbow, {"learners": 1}),
        (Crossbow, {"learners": 2, "compile": True}),
        (Crossbow, {"learners": 3, "tau": 2}),
        (PyTorchSSGD, {"system": "pytorch"}),
    ],
)
def test_streaming_changes_nothing(build, fields, spec, photos, decoded, initial, tmp_path):
    cell, weights = spec(**{**HARD, "augmentation": "none", **fields}), initial("logistic")
    streamed = trained(build, cell, open_records(photos), weights, tmp_path)
    resident = trained(build, cell, decoded, weights, tmp_path)
    np.testing.assert_allclose(streamed[0], resident[0], rtol=1e-5)
    np.testing.assert_allclose(streamed[1], resident[1], rtol=1e-4, atol=1e-5)


def test_tuned_learners_see_every_image_once(spec, photos, initial, tmp_path):
    cell = spec(**HARD, learners="auto")
    context = Context(
        spec=cell, records=open_records(photos), weights=initial("logistic"), out=tmp_path
    )
    system = Crossbow(context)
    system.prepare(Ledger())
    seen, stage = [], system.feed.stage

    def noted(start, size, stride):
        stage(start, size, stride)
        seen.extend(system.feed._plan.indices[start : start + size])

    system.feed.stage = noted
    system.train_epoch(0)
    system.resize(3)
    done = system.begin(system.feed.plan(1), 1, 0)
    seen.clear()
    system.run(1, 0, done)
    assert len(seen) == len(set(seen)) == done * 3 * BATCH


def test_batch_norm_is_estimated_from_streamed_images(spec, photos, decoded, initial, tmp_path):
    fields = {**HARD, "augmentation": "none", "batch_norm": "re-estimated", "model": "resnet20"}
    cell, weights = spec(**fields, learners=1), initial("resnet20")
    streamed = trained(Crossbow, cell, open_records(photos), weights, tmp_path, 1)
    resident = trained(Crossbow, cell, decoded, weights, tmp_path, 1)
    np.testing.assert_allclose(streamed[1], resident[1], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("build", "system"), [(Crossbow, "crossbow"), (PyTorchSSGD, "pytorch")])
def test_several_iterations_in_a_graph_are_refused(build, system, spec, photos, initial, tmp_path):
    cell = spec(system, **HARD, unroll=2)
    context = Context(
        spec=cell, records=open_records(photos), weights=initial("logistic"), out=tmp_path
    )
    with pytest.raises(ValueError, match=r"unroll: photos is read while .* set it to 1"):
        build(context)


def test_all_systems_agree_on_two_devices(spec, photos, initial, tmp_path):
    """Of momentum the systems have forms of their own, so there is none."""
    fields = {**HARD, "model": "lenet", "devices": 2, "momentum": 0.0}
    averaging = {"variant": "ssgd", "alpha": None, "mu": 0.0}
    systems = {
        "pytorch": ("baselines.pytorch_ssgd:PyTorchSSGD", fields),
        "tensorflow": ("baselines.tensorflow_ssgd:TensorFlowSSGD", fields),
        "crossbow": ("crossbow_impl.train:Crossbow", fields | averaging),
    }
    torch, keras, crossbow = (
        steps(module, spec(name, **own), photos, initial("lenet"), COUNT, tmp_path / name)[0]
        for name, (module, own) in systems.items()
    )
    assert len(torch["losses"]) == COUNT // (2 * BATCH)
    for other in (keras, crossbow):
        np.testing.assert_allclose(torch["losses"], other["losses"], rtol=2e-5)
        np.testing.assert_allclose(torch["logits"], other["logits"], rtol=1e-4, atol=1e-5)
