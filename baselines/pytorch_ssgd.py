"""Synchronous SGD in PyTorch: from the plain eager loop to one compiled, captured step.

DistributedDataParallel over devices: every device's batch, one mean gradient, one model. Options
say in how many parts a batch is computed, and how DistributedDataParallel sends gradients.
"""

from contextlib import nullcontext

import torch
from torch import Tensor

from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread


class PyTorchSSGD(TorchTraining):
    """One rank of S-SGD.

    A batch is computed in `accumulate` equal parts, one after the other: the mean gradient is the
    same, a batch norm has the statistics of a part. Gradients are sent once, in buckets of
    `bucket_mb` MB (0: as torch has it); a `static_graph` is one that never changes.
    """

    def parallel(self) -> torch.nn.Module:
        """The model whose gradients become the mean over devices."""
        method = self.spec.method
        return self.data_parallel(
            bucket_cap_mb=method["bucket_mb"] or None, static_graph=method["static_graph"]
        )

    def backward(self, images: Tensor, labels: Tensor) -> Tensor:
        """The gradient of the batch, sent with its last part."""
        parts = self.spec.method["accumulate"]
        if parts == 1:
            return super().backward(images, labels)
        alone = self.forward.no_sync() if self.ranks > 1 else nullcontext()
        *first, last = zip(images.chunk(parts), labels.chunk(parts), strict=True)
        with alone:
            losses = [self._part(*part) for part in first]
        return torch.stack([*losses, self._part(*last)]).sum()

    def _part(self, images: Tensor, labels: Tensor) -> Tensor:
        loss = self.loss(images, labels) / self.spec.method["accumulate"]
        loss.backward()
        return loss.detach()


if __name__ == "__main__":
    runner.main(PyTorchSSGD, spread)
