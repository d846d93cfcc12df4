"""The process of a cell, `python -m benchmarks.cell`, as those who wait for its rows see it."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

from benchmarks.engine_table import key
from workflows.validate import ConfigError

CELL_S = 240.0  # a cell that takes longer is killed; its rows until then count


def variables() -> dict[str, str]:
    """The environment variables of a cell's process."""
    return os.environ | {"CUDA_DEVICE_MAX_CONNECTIONS": "32"}


def packages(python: str) -> dict[str, str]:
    """The versions in another interpreter's environment.

    Raises:
        ConfigError: it can't say them, for want of the suite's packages.
    """
    command = [python, "-m", "bench.environment"]
    asked = subprocess.run(command, env=variables(), capture_output=True, text=True, check=False)
    if asked.returncode:
        why = (asked.stderr.strip() or "no message").splitlines()[-1]
        raise ConfigError(f"{python} can't describe its environment: {why}")
    return dict(json.loads(asked.stdout)["packages"])


def measured(
    cell: dict[str, Any],
    data: Path,
    limit_s: float = CELL_S,
    options: tuple[str, ...] = (),
    python: str = sys.executable,
) -> Generator[dict[str, Any], None, int]:
    """The cell's rows as its process prints them; none more after `limit_s` seconds.

    The code with which the process ended is the generator's value.
    """
    command = [python, "-m", "benchmarks.cell", json.dumps(cell), "--data", str(data)]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, text=True, env=variables(),
        start_new_session=True,
    ) as process:  # fmt: skip
        # The whole group: a cell of several devices has a process for each.
        timer = threading.Timer(limit_s, os.killpg, (process.pid, signal.SIGKILL))
        try:
            timer.start()
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("{"):
                    row = json.loads(line)
                    print(key(row), row["images_per_s"], flush=True)
                    yield row
        except BaseException:  # an interrupt of this process does not reach that group
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            timer.cancel()
    if process.returncode == -signal.SIGKILL:
        print(f"killed, as its time or its memory was over: {cell}", flush=True)
    elif process.returncode:
        print(f"ended with code {process.returncode}: {cell}", flush=True)
    return process.returncode
