"""Changing how many learners a device has: their storage, what is captured, and their memory."""

import gc
import traceback

from bench.peak_memory import PeakMemory
from crossbow_impl.engines import Engine
from crossbow_impl.iteration import Iteration
from crossbow_impl.loop import Loop

# How torch's allocator and CUDA word it, and how cuBLAS and cuDNN do.
OUT_OF_MEMORY = ("out of memory", "ALLOC_FAILED")


class Replicas:
    """The learners of one device, with the programs that run them; `memory` is what they take."""

    def __init__(
        self, iteration: Iteration, loop: Loop, engine: Engine, memory: PeakMemory
    ) -> None:
        self._iteration, self._loop, self._engine = iteration, loop, engine
        self._learners, self._memory = iteration.learners, memory
        self._others_bytes = memory.now() - self._learners.bytes

    @property
    def learner_bytes(self) -> int | None:
        """The peak per learner, without what is there whatever their number; None on a CPU."""
        peak = self._memory.bytes
        return None if peak is None else (peak - self._others_bytes) // len(self._learners)

    def prepare(self, unroll: bool, tuned: bool) -> None:
        """Compile, warm up and capture; `tuned` learners may become any number."""
        # Compiled code tells one learner, as many as there are rows, and fewer apart.
        for m in (4, 2, 1) if tuned else ():
            self._have(m)
            self._loop.warm_up(learners=False)
        self._loop.warm_up()
        self._capture(unroll)

    def resize(self, m: int, unroll: bool) -> bool:
        """Whether there are now m learners, ready to go on; no, where memory has run out."""
        self._engine.release()  # what was prepared for as many as there were
        try:
            self._have(m)
            self._loop.warm_up(learners=not self._engine.fits_when_prepared)
            self._capture(unroll)
            return True
        except RuntimeError as error:
            if not any(sign in str(error) for sign in OUT_OF_MEMORY):
                raise
            traceback.clear_frames(error.__traceback__)  # they hold the tensors that did fit
        gc.collect()
        self._engine.release()
        return False

    def _have(self, m: int) -> None:
        self._learners.resize(m, self._iteration.z)
        self._iteration.follow_learners()

    def _capture(self, unroll: bool) -> None:
        self._memory.restart()
        self._loop.prepare(unroll)
        self._memory.note()
