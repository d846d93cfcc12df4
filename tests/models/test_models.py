"""What models are, whatever builds them: names, sizes, what they refuse, their weights."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from kinds import KINDS

import models
from models.weights import export, load_keras, read

SHAPES = {
    "digits": ((8, 8, 1), 10),
    "mnist": ((28, 28, 1), 10),
    "cifar10": ((32, 32, 3), 10),
    "cifar100": ((32, 32, 3), 100),
    "alexnet": ((63, 63, 3), 10),
    "imagenet": ((224, 224, 3), 1000),
}


def size(name, dataset):
    """The parameters in MiB, as the paper's Table 1 counts them."""
    with torch.device("meta"):
        module = models.load(name).torch_model(*SHAPES[dataset])
    return sum(p.numel() for p in module.parameters()) * 4 / 2**20


def test_files_of_shared_code_are_no_models():
    assert not {"weights", "table"} & set(models.known())
    assert not [name for name in models.known() if name.startswith("_")]


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ({"dense/kernel": (64, 11), "dense/bias": (11,)}, "dense/kernel (64, 11) where"),
        ({"dense/kernel": (64, 10)}, "no more where the torch model has 1.bias (10,)"),
        ({"dense/kernel": (64, 10), "b": (10,), "c": (1,)}, "c (1,) where the torch model has no"),
    ],
)
def test_a_keras_model_with_other_layers_is_refused_by_the_first(shapes, words, tmp_path):
    path = tmp_path / "mine/digits/seed-1.npz"
    export("logistic", (8, 8, 1), 10, 1, path)
    weights = [SimpleNamespace(path=name, shape=shape) for name, shape in shapes.items()]
    with pytest.raises(ValueError, match=r"mine/digits.*same layers in the same order") as refusal:
        load_keras(SimpleNamespace(weights=weights), path)
    assert words in str(refusal.value)


def test_a_model_knows_its_module():
    assert models.module_of("vgg16") == models.module_of("vgg_a") == "models.vgg"


@pytest.mark.parametrize("keras", [True, False])
def test_a_file_may_hold_a_model_written_by_hand_for_one_framework(keras, tmp_path, monkeypatch):
    functions = ["torch_model", "keras_model"] if keras else ["torch_model"]
    lines = [f"def {each}(shape, classes):\n    return {each!r}\n" for each in functions]
    name = f"by_hand_{len(functions)}"  # a module is imported once
    (tmp_path / f"{name}.py").write_text("\n".join(lines))
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    monkeypatch.setattr(models, "__path__", [str(tmp_path)])
    monkeypatch.setattr(models, "_found", models._found.__wrapped__)
    assert models.known() == [name]
    assert models.load(name).torch_model((8, 8, 1), 10) == "torch_model"
    assert hasattr(models.load(name), "keras_model") == keras


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
        ("convnet", "digits", None),
        ("alexnet", "cifar10", "use convnet"),
        ("inception_v3", "alexnet", "use resnet50"),
    ],
)
def test_unsuitable_images_are_refused_in_a_sentence(name, dataset, advice):
    shape, classes = SHAPES[dataset]
    if advice is None:
        models.load(name).torch_model(shape, classes)
        return
    with pytest.raises(ValueError, match=f"^{name} .* {shape[0]}x{shape[1]}: {advice}$"):
        models.load(name).torch_model(shape, classes)


@pytest.mark.parametrize("name", models.known())
def test_the_smallest_images_are_enough_and_smaller_ones_are_not(name):
    network = models.load(name)
    sides = [network.smallest, *([network.largest] if network.largest else [])]
    for side in sides:
        with torch.device("meta"):
            module = network.torch_model((side, side, 3), 10).eval()
            assert module(torch.empty(1, 3, side, side)).shape == (1, 10)
    for side in (network.smallest - 1, network.largest + 1 if network.largest else 0):
        with pytest.raises(ValueError, match="pixels a side"):
            network.check_shape((side, side, 3))


@pytest.mark.parametrize("name", KINDS)
def test_gradients_reach_every_parameter_through_functional_call(name):
    """As replicas do it: parameters and statistics from outside the module."""
    shape = KINDS[name]
    module = models.load(name).torch_model(shape, 10).train()
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
