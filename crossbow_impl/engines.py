"""How one device computes its learners' gradients: the seam between the algorithm and the machine.

An engine fills `learners.g` from one batch per learner and returns the learners' losses [m]. It
may run the learners at once, but when it returns, work that the caller puts on the device sees all
gradients.
"""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from crossbow_impl.learners import Learners

Batch = tuple[Tensor, Tensor]  # images [b, C, H, W] float32, labels [b] int64


class Engine(Protocol):
    """Gradients of many learners on one device."""

    def gradients(self, learners: Learners, batches: Sequence[Batch]) -> Tensor:
        """Fill `learners.g` with each learner's mean gradient on its batch; losses [m]."""

    def drain(self) -> None:
        """Return once the device has no work left."""


class CpuEngine:
    """One learner after the other, on the one thread that a CPU device is."""

    def gradients(self, learners: Learners, batches: Sequence[Batch]) -> Tensor:
        """See `Engine.gradients`."""
        learners.g.zero_()
        return torch.stack(
            [
                backward(module, batch)
                for module, batch in zip(learners.modules, batches, strict=True)
            ]
        )

    def drain(self) -> None:
        """A CPU has no queue."""


class StreamEngine:
    """Each learner on a CUDA stream of its own, forked from and joined to the current stream."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.streams: list[torch.cuda.Stream] = []

    def gradients(self, learners: Learners, batches: Sequence[Batch]) -> Tensor:
        """See `Engine.gradients`."""
        current = torch.cuda.current_stream(self.device)
        learners.g.zero_()
        while len(self.streams) < len(learners):
            self.streams.append(torch.cuda.Stream(self.device))
        losses = []
        for module, batch, stream in zip(learners.modules, batches, self.streams, strict=False):
            stream.wait_stream(current)
            with torch.cuda.stream(stream):
                images, labels = (part.to(self.device, non_blocking=True) for part in batch)
                loss = backward(module, (images, labels))
                loss.record_stream(current)
                losses.append(loss)
        for stream in self.streams[: len(learners)]:
            current.wait_stream(stream)
        return torch.stack(losses)

    def drain(self) -> None:
        """See `Engine.drain`."""
        torch.cuda.synchronize(self.device)


def backward(module: torch.nn.Module, batch: Batch) -> Tensor:
    """Add the gradient of the mean cross-entropy to the module's gradients; the loss, detached."""
    images, labels = batch
    loss = cross_entropy(module(images), labels)
    loss.backward()
    return loss.detach()


def engine_for(device: torch.device) -> Engine:
    """The engine of a device type."""
    return StreamEngine(device) if device.type == "cuda" else CpuEngine()
