"""What methods share that send gradients between ranks in a form of their own.

A hook of DistributedDataParallel encodes each bucket of gradients as it becomes ready, gathers
every rank's message while the backward pass goes on, and leaves the mean of what they say. One
device sends nothing, and is plain SGD.
"""

from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import Tensor

from baselines.torch_training import TorchTraining
from bench.clock import Ledger
from bench.system import Context


class CompressedTraining(TorchTraining):
    """One rank. A subclass has `encode` and `decode`, and names in `MEMORIES` what it keeps.

    `kept` has a tensor of zeros [elements] for each memory and parameter. A parameter's elements
    are in the order in which its memory has them, whatever its format.
    """

    MEMORIES: tuple[str, ...]

    def __init__(self, context: Context) -> None:
        self.kept: dict[str, Tensor] = {}
        super().__init__(context)

    def encode(self, gradients: dict[str, Tensor]) -> Tensor:
        """A message [length] that stands for this rank's gradients [elements], by parameter.

        In an iteration it has the same length on every rank.
        """
        raise NotImplementedError

    def decode(self, messages: Iterable[Tensor], buffer: Tensor, parts: dict[str, Tensor]) -> None:
        """Add what the ranks' messages stand for to `buffer` [elements], or to its `parts`.

        Those are views, by parameter. Every rank has to come to the same bits.
        """
        raise NotImplementedError

    def parallel(self) -> torch.nn.Module:
        """The model whose gradients become the mean of what is sent."""
        named = self.model.named_parameters()
        self.names = {p: name for name, p in named if p.requires_grad}
        for memory in self.MEMORIES:
            for parameter, name in self.names.items():
                elements = torch.zeros(parameter.numel(), device=self.device)
                self.kept[f"{memory}.{name}"] = elements
        forward = self.data_parallel()
        forward.register_comm_hook(self, type(self).exchange)
        return forward

    def exchange(self, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:
        """The hook: from this rank's gradients in `bucket` to the mean."""
        buffer, parameters = bucket.buffer(), bucket.parameters()
        views = buffer.split([parameter.numel() for parameter in parameters])
        names = [self.names[parameter] for parameter in parameters]
        parts = dict(zip(names, views, strict=True))
        message = self.encode(parts)
        self.sent_bytes += message.nbytes
        gathered = [torch.empty_like(message) for _ in range(self.ranks)]
        work = dist.all_gather(gathered, message, async_op=True)

        def mean(future: torch.futures.Future[list[Tensor]]) -> Tensor:
            buffer.zero_()
            # The future's own tensors, whose stream is known: gloo has one per rank, NCCL one.
            messages = torch.cat(future.value()).flatten().chunk(self.ranks)
            self.decode(messages, buffer, parts)
            return buffer.div_(self.ranks)

        return work.get_future().then(mean)

    def step_bytes(self) -> int:
        """Nothing beside what `exchange` has counted."""
        return 0

    def prepare(self, ledger: Ledger) -> None:
        """What the warm-up step left over is forgotten."""
        super().prepare(ledger)
        for elements in self.kept.values():
            elements.zero_()

    def extra_tensors(self) -> dict[str, Tensor]:
        """What is kept from step to step."""
        return self.kept
