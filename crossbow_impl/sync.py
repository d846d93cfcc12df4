"""Between devices: the all-reduce that a device starts and goes on without."""

import torch
import torch.distributed as dist
from torch import Tensor

from bench.agreement import from_rank_0


class Sync:
    """Sums over `devices` ranks of the default process group; nothing to do on a single device.

    `start` hands over a tensor and returns at once: the next iteration's gradients overlap the
    all-reduce. NCCL has a stream of its own, and `wait` makes the current stream wait for it.
    `sent_bytes` counts what this rank has handed over.
    """

    def __init__(self, devices: int) -> None:
        self.devices = devices
        self._pending: dist.Work | None = None
        self.sent_bytes = 0

    def connect(self, share: Tensor) -> None:
        """Sum zeros as large as `share`: NCCL connects at the first sum, which takes seconds."""
        if self.devices > 1:
            dist.all_reduce(torch.zeros_like(share))

    def start(self, share: Tensor) -> None:
        """Begin summing `share`, which is overwritten by the sum, over all devices."""
        self._pending = dist.all_reduce(share, async_op=True)
        self.sent_bytes += share.numel() * share.element_size()

    def wait(self) -> bool:
        """Whether a sum was under way; what the caller does next on the device sees it."""
        work, self._pending = self._pending, None
        if work is None:
            return False
        work.wait()
        return True

    def mean(self, value: Tensor) -> Tensor:
        """The mean of `value` over all devices."""
        if self.devices == 1:
            return value
        total = value.clone()
        dist.all_reduce(total)
        return total / self.devices

    def all(self, here: bool, device: torch.device) -> bool:
        """Whether `here` holds on every rank."""
        holds = torch.tensor([float(here)], device=device)
        return bool(self.mean(holds) == 1)

    def agree(self, value: float, device: torch.device) -> float:
        """Rank 0's `value` on every rank; none has it before all have asked."""
        return value if self.devices == 1 else from_rank_0(value, device)
