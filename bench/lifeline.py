"""A process that must not outlive another: a killed pipeline leaves no training run behind."""

import os
import select
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

LAUNCHER = "CROSSBOW_LAUNCHER"
PERIOD_S = 0.5


def follow(pid: int) -> None:
    """End this process as soon as process `pid` is gone."""
    try:
        # Ready when the process ends. A signal 0 would go on reaching it for as long as nobody has
        # collected its exit status, which takes seconds where the parent was killed too.
        ended = os.pidfd_open(pid)
    except ProcessLookupError:
        _end()
    except (AttributeError, OSError):  # not Linux, or not allowed here
        _start(_poll, pid)
    else:
        _start(select.select, [ended], [], [])


def follow_launcher() -> None:
    """Follow the launcher named in the environment, if there is one."""
    if LAUNCHER in os.environ:
        follow(int(os.environ[LAUNCHER]))


def _start(wait: Callable[..., Any], *arguments: Any) -> None:
    def watch() -> None:
        wait(*arguments)
        _end()

    threading.Thread(target=watch, daemon=True, name="lifeline").start()


def _poll(pid: int) -> None:
    while _alive(pid):
        time.sleep(PERIOD_S)


def _end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
