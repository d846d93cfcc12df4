"""A process that must not outlive another: a killed pipeline leaves no training run behind."""

import os
import signal
import threading
import time

LAUNCHER = "CROSSBOW_LAUNCHER"
PERIOD_S = 0.5


def follow(pid: int) -> None:
    """End this process soon after process `pid` is gone."""

    def watch() -> None:
        while _alive(pid):
            time.sleep(PERIOD_S)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True, name=f"lifeline-{pid}").start()


def follow_launcher() -> None:
    """Follow the launcher named in the environment, if there is one."""
    if LAUNCHER in os.environ:
        follow(int(os.environ[LAUNCHER]))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
