"""A run that is asked to stop, as batch schedulers do: by SIGTERM, some time before they kill.

It ends after the epoch under way, with a checkpoint and the exit code `RESUME`, and leaves no
status: it is neither finished nor failed, and the same command goes on with it.
"""

import signal
import sys
from collections.abc import Callable, Iterable
from typing import Protocol

RESUME = 75  # EX_TEMPFAIL of sysexits.h: not done, to be tried again
GOES_ON = "Stopped by SIGTERM; the same command goes on."

_requested = False


class Started(Protocol):
    """A process that this one has started: of `subprocess` or of `multiprocessing`."""

    def terminate(self) -> None:
        """Send it SIGTERM."""


class Stopped(SystemExit):
    """The run was asked to stop before its end; where nobody catches it, the code is `RESUME`."""

    def __init__(self) -> None:
        super().__init__(RESUME)


def listen(started: Callable[[], Iterable[Started]] = tuple) -> None:
    """From now on SIGTERM is a request, passed on to what `started` names then."""

    def request(*_: object) -> None:
        global _requested
        _requested = True
        for process in started():
            process.terminate()

    signal.signal(signal.SIGTERM, request)


def at_once() -> None:
    """From now on SIGTERM ends this process where it is: it has nothing to end first.

    Raises:
        Stopped: it was asked before, by what has ended since.
    """

    def end(*_: object) -> None:
        print(GOES_ON, file=sys.stderr)
        raise Stopped

    signal.signal(signal.SIGTERM, end)
    if _requested:
        end()


def requested() -> bool:
    """Whether this process was asked to stop."""
    return _requested
