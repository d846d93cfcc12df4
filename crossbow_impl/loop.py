"""Algorithm 1's loop on one device: which of an iteration's programs the engine runs when."""

from bench.spec import SSGD, RunSpec
from crossbow_impl.engines import Engine, Program
from crossbow_impl.iteration import Iteration
from crossbow_impl.sync import Sync


class Loop:
    """Iterations on one of `sync.devices` devices; `iterations` counts them.

    A device that waits for nobody runs an iteration whole, or `unroll` of them. Between devices an
    iteration has parts, and the all-reduce overlaps the gradients of the next one.
    """

    def __init__(self, spec: RunSpec, iteration: Iteration, engine: Engine, sync: Sync) -> None:
        self._spec, self._iteration, self._engine, self._sync = spec, iteration, engine, sync
        self.iterations = 0
        self._unroll = 1

    @property
    def unrolled(self) -> bool:
        """Whether a graph has several iterations."""
        return self._unroll > 1

    def warm_up(self, learners: bool = True) -> None:
        """Run what has one-off costs: all programs, or what a number of learners changes."""
        self._unroll = 1
        iteration = self._iteration
        changing: list[Program] = [iteration.step, iteration.average]
        programs = list(self._programs().values()) if learners else changing
        if learners:
            iteration.stage()
        self._engine.warm_up(programs, iteration.tensors())

    def prepare(self, unroll: bool) -> None:
        """Have the engine ready for as many learners as there are now."""
        alone = self._sync.devices == 1 and self._spec.tau == 1
        self._unroll = self._spec.unroll if unroll and alone else 1
        self._iteration.reserve()
        self._engine.prepare(self._programs())

    def advance(self, ahead: int) -> int:
        """Run one graph's iterations, at most `ahead`; returns how many."""
        self._iteration.stage()
        if 1 < self._unroll <= ahead:
            self._engine.run("unrolled")
            self.iterations += self._unroll
            return self._unroll
        self.iterations += 1
        if not self._spec.tau or self.iterations % self._spec.tau:
            self._engine.run("local")
        elif self._sync.devices == 1:
            self._engine.run("whole")
        else:
            self._engine.run("gradients")
            self.average()
            self._engine.run("step")
            self._sync.start(self._iteration.share)
            if self._spec.variant == SSGD:  # its learners cannot go on before z has moved
                self.average()
        return 1

    def average(self) -> None:
        """Move z by the sum that is under way, if there is one."""
        if self._sync.wait():
            self._engine.run("average")

    def _programs(self) -> dict[str, Program]:
        iteration, fork = self._iteration, self._engine.fork

        def gradients() -> None:
            iteration.gradients(fork)

        def whole() -> None:
            iteration.gradients(fork)
            iteration.step()
            iteration.average()

        def unrolled() -> None:
            for _ in range(self._unroll):
                whole()

        def local() -> None:
            iteration.gradients(fork)
            iteration.step(synchronise=False)

        programs: dict[str, Program] = {} if self._spec.tau == 1 else {"local": local}
        if not self._spec.tau:
            return programs
        if self._sync.devices > 1:
            parts = {"gradients": gradients, "step": iteration.step, "average": iteration.average}
            return programs | parts
        if self._unroll > 1:
            programs |= {"unrolled": unrolled}
        return programs | {"whole": whole}
