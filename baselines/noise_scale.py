"""S-SGD whose batch grows with the gradient noise scale.

McCandlish, Kaplan, Amodei et al. 2018, "An empirical model of large-batch training",
arXiv 1812.06162, appendix A.1. Of N devices with b images each, B = N b, let |G_b|^2 be the mean
over devices of the squared norm of a device's gradient, and |G_B|^2 that of their mean. Then

    |G|^2 = (B |G_B|^2 - b |G_b|^2) / (B - b)    S = (|G_b|^2 - |G_B|^2) / (1/b - 1/B)

are unbiased. Both are averaged exponentially over iterations, and B_simple = S / |G|^2 is about the
batch at which more images an iteration begin to save fewer iterations. The rule is this suite's:
after an epoch with B_simple at least 2 B, every device's batch doubles. One device has no estimate:
it is plain SGD.
"""

from dataclasses import replace

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.utils import get_total_norm

from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread
from bench.system import Context, EpochResult

LR_RULES = {"constant": 0.0, "sqrt": 0.5, "linear": 1.0}  # the power of the batch


class NoiseScale(TorchTraining):
    """One rank; `averages` are S and |G|^2, both short by a factor that cancels in their ratio."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.averages = torch.zeros(2, dtype=torch.float64)
        self.chosen = torch.tensor(self.batch)
        self.use_batch(self.batch)

    def use_batch(self, batch: int) -> None:
        """Have `batch` images in each device's part of the iterations from the next epoch on."""
        self.batch = batch
        self.chosen.fill_(batch)
        self.rates, self.losses = self.by_iteration(), self.by_iteration()
        self.of_device, self.of_mean = self.by_iteration(), self.by_iteration()

    def parallel(self) -> torch.nn.Module:
        """The model whose gradients become their mean, and are measured before."""
        self.square = torch.zeros(1, device=self.device)
        model = self.data_parallel()
        model.register_comm_hook(dist.group.WORLD, self._measured)
        return model

    def _measured(
        self, group: dist.ProcessGroup, bucket: dist.GradBucket
    ) -> torch.futures.Future[Tensor]:
        self.square += bucket.buffer().square().sum()
        return allreduce_hook(group, bucket)

    def backward(self, images: Tensor, labels: Tensor) -> Tensor:
        """The mean gradient; its squared norm and that of this device's are noted."""
        if self.ranks == 1:
            return super().backward(images, labels)
        self.square.zero_()
        loss = super().backward(images, labels)
        norm = get_total_norm([p.grad for p in self.model.parameters() if p.grad is not None])
        self.of_device.scatter_(0, self.count, self.square)
        self.of_mean.scatter_(0, self.count, norm.square().view(1))
        return loss

    def begin(self, epoch: int) -> list[float]:
        """Learning rates are in proportion to a power of how far the batch has grown."""
        power = LR_RULES[self.spec.method["lr_rule"]]
        factor = (self.batch / self.spec.batch) ** power
        rates = [factor * rate for rate in super().begin(epoch)]
        self.rates.copy_(torch.tensor(rates))
        return rates

    def train_epoch(self, epoch: int) -> EpochResult:
        """One pass over the plan, then the batch of the next."""
        result = super().train_epoch(epoch)
        if self.ranks == 1:
            return result
        small = self.of_device / self.ranks
        dist.all_reduce(small)
        squares = np.stack([small.cpu().numpy(), self.of_mean.cpu().numpy()]).astype(float)
        decay = self.spec.method["decay"]
        averages = averaged(self.averages.numpy(), squares, self.batch, self.images, decay)
        self.averages.copy_(torch.from_numpy(averages))
        scale, twice = noise_scale(averages), 2 * self.images
        if self.rank == 0:
            print(f"epoch {epoch + 1}: batch {self.images}, noise scale {scale:.1f}", flush=True)
        if scale >= twice and twice <= min(self.spec.method["max_batch"], self.feed.samples):
            self.use_batch(2 * self.batch)
        return replace(result, sent_bytes=result.sent_bytes + small.nbytes)

    def extra_tensors(self) -> dict[str, Tensor]:
        """The averages, and the batch of the next epoch."""
        return {"noise.averages": self.averages, "noise.batch": self.chosen}

    def load_state(self, state: dict[str, np.ndarray]) -> None:
        """Go back to what `state` returned, and to its batch."""
        super().load_state(state)
        self.use_batch(int(self.chosen))


def averaged(
    averages: np.ndarray, squares: np.ndarray, batch: int, images: int, decay: float
) -> np.ndarray:
    """The averages [S, |G|^2] after iterations with `squares` [(|G_b|^2, |G_B|^2), iterations].

    A device has `batch` of an iteration's `images`.
    """
    small, big = squares
    noise = (small - big) / (1 / batch - 1 / images)
    signal = (images * big - batch * small) / (images - batch)
    for new in np.stack([noise, signal], axis=1):
        averages = decay * averages + (1 - decay) * new
    return averages


def noise_scale(averages: np.ndarray) -> float:
    """S / |G|^2; infinite where noise hides the gradient, whose estimate may then be negative."""
    noise, signal = averages
    return float(noise / signal) if signal > 0 else float("inf")


if __name__ == "__main__":
    runner.main(NoiseScale, spread)
