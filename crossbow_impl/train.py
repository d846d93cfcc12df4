"""CROSSBOW as a system: learners, their engine, the all-reduce and the central average model."""

import json

import numpy as np
import torch
from torch import Tensor

import models
from bench import random_state, record
from bench.clock import Ledger
from bench.peak_memory import PeakMemory
from bench.precision import cast_names, use_precision
from bench.schedules import drops_between, learning_rate
from bench.system import Context, EpochResult
from crossbow_impl.autotune import DWELL
from crossbow_impl.engines import engine_for
from crossbow_impl.evaluate import Center
from crossbow_impl.iteration import Iteration
from crossbow_impl.layout import Layout
from crossbow_impl.learners import Learners, loss_function
from crossbow_impl.loop import Loop
from crossbow_impl.replicas import Replicas
from crossbow_impl.sync import Sync
from crossbow_impl.tuning import Tuning
from data_prep.epoch_plan import EpochPlan
from data_prep.torch_feed import feed_for
from models.weights import load_torch


class Crossbow:
    """One rank: its device's learners and its copy of the central average model z.

    See `bench.system.System` for the methods.
    """

    def __init__(self, context: Context) -> None:
        spec, records = context.spec, context.records
        self.context, self.spec = context, spec
        self.device = torch.device(spec.device_type, context.device_index)
        use_precision(spec.precision, spec.cudnn_benchmark)
        self.sync, self.engine = Sync(context.ranks), engine_for(self.device, spec.graph)
        self.feed = feed_for(
            records,
            spec.augmentation,
            spec.seed,
            self.device,
            spec.channels_last,
            context.ranks_here,
            spec.unroll,
        )
        network = models.load(spec.model, spec.model_source).torch_model(
            records.shape, records.classes
        )
        load_torch(network, context.weights)
        network.to(self.device)
        if spec.channels_last:  # of frozen weights, which learners have no copies of
            network.to(memory_format=torch.channels_last)
        self.tuning = None
        if spec.learners == "auto":
            self.tuning = Tuning(spec, self.feed.samples, self.sync, self.device)
        m = 1 if spec.learners == "auto" else spec.learners
        half = cast_names(network, spec.precision)
        self.learners = Learners(network, Layout(network, spec.channels_last), m, half)
        loss = loss_function(network, spec.precision)
        self.iteration = Iteration(spec, context.rank, self.learners, self.feed, loss)
        if spec.compile:
            self.iteration.compile()
        self.loop = Loop(spec, self.iteration, self.engine, self.sync)
        self.center = Center(network, self.iteration, self.feed, self.sync)
        self.epoch, self.position = 0, 0.0
        self.memory = PeakMemory(self.device)
        self.replicas = Replicas(self.iteration, self.loop, self.engine, self.memory)
        if self.images > self.feed.samples:
            raise ValueError(
                f"one iteration takes {self.images} images and {records.name} has "
                f"{self.feed.samples}: use fewer devices, fewer learners or a smaller batch"
            )

    @property
    def images(self) -> int:
        """How many images one iteration takes, on all devices."""
        return self.iteration.k * self.spec.batch

    @property
    def trace(self) -> list[dict[str, object]]:
        """What tuning has seen and done so far; rows of autotune.csv."""
        return self.tuning.trace if self.tuning else []

    def prepare(self, ledger: Ledger) -> None:
        """Compile, warm up and capture; nothing that is trained changes."""
        with ledger.phase("compile" if self.spec.compile or self.spec.graph else "warmup"):
            randomness = random_state.get(self.device)
            self.sync.connect(self.iteration.share)
            self.begin(self.feed.plan(0), 0, 0)
            self.replicas.prepare(self.unroll, tuned=self.tuning is not None)
            random_state.put(randomness, self.device)

    @property
    def unroll(self) -> bool:
        """Whether graphs may have several iterations: not while every change is captured anew."""
        return self.tuning is None or self.tuning.settled

    def train_epoch(self, epoch: int) -> EpochResult:
        """One pass over the plan; images too few for one whole last iteration are dropped."""
        plan, cursor, losses = self.feed.plan(epoch), 0, []
        self.memory.ignore()
        self.sync.sent_bytes = 0
        while cursor + self.images <= self.feed.samples:
            todo = self.begin(plan, epoch, cursor)
            done = self.run(epoch, cursor, todo)
            losses.append(self.iteration.losses[:done].clone())
            cursor += done * self.images
            self._follow_tuning()
        self.loop.average()
        self.center.follow()
        self.memory.note()
        self.epoch = epoch
        if self.tuning and self.context.rank == 0:
            path = self.context.out / record.AUTOTUNE
            record.write_table(path, record.AUTOTUNE_COLUMNS, self.trace)
        return EpochResult(
            losses=self.sync.mean(torch.cat(losses)).cpu().numpy(),
            images=cursor,
            learners=len(self.learners),
            lr=self._rate(self.position),
            memory_bytes=self.memory.bytes,
            learner_memory_bytes=self.replicas.learner_bytes,
            sent_bytes=self.sync.sent_bytes,
        )

    def logits(self) -> np.ndarray:
        """Of z, on the test set."""
        return self.center.logits(self.epoch)

    def drain(self) -> None:
        """Wait for every stream of the device."""
        self.engine.drain()

    def agree(self, stop: bool) -> bool:
        """Rank 0's decision, when all have come."""
        return bool(self.sync.agree(int(stop), self.device))

    def state(self) -> dict[str, np.ndarray]:
        """Learners, central model and tuning after an epoch."""
        loop: dict[str, object] = {"position": self.position, "iterations": self.loop.iterations}
        if self.tuning:
            loop["tuning"] = self.tuning.state()
        arrays = {name: tensor.cpu().numpy() for name, tensor in self._tensors().items()}
        arrays["random"] = random_state.get(self.device).numpy()
        return arrays | {"loop": np.array(json.dumps(loop))}

    def load_state(self, state: dict[str, np.ndarray]) -> None:
        """Go back to what `state` returned."""
        loop = json.loads(str(state["loop"]))
        self.position, self.loop.iterations = loop["position"], loop["iterations"]
        if self.tuning:
            self.tuning.load_state(loop["tuning"])
            self.resize(self.tuning.learners)
        for name, tensor in self._tensors().items():
            tensor.copy_(torch.from_numpy(state[name]))
        random_state.put(torch.from_numpy(state["random"]), self.device)

    def _tensors(self) -> dict[str, Tensor]:
        learners, iteration = self.learners, self.iteration
        tensors = {"w": learners.w, "velocity": learners.velocity}
        tensors |= {"z": iteration.z, "z_prev": iteration.z_prev}
        for j, buffers in enumerate(learners.buffers):
            tensors |= {f"learner.{j}.{name}": buffer for name, buffer in buffers.items()}
        return tensors

    def begin(self, plan: EpochPlan, epoch: int, cursor: int) -> int:
        """Hand the rest of an epoch to the device; the number of iterations in it."""
        count = (self.feed.samples - cursor) // self.images
        positions = [self._position(epoch, cursor, i) for i in range(count)]
        self.iteration.begin([self._rate(position) for position in positions])
        self.feed.begin(plan[cursor:])
        return count

    def _position(self, epoch: int, cursor: int, iteration: int) -> float:
        return epoch + (cursor + iteration * self.images) / self.feed.samples

    def _rate(self, position: float) -> float:
        return learning_rate(self.spec.schedule, self.spec.lr, position, self.spec.epochs)

    def run(self, epoch: int, cursor: int, count: int) -> int:
        """Up to `count` iterations; fewer when tuning wants another number of learners."""
        positions = [self._position(epoch, cursor, i) for i in range(count)]
        tuning = self.tuning if self.tuning and not self.tuning.settled else None
        done, start = 0, self.engine.mark()
        while done < count:
            if drops_between(self.spec.schedule, self.position, positions[done]):
                self.loop.average()
                self.iteration.restart()
            done += self.loop.advance(self._until_drop(positions[done : done + self.spec.unroll]))
            self.position = positions[done - 1]
            if tuning and done % DWELL == 0:
                self.memory.note()
                images_per_s = DWELL * self.images / self.engine.seconds(start, self.engine.mark())
                tuning.sample(self.loop.iterations, images_per_s, self.memory.bytes)
                if tuning.settled or tuning.learners != len(self.learners):
                    return done
                start = self.engine.mark()
        return count

    def _until_drop(self, positions: list[float]) -> int:
        """How many iterations there are before the learning rate drops."""
        if self.spec.schedule["kind"] == "step":
            for i, position in enumerate(positions):
                if drops_between(self.spec.schedule, positions[0], position):
                    return i
        return len(positions)

    def _follow_tuning(self) -> None:
        """Have as many learners as tuning says, or as fit."""
        if self.tuning is None:
            return
        unroll = self.tuning.settled and self.spec.unroll > 1 and not self.loop.unrolled
        if unroll or self.tuning.learners != len(self.learners):
            self.loop.average()
            self.tuning.change(self)

    def resize(self, m: int) -> bool:
        """Change the number of learners; False, and as many as before, where m do not fit.

        There are fewer than before where the attempt has left no room for as many.

        Raises:
            torch.OutOfMemoryError: not a single learner fits any more.
        """
        before = len(self.learners)
        self.begin(self.feed.plan(0), 0, 0)  # images for the attempt, also at an epoch's end
        if self.sync.all(self.replicas.resize(m, self.unroll), self.device):
            return True
        while not self.sync.all(self.replicas.resize(before, self.unroll), self.device):
            before //= 2
            if not before:
                raise torch.OutOfMemoryError("out of memory: not a single learner fits any more")
        return False
