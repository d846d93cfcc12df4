"""A parameter server: weights that workers move, each when it likes, and read.

As in Dean et al., "Large scale distributed deep networks", NeurIPS 2012, section 4, but in one
process. How far a worker may run ahead is bounded as in Ho et al., "More effective distributed ML
via a stale synchronous parallel parameter server", NeurIPS 2013, section 2.
"""

import threading

from torch import Tensor
from torch.futures import Future

Answer = Future[tuple[Tensor, int] | None]


class ParameterServer:
    """`weights` [elements] float32 in host memory, for `workers` workers.

    A worker's clock is how often it has pushed. `sent_bytes` went to workers other than 0, in whose
    process the server is.
    """

    def __init__(self, weights: Tensor, workers: int) -> None:
        self.weights = weights
        self.clocks = [0] * workers
        self.sent_bytes = self._stale = 0
        self._fetched = [0] * workers  # pushes of others that a worker has seen
        self._waiting: list[tuple[int, int, Answer]] = []
        self._lock = threading.Lock()

    @property
    def staleness(self) -> float:
        """How many pushes of others came between a worker's fetch and its push, on average.

        Before its first fetch a worker has the weights of the start.
        """
        return self._stale / max(1, sum(self.clocks))

    def exchange(self, worker: int, movement: Tensor | None, clock: int | None) -> Answer:
        """Add the worker's `movement` [elements] to the weights, if any, and answer it.

        The answer is None at once without a `clock`. With one it is the weights, and how often the
        slowest worker has pushed, as soon as that is `clock` times.
        """
        answer: Answer = Future()
        with self._lock:
            if movement is not None:
                self._stale += self._of_others(worker) - self._fetched[worker]
                self.weights = self.weights + movement  # what was handed out stays as it was
                self.clocks[worker] += 1
            if clock is None:
                answer.set_result(None)
            else:
                self._waiting.append((worker, clock, answer))
            self._answer()
        return answer

    def _answer(self) -> None:
        """Give the same weights to all who have waited for the push that just came."""
        slowest, waiting, self._waiting = min(self.clocks), self._waiting, []
        for worker, clock, answer in waiting:
            if clock > slowest:
                self._waiting.append((worker, clock, answer))
                continue
            self._fetched[worker] = self._of_others(worker)
            self.sent_bytes += self.weights.nbytes if worker else 0
            answer.set_result((self.weights, slowest))

    def _of_others(self, worker: int) -> int:
        return sum(self.clocks) - self.clocks[worker]
