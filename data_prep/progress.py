"""How far a long step is: a line that rewrites itself on a terminal, one a minute in a file."""

import sys
import time
from typing import TextIO

_EVERY_S = {True: 0.2, False: 60.0}  # by whether it is a terminal


class Progress:
    """Counts `total` things from `done`; shows rate and time left on stderr."""

    def __init__(self, what: str, total: int, done: int = 0, stream: TextIO | None = None) -> None:
        self._what, self._total, self._first = what, total, done
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._start = self._shown = time.monotonic()

    def update(self, done: int) -> None:
        """Show that `done` of the total are done, unless something was shown just now."""
        now = time.monotonic()
        if now - self._shown < _EVERY_S[self._terminal]:
            return
        self._shown = now
        line = self.line(done, now - self._start)
        print(
            f"\r\x1b[K{line}" if self._terminal else line,
            end="" if self._terminal else "\n",
            file=self._stream,
            flush=True,
        )

    def line(self, done: int, seconds: float) -> str:
        """What is said when `done` are done, `seconds` after the start."""
        rate = (done - self._first) / seconds if seconds else 0
        left = f", {_duration((self._total - done) / rate)} left" if rate else ""
        return f"{self._what}: {done:,} of {self._total:,} images, {rate:,.0f}/s{left}"

    def close(self) -> None:
        """Clear the line of a terminal."""
        if self._terminal:
            print("\r\x1b[K", end="", file=self._stream, flush=True)


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"
