"""Between devices: the all-reduce that a device starts and goes on without."""

import torch
import torch.distributed as dist
from torch import Tensor


class Sync:
    """Sums over `devices` ranks of the default process group; nothing to do on a single device.

    `start` hands over a tensor and returns at once; the next iteration's gradients overlap the
    all-reduce, and `wait` gives the sum when the algorithm cannot go on without it.
    """

    def __init__(self, devices: int) -> None:
        self.devices = devices
        self._pending: tuple[Tensor, dist.Work | None] | None = None

    def start(self, share: Tensor) -> None:
        """Begin summing `share`, which is overwritten by the sum, over all devices."""
        work = dist.all_reduce(share, async_op=True) if self.devices > 1 else None
        self._pending = (share, work)

    def wait(self) -> Tensor | None:
        """The sum of what was started last, once; None when nothing is under way."""
        if self._pending is None:
            return None
        (total, work), self._pending = self._pending, None
        if work is not None:
            work.wait()
        return total

    def mean(self, value: Tensor) -> Tensor:
        """The mean of `value` over all devices."""
        if self.devices == 1:
            return value
        total = value.clone()
        dist.all_reduce(total)
        return total / self.devices

    def broadcast(self, value: int, device: torch.device) -> int:
        """Rank 0's `value` on every rank."""
        if self.devices == 1:
            return value
        shared = torch.tensor([value], device=device)
        dist.broadcast(shared, src=0)
        return int(shared.item())
