"""Host memory that a GPU copies from on its own, used in turn."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor


class PinnedRing:
    """`count` buffers of images, uint8 [rows, *shape]; what is taken first is copied first."""

    def __init__(self, count: int, rows: int, shape: Sequence[int]) -> None:
        self.rows = rows
        self._buffers = [
            torch.empty(rows, *shape, dtype=torch.uint8, pin_memory=True) for _ in range(count)
        ]
        self._copied = [torch.cuda.Event() for _ in range(count)]
        self._taken = self._sent = 0

    def take(self, rows: int) -> np.ndarray:
        """The next buffer's first rows, once the GPU has copied what they held."""
        turn = self._taken % len(self._buffers)
        self._taken += 1
        self._copied[turn].synchronize()
        return self._buffers[turn][:rows].numpy()

    def send(self, target: Tensor, stream: torch.cuda.Stream) -> torch.cuda.Event:
        """Queue a copy of the oldest buffer taken to `target`; the event is its end."""
        turn = self._sent % len(self._buffers)
        self._sent += 1
        with torch.cuda.stream(stream):
            target.copy_(self._buffers[turn][: len(target)], non_blocking=True)
            self._copied[turn].record(stream)
        return self._copied[turn]

    def forget(self) -> None:
        """Copy nothing of what was taken up to now."""
        self._sent = self._taken
