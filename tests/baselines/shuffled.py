"""Pixels in an order of their own, whose indices are a buffer."""

import torch
from torch import nn


class Shuffled(nn.Module):
    def __init__(self, shape):
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.register_buffer(
            "order", torch.randperm(shape[0] * shape[1] * shape[2], generator=generator)
        )

    def forward(self, images):
        return images.flatten(1)[:, self.order]
