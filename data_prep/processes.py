"""Tasks spread over processes, which end with the one that started them."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.synchronize import Event
from os import getpid
from typing import Any, TypeVar

from bench.lifeline import follow
from data_prep.manifest import RecordsError

Task = TypeVar("Task")
Result = TypeVar("Result")
# What a worker process was started with: the shared count of steps, and whether to stop.
_count: Any = None
_stop: Event | None = None


class _Stopped(Exception):
    """The parent gave up."""


def spread(
    work: Callable[[Task, Callable[[], None]], Result],
    tasks: Sequence[Task],
    workers: int,
    progress: Callable[[int], None],
    preload: Sequence[str],
) -> Iterator[Result]:
    """The results of `work(task, step)` of all tasks, as they come.

    `work` calls `step` after every image; `progress` is given the number of such calls so far.
    `preload` are modules that are imported once for all processes.

    Raises:
        RecordsError: a process died.
    """
    workers = min(workers, len(tasks))
    if workers < 2:
        yield from _here(work, tasks, progress)
        return
    # A server to fork from, as this process may have threads.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    count, stop = context.Value("q", 0), context.Event()
    pool = ProcessPoolExecutor(workers, context, _begin, (getpid(), count, stop))
    try:
        pending = {pool.submit(_in_worker, work, task) for task in tasks}
        while pending:
            done, pending = wait(pending, timeout=0.2, return_when=FIRST_COMPLETED)
            progress(count.value)
            for future in done:
                yield future.result()
    except BrokenProcessPool:
        raise RecordsError(
            "a worker process was killed, perhaps for want of memory; run this again to go on, "
            "with fewer --workers"
        ) from None
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def _here(
    work: Callable[[Task, Callable[[], None]], Result],
    tasks: Sequence[Task],
    progress: Callable[[int], None],
) -> Iterator[Result]:
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        progress(steps)

    for task in tasks:
        yield work(task, step)


def _begin(parent: int, count: Any, stop: Event) -> None:
    global _count, _stop
    _count, _stop = count, stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's to handle: it sets `stop`
    follow(parent)


def _in_worker(work: Callable[[Any, Callable[[], None]], Any], task: Any) -> Any:
    return work(task, _step)


def _step() -> None:
    with _count.get_lock():
        _count.value += 1
    if _stop.is_set():
        raise _Stopped
