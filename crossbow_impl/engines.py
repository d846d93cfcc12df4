"""How one device runs an iteration's programs: the seam between the algorithm and the machine.

`prepare` takes programs by name and the tensors that they change; `run` runs one. `fork` runs the
learners' parts of a program, at once where the device can; when it returns, work that follows sees
what they wrote.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

Program = Callable[[], None]


class Engine(Protocol):
    """What the training loop needs of a device."""

    fits_when_prepared: bool  # whether what is prepared will not run out of memory when it runs

    def warm_up(self, programs: Sequence[Program], changed: Sequence[Tensor]) -> None:
        """Run each program once: one-off costs are not training. Undoes what they `changed`."""

    def prepare(self, programs: Mapping[str, Program]) -> None:
        """Get ready to run `programs`, which have been warmed up."""

    def release(self) -> None:
        """Give back the memory of what was prepared, and of attempts that failed."""

    def run(self, name: str) -> None:
        """Run a program; on a GPU, queue it."""

    def fork(self, tasks: Sequence[Callable[[], Tensor]]) -> list[Tensor]:
        """The results of independent tasks, for use inside a program."""

    def mark(self) -> Any:
        """A point in the device's time."""

    def seconds(self, start: Any, end: Any) -> float:
        """The device's time between two marks; waits for the second."""

    def drain(self) -> None:
        """Return once the device has no work left."""


class CpuEngine:
    """One learner after the other, on the one thread that a CPU device is."""

    fits_when_prepared = True  # as far as a CPU tells

    def __init__(self) -> None:
        self._programs: Mapping[str, Program] = {}

    def warm_up(self, programs: Sequence[Program], changed: Sequence[Tensor]) -> None:
        """See `Engine.warm_up`."""
        before = [tensor.clone() for tensor in changed]
        for program in programs:
            try:
                program()
            finally:  # also where memory has run out in the middle of it
                for tensor, value in zip(changed, before, strict=True):
                    tensor.copy_(value)

    def prepare(self, programs: Mapping[str, Program]) -> None:
        """See `Engine.prepare`."""
        self._programs = programs

    def release(self) -> None:
        """See `Engine.release`."""
        self._programs = {}

    def run(self, name: str) -> None:
        """See `Engine.run`."""
        self._programs[name]()

    def fork(self, tasks: Sequence[Callable[[], Tensor]]) -> list[Tensor]:
        """See `Engine.fork`."""
        return [task() for task in tasks]

    def mark(self) -> float:
        """See `Engine.mark`."""
        return time.monotonic()

    def seconds(self, start: float, end: float) -> float:
        """See `Engine.seconds`."""
        return end - start

    def drain(self) -> None:
        """A CPU has no queue."""


class StreamEngine(CpuEngine):
    """Each learner on a CUDA stream of its own, forked from and joined to the current stream."""

    fits_when_prepared = False

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self.device = device
        self._streams: list[torch.cuda.Stream] = []

    def fork(self, tasks: Sequence[Callable[[], Tensor]]) -> list[Tensor]:
        """See `Engine.fork`."""
        current = torch.cuda.current_stream(self.device)
        while len(self._streams) < len(tasks):
            self._streams.append(torch.cuda.Stream(self.device))
        results: list[Tensor] = []
        forked: list[torch.cuda.Stream] = []
        try:
            for task, stream in zip(tasks, self._streams, strict=False):
                stream.wait_stream(current)
                forked.append(stream)
                with torch.cuda.stream(stream):
                    result = task()
                result.record_stream(current)
                results.append(result)
        finally:  # also where memory has run out, or a capture could not end
            for stream in forked:
                current.wait_stream(stream)
        return results

    def release(self) -> None:
        """See `Engine.release`."""
        super().release()
        self.drain()
        # Of each stream cuBLAS has one, 32 MiB, that a capture may have taken from its own pool.
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()

    def mark(self) -> Any:
        """See `Engine.mark`."""
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds(self, start: Any, end: Any) -> float:
        """See `Engine.seconds`."""
        end.synchronize()
        return float(start.elapsed_time(end)) / 1000

    def drain(self) -> None:
        """See `Engine.drain`."""
        torch.cuda.synchronize(self.device)


class GraphEngine(StreamEngine):
    """Each program captured in a CUDA graph, the learners as its parallel branches."""

    fits_when_prepared = True  # a capture takes the memory

    def __init__(self, device: torch.device) -> None:
        super().__init__(device)
        self._side = torch.cuda.Stream(device)  # where programs are warmed up, and captured
        self._graphs: dict[str, torch.cuda.CUDAGraph] = {}

    def warm_up(self, programs: Sequence[Program], changed: Sequence[Tensor]) -> None:
        """See `Engine.warm_up`."""
        current = torch.cuda.current_stream(self.device)
        self._side.wait_stream(current)
        with torch.cuda.stream(self._side):
            super().warm_up(programs, changed)
        current.wait_stream(self._side)

    def prepare(self, programs: Mapping[str, Program]) -> None:
        """Capture every program; what was captured before gives its memory back."""
        self.release()
        pool = torch.cuda.graph_pool_handle()  # shared: one program runs at a time
        for name, program in programs.items():
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool, self._side):
                program()
            self._graphs[name] = graph

    def release(self) -> None:
        """See `Engine.release`."""
        self._graphs = {}
        super().release()

    def run(self, name: str) -> None:
        """See `Engine.run`."""
        self._graphs[name].replay()


def engine_for(device: torch.device, graph: bool) -> Engine:
    """The engine for a device; `graph` asks for CUDA graphs."""
    if device.type == "cpu":
        return CpuEngine()
    return GraphEngine(device) if graph else StreamEngine(device)
