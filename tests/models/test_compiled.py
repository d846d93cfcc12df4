"""torch.compile takes the networks whole, and its forward and backward pass are the same."""

import functools

import pytest
import torch
from cases import CORNERS
from torch.nn.functional import cross_entropy

from models import resnet_cifar
from models._network import Network

CASES = [
    (Network("corners", lambda shape, classes: CORNERS), (31, 22, 3)),
    # Every kind of unit is there once: more of them take the compiler minutes, and are no others.
    (Network("resnet8", functools.partial(resnet_cifar.v1, 8)), (32, 32, 3)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("network", "shape"), CASES, ids=["corners", "resnet8"])
def test_compiled_networks_have_the_same_loss_and_gradients(network, shape):
    torch.manual_seed(1)
    height, width, channels = shape
    module = network.torch_model(shape, 10).double()
    images, labels = torch.randn(4, channels, height, width).double(), torch.tensor([1, 2, 3, 4])
    compiled = torch.compile(module, fullgraph=True, dynamic=False)
    results = []
    for forward in (module, compiled):
        module.zero_grad()
        loss = cross_entropy(forward(images), labels)
        loss.backward()
        results.append([loss.detach(), *(p.grad.clone() for p in module.parameters())])
    for eager, other in zip(*results, strict=True):
        torch.testing.assert_close(other, eager, rtol=1e-8, atol=1e-9)
