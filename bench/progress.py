"""One line that tells which run of how many is at which epoch and accuracy."""

import sys
import time
from pathlib import Path

from bench import record
from bench.spec import RunSpec

MATRIX = "matrix.txt"
QUIET_S = 5.0  # between lines, where the output is a file and lines cannot be overwritten


class Progress:
    """Reports on stderr. `states` holds matrix.txt, the ids of all planned runs, one a line."""

    def __init__(self, spec: RunSpec, out: Path, states: Path) -> None:
        self._spec, self._out, self._matrix = spec, out, states / MATRIX
        self._terminal = sys.stderr.isatty()
        self._epoch = 0
        self._next = time.monotonic() + QUIET_S

    def show(self) -> None:
        """Report the newest epoch if there is one that was not reported yet."""
        rows = record.read_table(self._out / record.EPOCHS)
        if not rows or int(rows[-1]["epoch"]) == self._epoch:
            return
        if self._terminal or time.monotonic() >= self._next:
            self._epoch = int(rows[-1]["epoch"])
            self._next = time.monotonic() + QUIET_S
            accuracy = float(rows[-1]["test_acc"])
            self._line(f"epoch {self._epoch}/{self._spec.epochs}  accuracy {accuracy:.3f}")

    def end(self, status: str, reason: str, done: bool = True) -> None:
        """Report how the run ended, and whether it is done with that."""
        self._line(f"{status}: {reason}", ended=int(done))
        if self._terminal:
            print(file=sys.stderr)

    def _line(self, text: str, ended: int = 0) -> None:
        ids = self._matrix.read_text().split() if self._matrix.exists() else [self._spec.id]
        # A run that just wrote its status is still ending; it counts once it has ended.
        others = [self._out.parent / id / record.STATUS for id in ids if id != self._spec.id]
        done = sum(status.exists() for status in others) + ended
        line = f"[{done}/{len(ids)} runs done] {self._spec.id}  {text}"
        start, end = ("\r\x1b[K", "") if self._terminal else ("", "\n")
        print(start + line, end=end, file=sys.stderr, flush=True)
