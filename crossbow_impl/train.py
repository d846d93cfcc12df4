"""CROSSBOW as a system: learners, their engine, the all-reduce and the central average model."""

import json

import numpy as np
import torch
from torch import Tensor

import models
from bench import record
from bench.clock import Ledger
from bench.precision import use_precision
from bench.schedules import drops_between, learning_rate
from bench.system import Context, EpochResult
from crossbow_impl.autotune import DWELL, AutoTuner, most_learners
from crossbow_impl.engines import Program, engine_for
from crossbow_impl.evaluate import Center
from crossbow_impl.iteration import Iteration
from crossbow_impl.layout import Layout
from crossbow_impl.learners import Learners, loss_function
from crossbow_impl.sync import Sync
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
        index = context.rank if spec.device_type == "cuda" else 0
        self.device = torch.device(spec.device_type, index)
        use_precision(spec.precision)
        self.sync, self.engine = Sync(context.ranks), engine_for(self.device, spec.graph)
        self.feed = feed_for(records, spec.augmentation, spec.seed, self.device, spec.channels_last)
        network = models.load(spec.model).torch_model(records.shape, records.classes)
        load_torch(network, context.weights)
        network.to(self.device)
        self.tuner = None
        if spec.learners == "auto":
            self.tuner = AutoTuner(most_learners(spec, self.feed.samples))
        m = 1 if spec.learners == "auto" else spec.learners
        self.learners = Learners(network, Layout(network, spec.channels_last), m)
        loss = loss_function(network, spec.precision)
        self.iteration = Iteration(spec, context.rank, self.learners, self.feed, loss)
        if spec.compile:
            self.iteration.compile()
        self.center = Center(network, self.iteration, self.feed, self.sync)
        self.epoch, self.iterations, self.position, self.lr = 0, 0, 0.0, spec.lr
        self.trace: list[dict[str, object]] = []
        if self.images > self.feed.samples:
            raise ValueError(
                f"one iteration takes {self.images} images and {records.name} has "
                f"{self.feed.samples}: use fewer devices, fewer learners or a smaller batch"
            )

    @property
    def images(self) -> int:
        """How many images one iteration takes, on all devices."""
        return self.iteration.k * self.spec.batch

    def prepare(self, ledger: Ledger) -> None:
        """Compile, warm up and capture; nothing that is trained changes."""
        with ledger.phase("compile" if self.spec.compile or self.spec.graph else "warmup"):
            self.begin(self.feed.plan(0), 0, 0)
            self.engine.prepare(self._programs(), self.iteration.tensors())

    def train_epoch(self, epoch: int) -> EpochResult:
        """One pass over the plan; images too few for one whole last iteration are dropped."""
        plan, cursor, losses = self.feed.plan(epoch), 0, []
        while cursor + self.images <= self.feed.samples:
            todo = self.begin(plan, epoch, cursor)
            done = self.run(epoch, cursor, todo)
            losses.append(self.iteration.losses[:done].clone())
            cursor += done * self.images
            self._follow_tuner()
        self._average()
        self.center.follow()
        self.epoch = epoch
        if self.tuner and self.context.rank == 0:
            path = self.context.out / record.AUTOTUNE
            record.write_table(path, record.AUTOTUNE_COLUMNS, self.trace)
        return EpochResult(
            losses=self.sync.mean(torch.cat(losses)).cpu().numpy(),
            images=cursor,
            learners=len(self.learners),
            lr=self.lr,
        )

    def logits(self) -> np.ndarray:
        """Of z, on the test set."""
        return self.center.logits(self.epoch)

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
            self._follow_tuner()
        for name, tensor in self._tensors().items():
            tensor.copy_(torch.from_numpy(state[name]))

    def _tensors(self) -> dict[str, Tensor]:
        learners, iteration = self.learners, self.iteration
        tensors = {"w": learners.w, "velocity": learners.velocity}
        tensors |= {"z": iteration.z, "z_prev": iteration.z_prev}
        for j, buffers in enumerate(learners.buffers):
            tensors |= {f"learner.{j}.{name}": buffer for name, buffer in buffers.items()}
        return tensors

    def _programs(self) -> dict[str, Program]:
        """What the engine runs: an iteration whole where there is nobody to wait for."""
        iteration, fork = self.iteration, self.engine.fork

        def gradients() -> None:
            iteration.gradients(fork)

        def whole() -> None:
            iteration.gradients(fork)
            iteration.step()
            iteration.average()

        def local() -> None:
            iteration.gradients(fork)
            iteration.step(synchronise=False)

        programs: dict[str, Program] = {} if self.spec.tau == 1 else {"local": local}
        if not self.spec.tau:
            return programs
        if self.context.ranks == 1:
            return programs | {"whole": whole}
        parts = {"gradients": gradients, "step": iteration.step, "average": iteration.average}
        return programs | parts

    def begin(self, plan: EpochPlan, epoch: int, cursor: int) -> int:
        """Hand the rest of an epoch to the device; the number of iterations in it."""
        count = (self.feed.samples - cursor) // self.images
        spec, positions = self.spec, [self._position(epoch, cursor, i) for i in range(count)]
        rates = [learning_rate(spec.schedule, spec.lr, p, spec.epochs) for p in positions]
        self.lr = rates[-1]
        self.iteration.begin(rates)
        self.feed.begin(plan[cursor:])
        return count

    def _position(self, epoch: int, cursor: int, iteration: int) -> float:
        return epoch + (cursor + iteration * self.images) / self.feed.samples

    def run(self, epoch: int, cursor: int, count: int) -> int:
        """Up to `count` iterations; fewer when the tuner wants another number of learners."""
        start = self.engine.mark()
        for i in range(count):
            before, self.position = self.position, self._position(epoch, cursor, i)
            if drops_between(self.spec.schedule, before, self.position):
                self._average()
                self.iteration.restart()
            self._iterate()
            if self.tuner and not self.tuner.settled and (i + 1) % DWELL == 0:
                end = self.engine.mark()
                self._tune(self.tuner, DWELL * self.images / self.engine.seconds(start, end))
                if self.tuner.learners != len(self.learners):
                    return i + 1
                start = self.engine.mark()
        return count

    def _iterate(self) -> None:
        """Algorithm 1's loop body; an all-reduce overlaps the gradients of the next iteration."""
        self.iterations += 1
        if not self.spec.tau or self.iterations % self.spec.tau:
            self.engine.run("local")
        elif self.context.ranks == 1:
            self.engine.run("whole")
        else:
            self.engine.run("gradients")
            self._average()
            self.engine.run("step")
            self.sync.start(self.iteration.share)
            if self.iteration.blocking:
                self._average()

    def _average(self) -> None:
        """Move z by the sum that is under way, if there is one."""
        if self.sync.wait():
            self.engine.run("average")

    def _tune(self, tuner: AutoTuner, images_per_s: float) -> None:
        """Give the tuner a sample; rank 0's tuner decides for every rank."""
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
                "memory_bytes": self._memory(),
            }
        )

    def _follow_tuner(self) -> None:
        """Have as many learners as the tuner says, or as fit."""
        if self.tuner is None or self.tuner.learners == len(self.learners):
            return
        self._average()
        self.resize(self.tuner.learners)

    def resize(self, m: int) -> None:
        """Change the number of learners; where one more does not fit, stay and tune no further."""
        before = len(self.learners)
        try:
            self.learners.resize(m, self.iteration.z)
            self.iteration.follow_learners()
            self.engine.prepare(self._programs(), self.iteration.tensors())
            fits = True
        except torch.OutOfMemoryError:
            fits = False
        if not self.sync.all(fits, self.device):
            assert self.tuner is not None
            self.tuner.learners, self.tuner.settled = before, True
            self.trace[-1]["decision"] = "out_of_memory"
            self.resize(before)

    def _memory(self) -> int:
        """The most bytes of the device that tensors have taken; 0 on a CPU."""
        return torch.cuda.max_memory_allocated() if self.device.type == "cuda" else 0
