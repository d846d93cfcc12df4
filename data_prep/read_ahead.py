"""Images read by threads ahead of when they are needed, in order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np
import torch

CHUNK = 4  # images that a thread reads at a time; of more, threads wait for the slowest


def threads_of(ranks: int) -> int:
    """How many threads read for one of `ranks` processes: the cores are shared out."""
    linux = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if linux else os.cpu_count() or 1
    return max(1, cores // ranks)


class ReadAhead:
    """Threads that read images; how many there are changes nothing but the time it takes."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        # Of a thread of its own torch would use all cores for each image.
        self._pool = ThreadPoolExecutor(threads, "reader", torch.set_num_threads, (1,))

    def parts_ahead(self, size: int) -> int:
        """How many parts of `size` images are read ahead: two, or what occupies all threads."""
        return max(2, -(-4 * self.threads * CHUNK // size))

    def read(
        self,
        read: Callable[[Any, np.ndarray], None],
        parts: Iterable[Any],
        size: int,
        empty: Callable[[int], np.ndarray],
    ) -> Iterator[np.ndarray]:
        """The images of each part, while those of later ones are being read.

        A part can be sliced and has at most `size` images; `read(part, out)` reads them into `out`,
        a stretch of what `empty(n)` returned. Closing the iterator, or an error, ends all reading.

        Raises:
            Exception: what `read` raised, in the turn of the part that it was raised for.
        """
        todo, waiting = iter(parts), deque[tuple[np.ndarray, list[Future]]]()

        def start() -> None:
            for part in todo:
                out = empty(len(part))
                stretches = [slice(i, i + CHUNK) for i in range(0, len(part), CHUNK)]
                jobs = [self._pool.submit(read, part[s], out[s]) for s in stretches]
                waiting.append((out, jobs))
                return

        try:
            for _ in range(self.parts_ahead(size)):
                start()
            while waiting:
                out, jobs = waiting[0]
                for job in jobs:
                    job.result()
                waiting.popleft()
                start()
                yield out
        finally:
            left = [job for _, jobs in waiting for job in jobs if not job.cancel()]
            wait(left)
