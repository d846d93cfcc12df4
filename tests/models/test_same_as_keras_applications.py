"""Networks that keras.applications has as well, from weights that are ours, say the same there."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
LOGITS = """
import sys
import keras
import numpy as np
from keras import applications
import models

name, other, out = sys.argv[1:]
keras.config.set_floatx("float64")
shape = 64, 96, 3
theirs = getattr(applications, other)(
    weights=None, input_shape=shape, classes=10, classifier_activation=None
)
ours = models.load(name).keras_model(shape, 10)
weights = iter(ours.get_weights())

def vgg():
    for layer in theirs.layers:
        if isinstance(layer, keras.layers.Conv2D):
            layer.set_weights([next(weights), next(weights)])
        if isinstance(layer, keras.layers.Dense):
            kernel = next(weights)
            if layer.name == "fc1":  # theirs flattens channels last
                kernel = kernel.reshape(512, 2, 3, -1).transpose(1, 2, 0, 3).reshape(kernel.shape)
            layer.set_weights([kernel, next(weights)])

def resnet():
    paths = ["conv1"]
    for stage, count in zip((2, 3, 4, 5), (3, 4, 6, 3)):
        for block in range(1, count + 1):
            order = (1, 2, 3, 0) if block == 1 else (1, 2, 3)  # 0 is the shortcut
            paths += [f"conv{stage}_block{block}_{i}" for i in order]
    for path in paths:
        kernel = next(weights)
        theirs.get_layer(f"{path}_conv").set_weights([kernel, np.zeros(kernel.shape[-1])])
        theirs.get_layer(f"{path}_bn").set_weights([next(weights) for _ in range(4)])
    theirs.get_layer("predictions").set_weights([next(weights), next(weights)])

resnet() if other.startswith("ResNet") else vgg()
assert next(weights, None) is None
images = np.random.default_rng(0).normal(size=(2, *shape))
np.savez(out, ours=ours(images, training=False), theirs=theirs(images, training=False))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "other", "rounding"),
    [
        ("vgg_d", "VGG16", 1e-10),
        ("vgg_e", "VGG19", 1e-10),
        # Its convolutions have biases, here 0, and its epsilon is 1.001e-5.
        ("resnet50", "ResNet50", 1e-5),
    ],
)
def test_keras_applications_says_the_same_from_our_weights(name, other, rounding, tmp_path):
    out = tmp_path / "logits.npz"
    subprocess.run([sys.executable, "-c", LOGITS, name, other, out], check=True, cwd=ROOT)
    logits = np.load(out)
    scale = np.abs(logits["theirs"]).max()
    np.testing.assert_allclose(logits["ours"], logits["theirs"], rtol=0, atol=rounding * scale)
