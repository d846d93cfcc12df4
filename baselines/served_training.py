"""What methods share whose devices train against a parameter server, each at its own pace.

The server is in the process of rank 0, beside its worker, and keeps its weights in host memory.
Workers call it by torch's RPC. Updates come in an order of their own in every run, so no two runs
are the same to the bit.
"""

import dataclasses
import functools
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import rpc
from torch.futures import Future

from baselines.averaging import as_vector, average, from_vector
from baselines.local_training import LocalTraining
from baselines.parameter_server import ParameterServer
from bench.job import Job
from bench.ranks import TIMEOUT, on_devices
from bench.runner import Build, train
from bench.spec import RunSpec
from bench.system import EpochResult

_served: list[ParameterServer] = []  # the one of this process, in rank 0


def spread(job: Job, build: Build) -> None:
    """Train the job on its devices, whose processes can call each other."""
    connected(job.spec, functools.partial(train, job, build, ranks=job.spec.devices))


def connected(spec: RunSpec, work: Callable[[int], None]) -> None:
    """`bench.ranks.on_devices` with torch's RPC between the ranks while they work."""
    with tempfile.TemporaryDirectory() as meeting_point:
        store = Path(meeting_point) / "rpc"
        on_devices(spec, functools.partial(_connect, spec=spec, work=work, store=store))


def _connect(rank: int, spec: RunSpec, work: Callable[[int], None], store: Path) -> None:
    if spec.devices == 1:
        return work(rank)
    options = rpc.TensorPipeRpcBackendOptions(
        init_method=f"file://{store}", rpc_timeout=TIMEOUT.total_seconds()
    )
    rpc.init_rpc(_name(rank), rank=rank, world_size=spec.devices, rpc_backend_options=options)
    work(rank)
    rpc.shutdown()


def _name(rank: int) -> str:
    return f"rank-{rank}"


@rpc.functions.async_execution
def _exchange(
    worker: int, movement: Tensor | None, clock: int | None
) -> Future[tuple[Tensor, int] | None]:
    """What the server answers, called in its process."""
    return _served[0].exchange(worker, movement, clock)


class ServedTraining(LocalTraining):
    """One worker, a subclass of which says when to `meet` the server. One device is plain SGD.

    An epoch begins with the same weights everywhere and a server of its own, and ends when all
    movements have reached it. `known` [elements] is what the worker has moved from: where it is
    less `known` the server does not know of.
    """

    def begin(self, epoch: int) -> list[float]:
        """Start the server with the weights there are."""
        if self.ranks > 1:
            self.known, self.unpushed = self._here(), 0
            if self.rank == 0:
                _served[:] = [ParameterServer(self.known, self.ranks)]
            dist.barrier()
        return super().begin(epoch)

    def exchange(self, push: bool, clock: int | None) -> int:
        """Push this worker's movement, and fetch the weights if there is a clock to wait for.

        Returns how often the slowest worker has pushed, as the server said; -1 if nothing is
        fetched.
        """
        here, movement = self._here(), None
        if push:
            movement, self.known, self.unpushed = here - self.known, here, 0
            self.sent_bytes += movement.nbytes
        answer = rpc.rpc_sync(_name(0), _exchange, (self.rank, movement, clock))
        if answer is None:
            return -1
        weights, slowest = answer
        self.known = weights - (here - self.known)
        from_vector(weights.to(self.device), self.trained)
        return slowest

    def meet(self) -> None:
        """After a step of several devices: `exchange`, if it is time."""
        raise NotImplementedError

    def after_step(self) -> None:
        """Count what the server does not know of, and meet it."""
        if self.ranks > 1:
            self.unpushed += 1
            self.meet()

    def evaluated(self) -> torch.nn.Module:
        """The server's weights, with the mean of batch-norm statistics; on all ranks."""
        if self.ranks > 1:
            if self.unpushed:
                self.exchange(push=True, clock=None)
            dist.barrier()
            weights = (_served[0].weights if self.rank == 0 else self.known).to(self.device)
            dist.broadcast(weights, src=0)
            from_vector(weights, self.trained)
            average(self.model.buffers(), self.model.buffers())
        return self.model

    def train_epoch(self, epoch: int) -> EpochResult:
        """One pass over the plan; rank 0's bytes are those of the device that handed over most.

        It is a worker with its pushes, or rank 0 with the weights that others fetched: what it
        pushes itself stays in its process.
        """
        result = super().train_epoch(epoch)
        if self.ranks == 1 or self.rank > 0:
            return result
        (server,) = _served
        pushed = max(server.clocks[1:]) * server.weights.nbytes
        most = max(pushed, server.sent_bytes)
        return dataclasses.replace(result, staleness=server.staleness, sent_bytes=most)

    def _here(self) -> Tensor:
        return as_vector(self.trained).cpu()
