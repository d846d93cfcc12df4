"""Synchronous SGD in PyTorch: DistributedDataParallel over devices, plain eager mode."""

from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

import models
from bench import runner
from bench.clock import Ledger
from bench.ranks import spread
from bench.schedules import learning_rate
from bench.system import Context, EpochResult
from data_prep.epoch_plan import EpochPlan
from data_prep.feed import Feed
from models.weights import load_torch


class PyTorchSSGD:
    """One rank of S-SGD: every device's batch, one mean gradient, one model.

    See `bench.system.System` for the methods.
    """

    def __init__(self, context: Context) -> None:
        spec, records = context.spec, context.records
        self.spec, self.rank, self.ranks = spec, context.rank, context.ranks
        index = context.rank if spec.device_type == "cuda" else 0
        self.device = torch.device(spec.device_type, index)
        self.feed = Feed(records, spec.augmentation, spec.seed)
        self.model = models.load(spec.model).torch_model(records.shape, records.classes)
        load_torch(self.model, context.weights)
        self.model.to(self.device)
        self.step_model: torch.nn.Module = self.model
        if self.ranks > 1:
            self.step_model = DistributedDataParallel(self.model)
        self.optimizer = torch.optim.SGD(
            self.model.parameters(),
            spec.lr,
            momentum=spec.momentum,
            weight_decay=spec.weight_decay,
        )
        if self.ranks * spec.batch > self.feed.samples:
            raise ValueError(
                f"one iteration takes {self.ranks * spec.batch} images and {records.name} has "
                f"{self.feed.samples}: use fewer devices or a smaller batch"
            )

    def prepare(self, ledger: Ledger) -> None:
        """Run forward and backward once, so that one-off costs are not training."""
        with ledger.phase("warmup"):
            buffers = [buffer.clone() for buffer in self.model.buffers()]
            self._loss(self.feed.plan(0), 0).backward()
            self.optimizer.zero_grad()
            for buffer, before in zip(self.model.buffers(), buffers, strict=True):
                buffer.copy_(before)

    def train_epoch(self, epoch: int) -> EpochResult:
        """One pass over the plan; images too few for one whole last iteration are dropped."""
        spec, plan = self.spec, self.feed.plan(epoch)
        iterations = self.feed.samples // (self.ranks * spec.batch)
        losses = []
        self.model.train()
        for iteration in range(iterations):
            cursor = iteration * self.ranks * spec.batch
            position = epoch + cursor / self.feed.samples
            lr = learning_rate(spec.schedule, spec.lr, position, spec.epochs)
            self.optimizer.param_groups[0]["lr"] = lr
            loss = self._loss(plan, cursor)
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            losses.append(loss.detach())
        mean_losses = torch.stack(losses) / self.ranks
        if self.ranks > 1:
            dist.all_reduce(mean_losses)
        images = iterations * self.ranks * spec.batch
        return EpochResult(losses=mean_losses.cpu().numpy(), images=images, learners=1, lr=lr)

    def logits(self) -> np.ndarray:
        """Of the model, on the test set."""
        self.model.eval()
        images = torch.from_numpy(self.feed.test_images())
        with torch.inference_mode():
            parts = [self.model(part.to(self.device)).cpu() for part in images.split(1024)]
        return torch.cat(parts).numpy()

    def drain(self) -> None:
        """Wait for the device."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def agree(self, stop: bool) -> bool:
        """Rank 0's decision."""
        decision = torch.tensor([stop], dtype=torch.int64, device=self.device)
        if self.ranks > 1:
            dist.broadcast(decision, src=0)
        return bool(decision.item())

    def state(self) -> dict[str, np.ndarray]:
        """Model and momentum after an epoch."""
        return {name: tensor.cpu().numpy() for name, tensor in self._tensors().items()}

    def load_state(self, state: dict[str, np.ndarray]) -> None:
        """Go back to what `state` returned."""
        if self.spec.momentum:
            for parameter in self.model.parameters():
                velocity = torch.zeros_like(parameter)
                self.optimizer.state[parameter]["momentum_buffer"] = velocity
        for name, tensor in self._tensors().items():
            tensor.copy_(torch.from_numpy(state[name]))

    def _tensors(self) -> dict[str, torch.Tensor]:
        tensors = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        for index, parameter in enumerate(self.model.parameters()):
            momentum: Any = self.optimizer.state[parameter].get("momentum_buffer")
            if momentum is not None:
                tensors[f"momentum.{index}"] = momentum
        return tensors

    def _loss(self, plan: EpochPlan, cursor: int) -> torch.Tensor:
        """The mean loss of this rank's batch of the iteration that starts at `cursor`."""
        first = cursor + self.rank * self.spec.batch
        images, labels = self.feed.batch(plan[first : first + self.spec.batch])
        x = torch.from_numpy(images).to(self.device)
        return cross_entropy(self.step_model(x), torch.from_numpy(labels).to(self.device))


if __name__ == "__main__":
    runner.main(PyTorchSSGD, spread)
