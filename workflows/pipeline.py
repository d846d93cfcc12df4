"""The pipeline as a process: alone on its results folder, with its own python, repeatable."""

import fcntl
import os
import shlex
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import psutil

from bench import record
from bench.progress import MATRIX

_held: list[object] = []  # the lock lives as long as this process, and dies with it
_stopping = threading.Event()


class ResultsRefused(RuntimeError):
    """The results folder can't be worked on; one sentence that says why."""


def hold_results(results: Path, runs: list[str]) -> None:
    """Lock `results` for this process and note its planned runs for the progress line.

    The kernel lets go of the lock when the process ends, also by `kill -9`, so that there is never
    a stale lock to remove by hand.

    Raises:
        ResultsRefused: another process holds the lock, or the folder can't be written.
    """
    state = results / "state"
    try:
        state.mkdir(parents=True, exist_ok=True)
        lock = (state / "pipeline.lock").open("a+")
        _lock(lock, results)
        (state / MATRIX).write_text("\n".join(runs) + "\n")
    except OSError as error:
        raise ResultsRefused(
            f"{results} can't be written ({error.strerror}); make it writable, or use another "
            "folder with `--config results=FOLDER`"
        ) from None


def _lock(lock: TextIO, results: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        owner = lock.read().strip() or "unknown"
        raise ResultsRefused(
            f"another pipeline (process {owner}) works on {results}; wait for it to end, or use "
            "another folder with `--config results=FOLDER`"
        ) from None
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    _held.append(lock)


def stop_runs_on_sigterm() -> None:
    """Let SIGTERM, as a batch scheduler sends it, end this pipeline within an epoch.

    Snakemake by itself would wait for the end of the run under way. To be called when it has its
    own answer to the signal, which is to start nothing any more.
    """
    start_nothing_more = signal.getsignal(signal.SIGTERM)

    def stop(*_: object) -> None:
        _stopping.set()
        # In a thread, as it takes a lock that this one may hold.
        threading.Thread(target=start_nothing_more).start()
        for process in psutil.Process().children(recursive=True):
            if "bench.launch" in process.cmdline():
                process.terminate()

    signal.signal(signal.SIGTERM, stop)


def stopping() -> bool:
    """Whether SIGTERM has come."""
    return _stopping.is_set()


def failed_runs(results: Path, runs: list[str]) -> list[str]:
    """A line, id and reason, for each of `runs` that failed; a target may have needed none."""
    return [
        f"{run}: {outcome['reason']}"
        for run, outcome in outcomes(results, runs).items()
        if outcome["status"] == record.FAILED
    ]


def outcomes(results: Path, runs: list[str]) -> dict[str, dict[str, Any]]:
    """How each of `runs` ended, its status.json, of those that did."""
    statuses = {run: results / "runs" / run / record.STATUS for run in runs}
    return {run: record.read_json(path) for run, path in statuses.items() if path.exists()}


def prefer_this_python() -> None:
    """Make `python` mean Snakemake's own, also where its environment was not activated.

    A rule's conda environment, activated later, still comes first.
    """
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def rerun_command(results: str, configfiles: Sequence[Path], overrides: Mapping[str, str]) -> str:
    """The command that repeats run `{run}` with the config that this pipeline was given.

    `configfiles` and `overrides` are the values of --configfile and --config.
    """
    words = ["snakemake", "--cores", "all"]
    if configfiles:
        here = Path.cwd()
        paths = [p.relative_to(here) if p.is_relative_to(here) else p for p in configfiles]
        words += ["--configfile", *map(str, paths)]
    if overrides:
        words += ["--config", *(f"{key}={value}" for key, value in overrides.items())]
    target = f"{shlex.quote(results)}/runs/{{run}}/{record.STATUS}"
    return f"{shlex.join(words)} --forcerun {target}"
