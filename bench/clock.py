"""The ledger of phases: every second of a run belongs to exactly one phase."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

PHASES = ("setup", "compile", "warmup", "train", "eval", "checkpoint", "other")


class Ledger:
    """Seconds by phase, on the monotonic clock, read only after `drain` has emptied the device.

    Exactly one phase is open at any time, so the phases sum to the time since `started`.
    `started` is a `time.monotonic()` value, which one machine's processes share; `carried` holds
    the seconds of an earlier, interrupted process of the same run.
    """

    def __init__(
        self,
        drain: Callable[[], None] = lambda: None,
        started: float | None = None,
        carried: Mapping[str, float] | None = None,
    ) -> None:
        self.drain = drain
        self.seconds = dict.fromkeys(PHASES, 0.0) | dict(carried or {})
        self._open = "setup"
        self._since = time.monotonic() if started is None else started

    def switch(self, phase: str) -> str:
        """Close the open phase, open `phase`, and return the one that was open.

        Raises:
            ValueError: `phase` is not one of `PHASES`.
        """
        if phase not in PHASES:
            raise ValueError(f"{phase!r} is not a phase; use one of {', '.join(PHASES)}")
        self.drain()
        now = time.monotonic()
        self.seconds[self._open] += now - self._since
        closed, self._open, self._since = self._open, phase, now
        return closed

    @contextmanager
    def phase(self, phase: str) -> Iterator[None]:
        """Spend the block in `phase`, then return to the phase that was open."""
        before = self.switch(phase)
        try:
            yield
        finally:
            self.switch(before)

    @property
    def total(self) -> float:
        """Seconds in all closed stretches."""
        return sum(self.seconds.values())
