"""The most memory that tensors have taken on a CUDA device; a CPU's is not counted."""

import torch


class PeakMemory:
    """The peak since `restart`, as noted by `note`.

    The allocator's own peak also counts what an evaluation takes: `ignore` leaves out what happened
    since the last note.
    """

    def __init__(self, device: torch.device) -> None:
        self._device, self._peak = device, 0
        self._counts = device.type == "cuda"

    @property
    def bytes(self) -> int | None:
        """The peak in bytes; None on a CPU."""
        return self._peak if self._counts else None

    def now(self) -> int:
        """The bytes that tensors take now; 0 on a CPU."""
        return torch.cuda.memory_allocated(self._device) if self._counts else 0

    def ignore(self) -> None:
        """Leave out what was taken, and given back, since the last note."""
        if self._counts:
            torch.cuda.reset_peak_memory_stats(self._device)

    def restart(self) -> None:
        """Forget the peak."""
        self._peak = 0
        self.ignore()

    def note(self) -> None:
        """Count what was taken until now."""
        if self._counts:
            self._peak = max(self._peak, torch.cuda.max_memory_allocated(self._device))
