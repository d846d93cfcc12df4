"""Hogwild: processes update the same weights in shared memory, without waiting and without locks.

Niu, Recht, Re and Wright, "Hogwild!: a lock-free approach to parallelizing stochastic gradient
descent", NeurIPS 2011, Algorithm 1. Every worker, at its own pace, and with w that others change
while it reads:

    w = w - lr g_k(w)

Single elements may be lost where two workers update them at once. The updates of N workers add up,
as N times the rate does in S-SGD. The paper's gradients are sparse, and touch few elements each;
those of networks are dense. Here a worker has a momentum of its own. Batch-norm statistics are a
worker's own, and averaged at an epoch's end.
"""

import dataclasses
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

from baselines.averaging import as_vector, average
from baselines.local_training import LocalTraining
from bench import runner
from bench.clock import Ledger
from bench.ranks import spread
from bench.system import Context, EpochResult


class Hogwild(LocalTraining):
    """One worker on a CPU; one alone is plain SGD.

    `updates` [ranks], shared as the weights are, counts each worker's.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.updates, self.stale = torch.zeros(self.ranks, dtype=torch.int64), 0

    def prepare(self, ledger: Ledger) -> None:
        """The warm-up step is one of each worker's own weights; from then on they are shared."""
        super().prepare(ledger)
        if self.ranks > 1:
            self._share()

    def train_epoch(self, epoch: int) -> EpochResult:
        """One pass over the plan; staleness is the mean over all workers' updates."""
        self.stale = 0
        result = super().train_epoch(epoch)
        if self.ranks == 1:
            return result
        stale = torch.tensor(self.stale / (self.ranks * len(result.losses)))
        dist.all_reduce(stale)
        return dataclasses.replace(result, staleness=float(stale))

    def evaluated(self) -> torch.nn.Module:
        """The weights as they are once every worker is done, which the losses wait for."""
        average(self.model.buffers(), self.model.buffers())
        return self.model

    def state(self) -> dict[str, np.ndarray]:
        """Weights, and this worker's momentum; nobody goes on before all have them."""
        arrays = {name: np.copy(array) for name, array in super().state().items()}
        self._wait()
        return arrays

    def load_state(self, state: dict[str, np.ndarray]) -> None:
        """Go back to what `state` returned, before anybody goes on."""
        super().load_state(state)
        self._wait()

    def _step(self) -> None:
        before = self._of_others()
        super()._step()
        self.stale += self._of_others() - before
        self.updates[self.rank] += 1

    def _of_others(self) -> int:
        return int(self.updates.sum() - self.updates[self.rank])

    def _share(self) -> None:
        """Move weights and counts into memory that all workers map."""
        own = as_vector(self.trained)
        with tempfile.TemporaryDirectory() as folder:
            folders = [folder]
            dist.broadcast_object_list(folders, src=0)
            path = Path(folders[0])
            shared = torch.from_file(str(path / "weights"), shared=True, size=len(own))
            self.updates = torch.from_file(
                str(path / "updates"), shared=True, size=self.ranks, dtype=torch.int64
            )
            self._wait()
        if self.rank == 0:
            shared.copy_(own)
        parts = shared.split([parameter.numel() for parameter in self.trained])
        for parameter, part in zip(self.trained, parts, strict=True):
            parameter.data = part.view(parameter.shape)
        self._wait()

    def _wait(self) -> None:
        if self.ranks > 1:
            dist.barrier()


if __name__ == "__main__":
    runner.main(Hogwild, spread)
