"""Every model is one network in two frameworks, from the same weights."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import models
from models.weights import export, load_torch, read

ROOT = Path(__file__).resolve().parents[2]
SHAPES = {
    "digits": ((8, 8, 1), 10),
    "mnist": ((28, 28, 1), 10),
    "cifar10": ((32, 32, 3), 10),
    "cifar100": ((32, 32, 3), 100),
    "small-imagenet": ((64, 64, 3), 10),
    "strip": ((224, 32, 3), 10),  # gives vgg16 its ImageNet form, and not all of its weights
    "imagenet": ((224, 224, 3), 1000),
}
# What each model can take and is compared on; what it refuses is below.
COMPARED = {
    "logistic": ["digits", "mnist", "cifar10"],
    "lenet": ["digits", "mnist", "cifar10"],
    "resnet32": ["digits", "mnist", "cifar10"],
    "vgg16": ["cifar100", "strip"],
    "resnet50": ["small-imagenet"],
}
CASES = [(name, dataset) for name, datasets in COMPARED.items() for dataset in datasets]

KERAS_LOGITS = """
import sys
from pathlib import Path
import keras
import numpy as np
import models
from models.weights import load_keras
keras.config.set_floatx("float64")
for folder in map(Path, sys.argv[1:]):
    images = np.load(folder / "images.npy")
    classes = int((folder / "classes").read_text())
    model = models.load(folder.parent.name).keras_model(images.shape[1:], classes)
    load_keras(model, folder / "weights.npz")
    np.save(folder / "logits.npy", model(images, training=False).numpy())
    for layer in model.layers:
        if hasattr(layer, "rate"):
            layer.rate = 0.0
    np.save(folder / "training_logits.npy", model(images, training=True).numpy())
    moving = [w.numpy() for w in model.weights if w.name.startswith("moving_")]
    np.savez(folder / "moving.npz", *moving)
"""


def torch_side(name, dataset, folder):
    """The torch module with the case's weights and without dropout, and the case's images."""
    module = models.load(name).torch_model(*SHAPES[dataset]).double()
    load_torch(module, folder / "weights.npz")
    for layer in module.modules():
        if isinstance(layer, nn.Dropout):
            layer.p = 0.0
    return module, torch.from_numpy(np.load(folder / "images.npy").transpose(0, 3, 1, 2).copy())


def size(name, dataset):
    """The parameters in MiB, as the paper's Table 1 counts them."""
    with torch.device("meta"):
        module = models.load(name).torch_model(*SHAPES[dataset])
    return sum(p.numel() for p in module.parameters()) * 4 / 2**20


def close(actual, expected):
    """Equal but for the rounding of doubles in another order."""
    np.testing.assert_allclose(actual, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())


@pytest.fixture(scope="module")
def keras(tmp_path_factory):
    """The folder <model>/<dataset> of each case: images, weights, and what Keras makes of them.

    In double precision, so that what differs is the network and not the rounding.
    """
    root = tmp_path_factory.mktemp("keras")
    folders = []
    for name, dataset in CASES:
        shape, classes = SHAPES[dataset]
        folder = root / name / dataset
        export(name, shape, classes, 3, folder / "weights.npz")
        rng = np.random.default_rng(0)
        # Biases and batch norm start as ones and zeros, which would hide that they are mixed up.
        drawn = {
            key: array + rng.uniform(0.1, 0.5, array.shape) if array.ndim == 1 else array
            for key, array in read(folder / "weights.npz").items()
        }
        np.savez(folder / "weights.npz", **drawn)
        np.save(folder / "images.npy", rng.normal(size=(5, *shape)))
        (folder / "classes").write_text(str(classes))
        folders.append(str(folder))
    subprocess.run([sys.executable, "-c", KERAS_LOGITS, *folders], check=True, cwd=ROOT)
    yield root
    shutil.rmtree(root)


@pytest.mark.parametrize(("name", "dataset"), CASES)
def test_torch_and_keras_give_the_same_logits(name, dataset, keras):
    folder = keras / name / dataset
    module, images = torch_side(name, dataset, folder)
    with torch.inference_mode():
        close(module.eval()(images).numpy(), np.load(folder / "logits.npy"))


@pytest.mark.parametrize(("name", "dataset"), CASES)
def test_torch_and_keras_agree_in_training(name, dataset, keras):
    """Torch's running variance takes in n / (n - 1) times what Keras's moving variance does."""
    folder = keras / name / dataset
    module, images = torch_side(name, dataset, folder)
    norms = [m for m in module.modules() if isinstance(m, nn.BatchNorm1d | nn.BatchNorm2d)]
    values, before = {}, [norm.running_var.numpy().copy() for norm in norms]
    for norm in norms:
        norm.register_forward_hook(lambda m, x, _: values.update({m: x[0].numel() / x[0].shape[1]}))
    with torch.no_grad():
        close(module.train()(images).numpy(), np.load(folder / "training_logits.npy"))
    with np.load(folder / "moving.npz") as file:
        moving = list(file.values())
    assert len(moving) == 2 * len(norms)
    for norm, var, mean, biased in zip(norms, before, moving[::2], moving[1::2], strict=True):
        n = values[norm]
        close(norm.running_mean, mean)
        close(norm.running_var, 0.9 * var + (biased - 0.9 * var) * n / (n - 1))


def test_every_model_is_compared():
    assert sorted(COMPARED) == models.known()


def test_shared_layers_are_no_model():
    assert not [name for name in models.known() if name.startswith("_") or name == "weights"]


@pytest.mark.parametrize(
    ("name", "dataset", "mebibytes"),
    [
        ("lenet", "mnist", 4.24),
        ("resnet32", "cifar10", 1.79),
        ("vgg16", "cifar100", 57.37),
        ("resnet50", "imagenet", 97.49),
        ("vgg16", "imagenet", 527.82),  # not in the paper
    ],
)
def test_models_are_as_large_as_the_paper_says(name, dataset, mebibytes):
    assert round(size(name, dataset), 2) == mebibytes  # Table 1


@pytest.mark.parametrize(
    ("name", "dataset", "advice"),
    [
        ("vgg16", "digits", "use lenet or resnet32"),
        ("vgg16", "mnist", "use lenet or resnet32"),
        ("resnet50", "digits", "use resnet32"),
        ("resnet50", "mnist", "use resnet32"),
        ("resnet32", "imagenet", "use resnet50"),
    ],
)
def test_unsuitable_images_are_refused_in_a_sentence(name, dataset, advice):
    shape, classes = SHAPES[dataset]
    with pytest.raises(ValueError, match=f"^{name} .* {shape[0]}x{shape[1]}: {advice}$"):
        models.load(name).torch_model(shape, classes)


@pytest.mark.parametrize("name", models.known())
def test_gradients_reach_every_parameter_through_functional_call(name):
    """As replicas do it: parameters and statistics from outside the module."""
    shape, classes = SHAPES[COMPARED[name][0]]
    module = models.load(name).torch_model(shape, classes).train()
    parameters = {n: p.detach().clone().requires_grad_() for n, p in module.named_parameters()}
    buffers = {n: b.clone() for n, b in module.named_buffers()}
    images = torch.randn(3, shape[2], *shape[:2])
    logits = torch.func.functional_call(module, (parameters, buffers), (images,))
    logits.square().sum().backward()
    assert all(p.grad is not None and p.grad.any() for p in parameters.values())
    assert all(p.grad is None for p in module.parameters())
    moved = [n for n, b in module.named_buffers() if not torch.equal(b, buffers[n])]
    assert moved == list(buffers)  # those given moved, the module's own did not


def test_weights_come_from_the_seed(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        export("lenet", (8, 8, 1), 10, seed, tmp_path / f"{name}.npz")
    a, b, c = (read(tmp_path / f"{name}.npz") for name in "abc")
    assert all(np.array_equal(a[name], b[name]) for name in a)
    assert not np.array_equal(a["0.weight"], c["0.weight"])


def test_unknown_model_is_named_with_those_there_are():
    with pytest.raises(ValueError, match=r"'lnet'; use one of .*lenet"):
        models.load("lnet")
