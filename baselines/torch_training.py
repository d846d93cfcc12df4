"""What the PyTorch baselines share: batches, the step and its stronger forms.

The spec's options make the stronger forms: mixed precision, channels last, torch.compile, and the
whole step as one CUDA graph. A method is a subclass that overrides what it does otherwise:
`parallel`, `backward` and `make_optimizer` where gradients differ, `after_step` where weights do,
`evaluated` where another model than the trained one counts.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import torch
import torch._dynamo  # which optimizers import: not each rank again, after the fork
import torch.distributed as dist
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

import models
from baselines.training_state import TrainingState
from bench import random_state
from bench.agreement import from_rank_0
from bench.clock import Ledger
from bench.peak_memory import PeakMemory
from bench.precision import autocast, use_precision
from bench.schedules import learning_rate
from bench.system import Context, EpochResult
from data_prep.torch_feed import compiles, feed_for
from models.weights import load_torch

# DistributedDataParallel times its first ten steps by events, which a capture does not permit.
STEPS_BEFORE_CAPTURE = 11


class TorchTraining(TrainingState):
    """One rank of training; as it stands S-SGD: every device's batch, one mean gradient, one model.

    See `bench.system.System` for the methods. `trained` are the model's parameters that are not
    frozen: what optimisers step and ranks send. `called` is the model as training calls it,
    compiled where the spec says so. `iterations` counts those done in the run, `sent_bytes` what
    this rank handed over to other ranks in the present epoch.
    """

    def __init__(self, context: Context) -> None:
        spec, records = context.spec, context.records
        self.spec, self.rank, self.ranks = spec, context.rank, context.ranks
        self.device = torch.device(spec.device_type, context.device_index)
        use_precision(spec.precision, spec.cudnn_benchmark)
        self.feed = feed_for(
            records,
            spec.augmentation,
            spec.seed,
            self.device,
            spec.channels_last,
            context.ranks_here,
            spec.unroll,
        )
        self.batch = spec.batch
        self.offset = 0  # where in an epoch's plan its next iterations begin
        if self.images > self.feed.samples:
            raise ValueError(
                f"one iteration takes {self.images} images and {records.name} has "
                f"{self.feed.samples}: use fewer devices or a smaller batch"
            )
        self.model = models.load(spec.model, spec.model_source).torch_model(
            records.shape, records.classes
        )
        load_torch(self.model, context.weights)
        self.model.to(self.device)
        self.tested = self.model
        self.trained = [p for p in self.model.parameters() if p.requires_grad]
        if spec.channels_last:
            self.model.to(memory_format=torch.channels_last)
        self.side = torch.cuda.Stream(self.device) if spec.graph else None
        self.drain()  # the weights are there, whichever stream copied them
        self.called, self.batch_at = self.model, self.feed.batch_at
        if spec.compile:
            self.called = torch.compile(self.model, dynamic=False)
            if compiles(self.feed):
                self.batch_at = torch.compile(self.feed.batch_at, dynamic=False)
        with torch.cuda.stream(self.side):  # where it is captured
            self.forward = self.parallel() if self.ranks > 1 else self.called
        self.lr = torch.tensor(spec.lr, device=self.device)
        self.optimizer = self.make_optimizer()
        self.rates, self.losses = self.by_iteration(), self.by_iteration()
        self.count = torch.zeros(1, dtype=torch.int64, device=self.device)
        self.step = self._step
        self.steps = self._step  # `unroll` iterations at once, where they are one graph
        self.memory = PeakMemory(self.device)
        self.iterations = self.sent_bytes = 0

    def parallel(self) -> torch.nn.Module:
        """What training passes through on several devices; here its gradients become their mean."""
        return self.data_parallel()

    def data_parallel(self, **options: Any) -> DistributedDataParallel:
        """torch's; each device keeps its own batch-norm statistics, of which rank 0's count.

        torch would send rank 0's before every forward pass, for nothing. The model is compiled
        within: of a compiled DistributedDataParallel torch leaves out layers of its own classes.
        """
        parallel = DistributedDataParallel(self.called, **options)
        parallel.broadcast_buffers = False  # torch 2.13 warns of the keyword, 2.11 has no other
        return parallel

    def make_optimizer(self) -> torch.optim.Optimizer:
        """What `step` is called of; `self.lr`, a tensor, is the rate, set before each step."""
        return torch.optim.SGD(
            self.trained,
            self.lr,
            momentum=self.spec.momentum,
            weight_decay=self.spec.weight_decay,
            fused=True,
        )

    def by_iteration(self) -> Tensor:
        """Room for a value of each iteration of an epoch."""
        return torch.zeros(self.feed.samples // self.images, device=self.device)

    def loss(self, images: Tensor, labels: Tensor) -> Tensor:
        """The mean loss over a batch, for its gradient."""
        with autocast(self.spec.precision, self.device):
            return cross_entropy(self.forward(images), labels)

    def backward(self, images: Tensor, labels: Tensor) -> Tensor:
        """Leave the gradient of a batch in the parameters, which have none; returns its loss."""
        loss = self.loss(images, labels)
        loss.backward()
        return loss.detach()

    def after_step(self) -> None:
        """Called after each iteration, outside of what is compiled or captured."""

    def step_bytes(self) -> int:
        """What a step of several ranks hands over: here each gradient once."""
        return self.gradient_bytes

    @cached_property
    def gradient_bytes(self) -> int:
        """What a gradient takes, or the trained weights."""
        return sum(4 * parameter.numel() for parameter in self.trained)

    def evaluated(self) -> torch.nn.Module:
        """The model that counts; called on every rank at an epoch's end."""
        return self.model

    @property
    def images(self) -> int:
        """How many images one iteration takes, on all devices."""
        return self.ranks * self.batch

    def prepare(self, ledger: Ledger) -> None:
        """Compile, warm up and capture one step; what is trained stays as it was."""
        with ledger.phase("compile" if self.spec.compile or self.spec.graph else "warmup"):
            before = [tensor.clone() for tensor in self.model_tensors().values()]
            randomness = random_state.get(self.device)
            self.memory.restart()
            self.model.train()
            self.begin(0)
            self.stage()
            if self.side:
                self.side.wait_stream(torch.cuda.current_stream(self.device))
            with torch.cuda.stream(self.side):
                for _ in range(STEPS_BEFORE_CAPTURE if self.side and self.ranks > 1 else 1):
                    self._step()
                    self.count.zero_()
            self.drain()
            # The step made the momentum buffers; a first step from zero is the same step.
            for state in self.optimizer_state().values():
                for buffer in state.values():
                    if isinstance(buffer, Tensor):
                        buffer.zero_()
            if self.side:
                self.step = self._captured(1, self.side)
                many = self.spec.unroll
                self.steps = self._captured(many, self.side) if many > 1 else self.step
            for tensor, value in zip(self.model_tensors().values(), before, strict=True):
                tensor.copy_(value)
            random_state.put(randomness, self.device)
            self.memory.note()

    def train_epoch(self, epoch: int) -> EpochResult:
        """One pass over the plan; images too few for one whole last iteration are dropped."""
        self.model.train()
        rates = self.begin(epoch)
        self.memory.ignore()
        self.sent_bytes = 0
        self.run(len(rates))
        self.memory.note()
        self.tested = self.evaluated()
        losses = self.losses / self.ranks
        if self.ranks > 1:
            dist.all_reduce(losses)
        images = len(rates) * self.images
        return EpochResult(
            losses=losses.cpu().numpy(),
            images=images,
            learners=1,
            lr=rates[-1],
            memory_bytes=self.memory.bytes,
            sent_bytes=self.sent_bytes,
        )

    def logits(self) -> np.ndarray:
        """Of the model that counts, on the test set."""
        self.tested.eval()
        with torch.inference_mode(), autocast(self.spec.precision, self.device):
            parts = [self.tested(part).float().cpu() for part in self.feed.tests()]
        return torch.cat(parts).numpy()

    def drain(self) -> None:
        """Wait for the device."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def agree(self, stop: bool) -> bool:
        """Rank 0's decision, when all have come."""
        return stop if self.ranks == 1 else bool(from_rank_0(stop, self.device))

    def begin(self, epoch: int) -> list[float]:
        """Hand an epoch to the device; its learning rates, one per iteration."""
        spec, samples, iterations = self.spec, self.feed.samples, len(self.rates)
        images = range(self.offset, self.offset + iterations * self.images, self.images)
        positions = [epoch + image / samples for image in images]
        rates = [learning_rate(spec.schedule, spec.lr, p, spec.epochs) for p in positions]
        self.rates.copy_(torch.tensor(rates))
        self.count.zero_()
        self.staged = 0
        self.feed.begin(self.feed.plan(epoch)[self.offset :])
        return rates

    def run(self, count: int) -> None:
        """The next `count` iterations."""
        whole, rest = divmod(count, self.spec.unroll)
        for _ in range(whole):
            self.stage()
            self.steps()
            self._count(self.spec.unroll)
        for _ in range(rest):
            self.stage()
            self.step()
            self._count(1)

    def _count(self, steps: int) -> None:
        self.iterations += steps
        if self.ranks > 1:
            self.sent_bytes += steps * self.step_bytes()
        self.after_step()

    def stage(self) -> None:
        """Have the next iteration's images ready for the step that is queued after this."""
        start = self.staged * self.images + self.rank * self.batch
        self.feed.stage(start, self.batch, self.images)
        self.staged += 1

    def _captured(self, iterations: int, side: torch.cuda.Stream) -> Callable[[], None]:
        """A CUDA graph of so many steps, as what replays it."""
        self.drain()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=side):
            for _ in range(iterations):
                self._step()
        return graph.replay

    def _step(self) -> None:
        """One iteration, all of it on the device: which one it is, is a tensor there."""
        start = self.count * self.images + self.rank * self.batch
        images, labels = self.batch_at(start, self.batch)
        self.lr.copy_(self.rates.index_select(0, self.count)[0])
        self.optimizer.zero_grad()
        loss = self.backward(images, labels)
        self.optimizer.step()
        self.losses.scatter_(0, self.count, loss.view(1))
        self.count.add_(1)
