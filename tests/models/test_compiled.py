"""torch.compile takes the networks whole, and its forward and backward pass are the same."""

import pytest
import torch
from cases import Case, network_of
from torch.nn.functional import cross_entropy

CORNERS, CIFAR = (31, 22, 3), (32, 32, 3)


@pytest.mark.slow
@pytest.mark.parametrize("case", [Case("corners", CORNERS), Case("resnet20", CIFAR)], ids=str)
def test_compiled_networks_have_the_same_loss_and_gradients(case):
    torch.manual_seed(1)
    height, width, channels = case.shape
    module = network_of(case).torch_model(case.shape, 10).double()
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
