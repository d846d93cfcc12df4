"""Networks that torchvision has as well, from weights that are ours, say the same there."""

import pytest
import torch
from torch import nn

import models
from benchmarks.torchvision_here import torchvision

# Our name, torchvision's, the smallest images that both take.
SAME = [
    ("alexnet", "alexnet", (224, 224)),
    pytest.param("vgg_a", "vgg11", (224, 224), marks=pytest.mark.slow),
    pytest.param("vgg_b", "vgg13", (224, 224), marks=pytest.mark.slow),
    pytest.param("vgg_d", "vgg16", (224, 224), marks=pytest.mark.slow),
    pytest.param("vgg_e", "vgg19", (224, 224), marks=pytest.mark.slow),
    ("resnet18", "resnet18", (35, 64)),
    ("resnet34", "resnet34", (35, 64)),
    ("resnet50_v15", "resnet50", (35, 64)),
    pytest.param("resnet101_v15", "resnet101", (35, 64), marks=pytest.mark.slow),
    pytest.param("resnet152_v15", "resnet152", (35, 64), marks=pytest.mark.slow),
    ("googlenet_bn", "googlenet", (65, 70)),
    ("inception_v3", "inception_v3", (75, 80)),
]
# Side classifiers, which we have none of.
SIDE = {"googlenet": ["aux1", "aux2"], "inception_v3": ["AuxLogits"]}


@pytest.fixture(scope="module")
def theirs():
    """torchvision's models."""
    return torchvision().models


@pytest.mark.parametrize(("name", "other", "sides"), SAME)
def test_torchvision_says_the_same_from_our_weights(name, other, sides, theirs):
    torch.manual_seed(1)
    ours = models.load(name).torch_model((*sides, 3), 1000)
    for layer in ours.modules():
        if isinstance(layer, nn.BatchNorm2d):
            for values in (layer.running_mean, layer.running_var, layer.weight, layer.bias):
                nn.init.uniform_(values, 0.1, 0.9)
    options = {"init_weights": False} if other in SIDE or other.startswith("vgg") else {}
    network = getattr(theirs, other)(weights=None, **options)
    for side in SIDE.get(other, []):
        setattr(network, side, None)
    weights = ours.state_dict()
    names = network.state_dict()
    assert [v.shape for v in names.values()] == [v.shape for v in weights.values()]
    network.load_state_dict(dict(zip(names, weights.values(), strict=True)))
    images = torch.randn(2, 3, *sides)
    for training in (False, True):
        for module in (network.train(training), ours.train(training)):
            for layer in module.modules():
                if isinstance(layer, nn.Dropout):
                    layer.eval()
        with torch.no_grad():
            expected, actual = network(images), ours(images)
        expected = expected if torch.is_tensor(expected) else expected[0]
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5 * expected.abs().max())
