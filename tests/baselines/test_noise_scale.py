"""The batch grows by the published estimate, computed here in NumPy, and nothing else changes."""

import numpy as np
import pytest
from marks import ON_CPUS_AND_GPUS
from softmax import flat, gradient
from two_epochs import two_epochs

from baselines.noise_scale import averaged, noise_scale
from bench.schedules import learning_rate
from data_prep.feed import Feed
from data_prep.records import open_records
from models.weights import read

SYSTEM, SSGD = "baselines.noise_scale:NoiseScale", "baselines.pytorch_ssgd:PyTorchSSGD"
BATCH, SAMPLES = 4, 320
FIELDS = {
    "batch": BATCH, "momentum": 0.9, "lr": 0.02,
    "schedule": {"kind": "one-cycle", "warmup": 0.3},
}  # fmt: skip
GROWS = {"lr_rule": "sqrt", "decay": 0.9}
POWERS = {"constant": 0, "sqrt": 0.5, "linear": 1}


def oracle(spec, records, start):
    """Weights, losses, and the images of an iteration in each epoch and the one that follows."""
    feed = Feed(records, spec.augmentation, spec.seed)
    classes = records.classes
    w, velocity, losses, sizes = start, 0 * start, [], []
    batch, noise, signal, decay = spec.batch, 0.0, 0.0, spec.method["decay"]
    power = POWERS[spec.method["lr_rule"]]
    for epoch in range(spec.epochs):
        plan, images = feed.plan(epoch), batch * spec.devices
        sizes.append(images)
        for step in range(feed.samples // images):
            firsts = [step * images + device * batch for device in range(spec.devices)]
            parts = [feed.batch(plan[first : first + batch]) for first in firsts]
            pair = w[:-classes].reshape(classes, -1), w[-classes:]
            found = [gradient(pair, *part) for part in parts]
            mean = sum(g for g, _ in found) / spec.devices
            losses.append(sum(loss for _, loss in found) / spec.devices)
            small, big = sum(g @ g for g, _ in found) / spec.devices, mean @ mean
            noise = decay * noise + (1 - decay) * (small - big) / (1 / batch - 1 / images)
            of_signal = (images * big - batch * small) / (images - batch)
            signal = decay * signal + (1 - decay) * of_signal
            position = epoch + step * images / feed.samples
            lr = learning_rate(spec.schedule, spec.lr, position, spec.epochs)
            velocity = spec.momentum * velocity + mean
            w = w - lr * (batch / spec.batch) ** power * velocity
        scale = noise / signal
        assert abs(scale / (2 * images) - 1) > 0.01  # rounding can't decide
        if scale >= 2 * images and 2 * images <= min(spec.method["max_batch"], feed.samples):
            batch *= 2
    return w, np.array(losses), [*sizes, batch * spec.devices]


def check(cell, digits, weights, first, folder, samples=SAMPLES):
    records, start = first(open_records(digits), samples), weights("logistic")
    w, losses, sizes = oracle(cell, records, flat(read(start)).astype(np.float64))
    assert sizes == [8, 16, 16]  # it did grow
    for rank in two_epochs(SYSTEM, cell, records, start, folder):
        np.testing.assert_allclose(rank["losses"], losses, rtol=1e-5)
        np.testing.assert_allclose(flat(rank, "model."), w, rtol=1e-4, atol=1e-5)
        assert cell.devices * rank["noise.batch"] == sizes[-1]


@pytest.mark.parametrize("rule", [{"lr_rule": "constant"}, {"lr_rule": "sqrt"}, {}], ids=str)
@pytest.mark.parametrize("form", ON_CPUS_AND_GPUS)
def test_devices_grow_as_the_oracle_does(form, rule, spec, digits, weights, first, tmp_path):
    cell = spec("noise-scale", method={"decay": 0.9, **rule}, **FIELDS, **form)
    if cell.devices == 1:
        pytest.skip("needs two CUDA devices: one has no estimate")
    check(cell, digits, weights, first, tmp_path / "run")


def test_an_iteration_takes_no_more_than_there_are(spec, digits, weights, first, tmp_path):
    """The noise scale is 151 after the second epoch, which asks for 32 images."""
    cell = spec("noise-scale", method={"decay": 0.9}, devices=2, **FIELDS)
    check(cell, digits, weights, first, tmp_path / "run", samples=30)


@pytest.mark.parametrize("form", [{"devices": 1}, *ON_CPUS_AND_GPUS])
def test_a_batch_that_may_not_grow_is_that_of_ssgd(form, spec, digits, weights, first, tmp_path):
    records, start = first(open_records(digits), SAMPLES), weights("logistic")
    fields = FIELDS | form
    # One device has no estimate, whatever it may.
    method = GROWS if form["devices"] == 1 else GROWS | {"max_batch": 8}
    plain = two_epochs(SSGD, spec("pytorch", **fields), records, start, tmp_path / "plain")
    cell = spec("noise-scale", method=method, **fields)
    ranks = two_epochs(SYSTEM, cell, records, start, tmp_path / "run")
    np.testing.assert_allclose(ranks[0]["losses"], plain[0]["losses"], rtol=1e-6)


def test_the_estimate_finds_the_noise_that_was_put_in():
    """Gradients of one image: a mean of squared norm 4, and noise of variance 9 in 50 places."""
    rng, batch, images, places = np.random.default_rng(0), 4, 16, 50
    mean = np.full(places, 2 / np.sqrt(places))
    noise = rng.normal(0, 3, (4000, images // batch, batch, places)).mean(2)
    gradients = mean + noise
    small = (gradients**2).sum(2).mean(1)
    big = (gradients.mean(1) ** 2).sum(1)
    found = averaged(np.zeros(2), np.stack([small, big]), batch, images, 0.999)
    assert noise_scale(found) == pytest.approx(places * 9 / 4, rel=0.1)


def test_a_gradient_lost_in_noise_asks_for_any_batch():
    assert noise_scale(np.array([1.0, -0.1])) == float("inf")
    assert noise_scale(np.array([-1.0, 1.0])) < 0
