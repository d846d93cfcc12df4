"""A network of what networks of users have: indices, and weights used in several ways."""

import torch
from torch import nn
from torch.nn import functional


class Odd(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        features = shape[0] * shape[1] * shape[2]
        order = torch.randperm(features, generator=torch.Generator().manual_seed(1))
        self.register_buffer("order", order)
        self.tied, self.plain = nn.Linear(features, 24), nn.Linear(features, features)
        self.functional = nn.Linear(features, classes)

    def forward(self, images):
        pixels = images.flatten(1)[:, self.order]
        hidden = torch.relu(self.plain(input=pixels))
        coded = functional.linear(torch.relu(self.tied(hidden)), self.tied.weight.t())
        return functional.linear(coded, self.functional.weight, self.functional.bias)


def torch_model(shape, classes):
    return Odd(shape, classes)
