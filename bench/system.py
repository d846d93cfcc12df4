"""What a system is to the runner: it trains an epoch and gives logits; the runner does the rest."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from bench.clock import Ledger
from bench.spec import RunSpec
from data_prep.records import Records
from data_prep.shards import ShardRecords


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a system is built from; `rank` of `ranks` processes that train one run together."""

    spec: RunSpec
    records: Records | ShardRecords
    weights: Path
    out: Path
    rank: int = 0
    ranks: int = 1

    @property
    def ranks_here(self) -> int:
        """How many of the ranks share this rank's machine, itself included."""
        return self.ranks // self.spec.nodes

    @property
    def device_index(self) -> int:
        """Which of its machine's devices the rank has; a CPU device has no number."""
        return self.rank % self.ranks_here if self.spec.device_type == "cuda" else 0


@dataclass(frozen=True, kw_only=True)
class EpochResult:
    """One epoch of training.

    `losses` [iterations] has each iteration's mean training loss over all devices' batches;
    `images` counts all devices', `learners` is per device at the end, `lr` the last one used.
    `memory_bytes` is the most of its device that this rank's tensors have taken so far, and
    `learner_memory_bytes` what one learner takes, without what is there whatever their number
    (data, central model); None where it isn't known, as on CPU. `sent_bytes` is what this rank
    handed over to be sent to others in the epoch, before what a collective makes of it, and
    `staleness` how many updates of others came between reading weights and updating them, on
    average; None where a system does not count them, or nothing is ever stale.
    """

    losses: np.ndarray
    images: int
    learners: int
    lr: float
    memory_bytes: int | None = None
    learner_memory_bytes: int | None = None
    sent_bytes: int | None = None
    staleness: float | None = None


class System(Protocol):
    """One rank of a training system. All ranks call the same methods in the same order."""

    def prepare(self, ledger: Ledger) -> None:
        """Compile and warm up, in the ledger's phases, without changing what is trained."""

    def train_epoch(self, epoch: int) -> EpochResult:
        """Train on the epoch's plan (`epoch` counts from 0)."""

    def logits(self) -> np.ndarray:
        """The evaluated model's logits [N, classes] on the test set; called on rank 0 alone."""

    def drain(self) -> None:
        """Return once the devices have no work left, so that a clock may be read."""

    def agree(self, stop: bool) -> bool:
        """Rank 0's `stop`, on every rank; none goes on before all have come."""

    def state(self) -> dict[str, np.ndarray]:
        """Everything this rank needs to go on after an epoch exactly as if never stopped."""

    def load_state(self, state: dict[str, np.ndarray]) -> None:
        """Go back to what `state` returned."""
