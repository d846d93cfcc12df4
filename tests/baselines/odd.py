"""A network of what networks of users have: indices, attention, and weights of several uses."""

import torch
from shuffled import Shuffled
from torch import nn
from torch.nn import functional


class Doubled(nn.Linear):
    def forward(self, images):
        return functional.linear(images, 2 * self.weight, self.bias)


class Odd(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        self.pixels = Shuffled(shape)
        features, self.tokens = len(self.pixels.order), shape[0]
        self.embedding = nn.Linear(features // self.tokens, 8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.doubled = Doubled(8 * self.tokens, features)
        self.tied, self.plain = nn.Linear(features, 24), nn.Linear(features, features)
        self.functional = nn.Linear(features, classes)

    def forward(self, images):
        tokens = self.embedding(self.pixels(images).unflatten(1, (self.tokens, -1)))
        attended, _ = self.attention(tokens, tokens, tokens)
        hidden = torch.relu(self.doubled(attended.flatten(1)))
        hidden = torch.relu(self.plain(input=hidden))
        coded = functional.linear(torch.relu(self.tied(hidden)), self.tied.weight.t())
        return functional.linear(coded, self.functional.weight, self.functional.bias)


def torch_model(shape, classes):
    return Odd(shape, classes)
