"""CROSSBOW as a system: learners, their engine, the all-reduce and the central average model."""

import json
import time

import numpy as np
import torch

import models
from bench import record
from bench.clock import Ledger
from bench.schedules import drops_between, learning_rate
from bench.system import Context, EpochResult
from crossbow_impl import sma
from crossbow_impl.autotune import DWELL, AutoTuner, most_learners
from crossbow_impl.engines import Batch, engine_for
from crossbow_impl.learners import Learners, bind, flat_buffers, flat_parameters
from crossbow_impl.sync import Sync
from data_prep.epoch_plan import EpochPlan
from data_prep.feed import Feed
from models.weights import load_torch


class Crossbow:
    """One rank: its device's learners and its copy of the central average model z.

    `center` is the network over z that is evaluated; its batch-norm statistics are the mean of
    all learners' (averaged once an epoch). See `bench.system.System` for the methods.
    """

    def __init__(self, context: Context) -> None:
        spec, records = context.spec, context.records
        assert spec.variant is not None and spec.mu is not None
        self.context, self.spec, self.variant, self.mu = context, spec, spec.variant, spec.mu
        index = context.rank if spec.device_type == "cuda" else 0
        self.device = torch.device(spec.device_type, index)
        self.feed = Feed(records, spec.augmentation, spec.seed)
        self.sync, self.engine = Sync(context.ranks), engine_for(self.device)

        def build() -> torch.nn.Module:
            return models.load(spec.model).torch_model(records.shape, records.classes)

        self.center = build()
        load_torch(self.center, context.weights)
        self.center.to(self.device).eval()
        self.tuner = None
        if spec.learners == "auto":
            self.tuner = AutoTuner(most_learners(spec, self.feed.samples))
        m = 1 if spec.learners == "auto" else spec.learners
        self.learners = Learners(build, self.center, m)
        self.z, self.buffers = flat_parameters(self.center), flat_buffers(self.center)
        self.z_prev = self.z.clone()
        bind(self.center, self.z, self.buffers, None)
        self.position, self.iterations = 0.0, 0
        self.trace: list[dict[str, object]] = []
        if self.k * spec.batch > self.feed.samples:
            raise ValueError(
                f"one iteration takes {self.k * spec.batch} images and {records.name} has "
                f"{self.feed.samples}: use fewer devices, fewer learners or a smaller batch"
            )

    @property
    def k(self) -> int:
        """All learners on all devices."""
        return len(self.learners) * self.context.ranks

    def prepare(self, ledger: Ledger) -> None:
        """Run every learner forward and backward once: one-off costs are not training."""
        with ledger.phase("warmup"):
            statistics = self.learners.buffers.clone()
            self.engine.gradients(self.learners, self._batches(self.feed.plan(0), 0))
            self.learners.buffers.copy_(statistics)

    def train_epoch(self, epoch: int) -> EpochResult:
        """One pass over the plan; images too few for one whole last iteration are dropped."""
        spec, plan = self.spec, self.feed.plan(epoch)
        losses, start, cursor = [], self.iterations, 0
        sample_s, sample_images = self._now(), 0
        while cursor + self.k * spec.batch <= self.feed.samples:
            before, self.position = self.position, epoch + cursor / self.feed.samples
            lr = learning_rate(spec.schedule, spec.lr, self.position, spec.epochs)
            if drops_between(spec.schedule, before, self.position):
                self._average()
                sma.restart(self.learners.w, self.learners.velocity, self.z, self.z_prev)
            losses.append(self._iteration(self._batches(plan, cursor), lr))
            self.iterations += 1
            cursor += self.k * spec.batch
            sample_images += self.k * spec.batch
            tuning = self.tuner and not self.tuner.settled
            if tuning and (self.iterations - start) % DWELL == 0:
                self._tune(sample_images / (self._now() - sample_s))
                sample_s, sample_images = self._now(), 0
        self._average()
        self.buffers.copy_(self.sync.mean(self.learners.buffers.mean(0)))
        if self.tuner and self.context.rank == 0:
            record.write_table(
                self.context.out / record.AUTOTUNE, record.AUTOTUNE_COLUMNS, self.trace
            )
        return EpochResult(
            losses=self.sync.mean(torch.stack(losses)).cpu().numpy(),
            images=cursor,
            learners=len(self.learners),
            lr=lr,
        )

    def logits(self) -> np.ndarray:
        """Of z, on the test set."""
        images = torch.from_numpy(self.feed.test_images())
        with torch.inference_mode():
            parts = [self.center(part.to(self.device)).cpu() for part in images.split(1024)]
        return torch.cat(parts).numpy()

    def drain(self) -> None:
        """Wait for every stream of the device."""
        self.engine.drain()

    def agree(self, stop: bool) -> bool:
        """Rank 0's decision."""
        return bool(self.sync.broadcast(int(stop), self.device))

    def state(self) -> dict[str, np.ndarray]:
        """Learners, central model and tuner after an epoch."""
        loop = {"position": self.position, "iterations": self.iterations, "trace": self.trace}
        if self.tuner:
            loop["tuner"] = self.tuner.state()
        arrays = {name: tensor.cpu().numpy() for name, tensor in self._tensors().items()}
        return arrays | {"loop": np.array(json.dumps(loop))}

    def load_state(self, state: dict[str, np.ndarray]) -> None:
        """Go back to what `state` returned."""
        loop = json.loads(str(state["loop"]))
        self.position, self.iterations = loop["position"], loop["iterations"]
        self.trace = loop["trace"]
        if self.tuner:
            self.tuner.load_state(loop["tuner"])
        self.learners.resize(len(state["w"]), self.z)
        for name, tensor in self._tensors().items():
            tensor.copy_(torch.from_numpy(state[name]))

    def _tensors(self) -> dict[str, torch.Tensor]:
        learners = self.learners
        return {
            "z": self.z,
            "z_prev": self.z_prev,
            "buffers": self.buffers,
            "w": learners.w,
            "velocity": learners.velocity,
            "learner_buffers": learners.buffers,
        }

    def _batches(self, plan: EpochPlan, cursor: int) -> list[Batch]:
        """This device's share of an iteration: learner j of rank r takes batch r * m + j."""
        m, b = len(self.learners), self.spec.batch
        first = cursor + self.context.rank * m * b
        slices = [plan[first + j * b : first + (j + 1) * b] for j in range(m)]
        return [(torch.from_numpy(x), torch.from_numpy(y)) for x, y in map(self.feed.batch, slices)]

    def _iteration(self, batches: list[Batch], lr: float) -> torch.Tensor:
        """Algorithm 1's loop body; the all-reduce of the last iteration overlaps `gradients`."""
        learners = self.learners
        alpha = 1 / self.k if self.spec.alpha is None else self.spec.alpha
        losses = self.engine.gradients(learners, batches)
        if self.spec.weight_decay:
            learners.g.add_(learners.w, alpha=self.spec.weight_decay)
        self._average()
        share = sma.step(
            self.variant,
            learners.w,
            learners.g,
            learners.velocity,
            self.z,
            lr,
            self.spec.momentum,
            alpha,
        )
        self.sync.start(share)
        return losses.mean()

    def _average(self) -> None:
        """Move z by the sum that is under way, if there is one."""
        total = self.sync.wait()
        if total is not None:
            sma.average(self.variant, self.z, self.z_prev, total, self.k, self.mu)

    def _tune(self, images_per_s: float) -> None:
        """Give the tuner a sample and do what rank 0's tuner says on every rank."""
        tuner = self.tuner
        assert tuner is not None
        decision = tuner.observe(images_per_s)
        tuner.learners = self.sync.broadcast(tuner.learners, self.device)
        tuner.settled = bool(self.sync.broadcast(int(tuner.settled), self.device))
        self.trace.append(
            {
                "run": self.spec.id,
                "iteration": self.iterations,
                "learners": len(self.learners),
                "images_per_s": images_per_s,
                "decision": decision,
            }
        )
        if tuner.learners != len(self.learners):
            self._average()
            self.learners.resize(tuner.learners, self.z)

    def _now(self) -> float:
        self.engine.drain()
        return time.monotonic()
