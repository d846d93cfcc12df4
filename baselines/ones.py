"""S-SGD whose batch is found by evolution while it trains.

In the manner of Bian, Li, Wang and You, "Online evolutionary batch size orchestration for
scheduling deep learning workloads in GPU clusters" (ONES), SC 2021 (arXiv 2108.03645), for a single
job. A population of batches, each `batch` times a power of two, shares the images of an epoch:

    reorder     its members train one after the other, in an order drawn anew
    score       a member has what the mean loss has fallen since the member before, by its seconds;
                members of one batch have the mean of theirs
    select      the better half, rounded up, are parents
    crossover   a child has a batch between those of two parents
    mutation    which is doubled or halved with a probability
    refresh     and at least `batch`, at most `max_batch`; parents and children are the next epoch's

The rate is in proportion to the batch. A population of one is S-SGD. ONES assigns the GPUs of a
cluster to many jobs by operators of these names, and scores what it predicts: that is not here, nor
in the authors' prototype, kurisusnowdeng/ones_sc21 on GitHub, what is.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread
from bench.system import Context, EpochResult


class ONES(TorchTraining):
    """One rank; `population` has how often each member's batch is doubled."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        if self.images > self.share:
            raise ValueError(
                f"one iteration takes {self.images} images and a member of the population has "
                f"{self.share} of an epoch: use fewer devices, a smaller batch or population"
            )
        most = min(self.spec.method["max_batch"], self.share)
        self.doublings = max(0, int(math.log2(most / self.images)))
        self.population = torch.zeros(self.spec.method["population"], dtype=torch.int64)
        self.last_loss = torch.full((), torch.nan, dtype=torch.float64)

    @property
    def share(self) -> int:
        """How many of an epoch's images a member has."""
        return self.feed.samples // self.spec.method["population"]

    def by_iteration(self) -> Tensor:
        """Room for a value of each iteration of a member."""
        return torch.zeros(self.share // self.images, device=self.device)

    def clock(self) -> float:
        """Seconds, of which scores have differences."""
        return time.monotonic()

    def begin(self, epoch: int) -> list[float]:
        """Learning rates are in proportion to the batch."""
        rates = [rate * self.batch / self.spec.batch for rate in super().begin(epoch)]
        self.rates.copy_(torch.tensor(rates))
        return rates

    def train_epoch(self, epoch: int) -> EpochResult:
        """One generation: every member on its share of the plan, then the next population."""
        generator = np.random.default_rng([self.spec.seed, epoch])
        members = generator.permutation(self.population.numpy()).tolist()
        results, seconds = [], torch.zeros(len(members), dtype=torch.float64, device=self.device)
        for place, doubled in enumerate(members):
            self.batch, self.offset = self.spec.batch * 2**doubled, place * self.share
            self.rates, self.losses = self.by_iteration(), self.by_iteration()
            started = self.clock()
            results.append(super().train_epoch(epoch))  # which waits for the device
            seconds[place] = self.clock() - started
        if self.ranks > 1:
            dist.broadcast(seconds, src=0)
        losses = [float(result.losses.mean()) for result in results]
        before = [float(self.last_loss.nan_to_num(float(results[0].losses[0]))), *losses[:-1]]
        scores = (np.array(before) - losses) / seconds.cpu().numpy()
        self.last_loss.fill_(losses[-1])
        mutation = self.spec.method["mutation"]
        chosen = evolved(members, scores, self.doublings, mutation, generator)
        self.population.copy_(torch.tensor(chosen))
        if self.rank == 0:
            self._tell(epoch, members, scores, chosen)
        return replace(
            results[-1],
            losses=np.concatenate([result.losses for result in results]),
            images=sum(result.images for result in results),
            sent_bytes=sum(result.sent_bytes for result in results)
            + (seconds.nbytes if self.ranks > 1 and self.rank == 0 else 0),
        )

    def extra_tensors(self) -> dict[str, Tensor]:
        """The next population, and the loss that its first member begins with."""
        return {"ones.population": self.population, "ones.last_loss": self.last_loss}

    def _tell(
        self, epoch: int, members: Sequence[int], scores: np.ndarray, chosen: Sequence[int]
    ) -> None:
        first = self.ranks * self.spec.batch
        tried = ", ".join(
            f"{first * 2**m} ({score:.3g}/s)" for m, score in zip(members, scores, strict=True)
        )
        following = ", ".join(str(first * 2**m) for m in chosen)
        print(f"epoch {epoch + 1}: batches {tried}; next {following}", flush=True)


def evolved(
    members: Sequence[int],
    scores: np.ndarray,
    most: int,
    mutation: float,
    generator: np.random.Generator,
) -> list[int]:
    """The next population, from how often each member's batch was doubled and its score.

    No batch is doubled more than `most` times; `mutation` is a probability. What has no finite
    score is worse than all that have one.
    """
    scores = np.nan_to_num(scores, nan=-np.inf, posinf=-np.inf)
    merit = {m: scores[np.equal(members, m)].mean() for m in members}
    ranked = sorted(members, key=lambda m: -merit[m])
    parents = ranked[: math.ceil(len(members) / 2)]
    children = []
    for _ in range(len(members) - len(parents)):
        low, high = sorted(generator.choice(parents, 2))
        child = int(generator.integers(low, high, endpoint=True))
        if generator.random() < mutation:
            child += int(generator.choice([-1, 1]))
        children.append(min(max(child, 0), most))
    return parents + children


if __name__ == "__main__":
    runner.main(ONES, spread)
