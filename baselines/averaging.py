"""The mean over ranks, for methods whose ranks have weights of their own."""

from collections.abc import Iterable, Sequence

import torch
import torch.distributed as dist
from torch import Tensor


def as_vector(tensors: Iterable[Tensor]) -> Tensor:
    """A copy of all elements, one tensor after the other; at least one tensor."""
    return torch.cat([tensor.detach().flatten() for tensor in tensors])


def from_vector(vector: Tensor, tensors: Sequence[Tensor]) -> None:
    """Write what `as_vector` gave into tensors of those shapes, whatever their memory format."""
    parts = vector.split([tensor.numel() for tensor in tensors])
    with torch.no_grad():
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.view(tensor.shape))


def average(sources: Iterable[Tensor], targets: Iterable[Tensor]) -> None:
    """Make each target the mean over all ranks of its source; a target may be its own source.

    What is no number of floating point, a count or an index, is this rank's own.

    torch's `model_averaging.utils.average_parameters` gives parameters new storage, in another
    memory format; here they keep theirs.
    """
    numbers = []
    for source, target in zip(sources, targets, strict=True):
        if source.is_floating_point():
            numbers.append((source, target))
        else:
            target.copy_(source)
    if not numbers:
        return
    vector = as_vector(source for source, _ in numbers)
    if dist.is_initialized():
        dist.all_reduce(vector)
        vector /= dist.get_world_size()
    from_vector(vector, [target for _, target in numbers])
