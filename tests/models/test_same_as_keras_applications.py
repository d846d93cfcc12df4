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

keras.config.set_floatx("float64")
shape = 64, 96, 3
images = np.random.default_rng(0).normal(size=(2, *shape))

def vgg(theirs, weights):
    for layer in theirs.layers:
        if isinstance(layer, keras.layers.Conv2D):
            layer.set_weights([next(weights), next(weights)])
        if isinstance(layer, keras.layers.Dense):
            kernel = next(weights)
            if layer.name == "fc1":  # theirs flattens channels last
                kernel = kernel.reshape(512, 2, 3, -1).transpose(1, 2, 0, 3).reshape(kernel.shape)
            layer.set_weights([kernel, next(weights)])

def resnet(theirs, weights):
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

def compare(name, other, out):
    theirs = getattr(applications, other)(
        weights=None, input_shape=shape, classes=10, classifier_activation=None
    )
    ours = models.load(name).keras_model(shape, 10)
    weights = iter(ours.get_weights())
    fill = resnet if other.startswith("ResNet") else vgg
    fill(theirs, weights)
    assert next(weights, None) is None
    np.savez(out, ours=ours(images, training=False), theirs=theirs(images, training=False))

for name, other in zip(sys.argv[2::2], sys.argv[3::2]):
    compare(name, other, f"{sys.argv[1]}/{name}.npz")
"""


# By our name: theirs, and how much rounding makes of it. ResNet's convolutions have biases there,
# here 0, and its epsilon is 1.001e-5.
THEIRS = {"vgg_d": ("VGG16", 1e-10), "vgg_e": ("VGG19", 1e-10), "resnet50": ("ResNet50", 1e-5)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Has the logits of each; one process makes all, as to import Keras takes seconds."""
    out = tmp_path_factory.mktemp("logits")
    names = [name for ours, (theirs, _) in THEIRS.items() for name in (ours, theirs)]
    subprocess.run([sys.executable, "-c", LOGITS, out, *names], check=True, cwd=ROOT)
    return out


@pytest.mark.slow
@pytest.mark.parametrize("name", THEIRS)
def test_keras_applications_says_the_same_from_our_weights(name, folder):
    logits = np.load(folder / f"{name}.npz")
    scale = np.abs(logits["theirs"]).max()
    atol = THEIRS[name][1] * scale
    np.testing.assert_allclose(logits["ours"], logits["theirs"], rtol=0, atol=atol)
