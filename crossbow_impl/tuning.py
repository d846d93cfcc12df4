"""Auto-tuning of one rank: when a sample is taken, what all ranks decide, and the trace of it."""

import time
from collections.abc import Sized
from typing import Protocol

import torch

from bench.spec import RunSpec
from crossbow_impl.autotune import AutoTuner, most_learners
from crossbow_impl.sync import Sync


class Resizable(Protocol):
    """What is tuned; see `crossbow_impl.train.Crossbow`."""

    @property
    def learners(self) -> Sized:
        """Those there are."""

    def resize(self, m: int) -> bool:
        """Have m learners, or say that they do not fit."""

    def drain(self) -> None:
        """Wait for the device."""


class Tuning:
    """The tuner with its `trace`, rows of autotune.csv.

    Every rank's tuner sees rank 0's samples, and so decides alike.
    """

    def __init__(self, spec: RunSpec, samples: int, sync: Sync, device: torch.device) -> None:
        self._run, self._sync, self._device = spec.id, sync, device
        self._tuner = AutoTuner(most_learners(spec, samples))
        self._seconds = 0.0
        self.trace: list[dict[str, object]] = []

    @property
    def settled(self) -> bool:
        """Whether tuning is over."""
        return self._tuner.settled

    @property
    def learners(self) -> int:
        """The learners per device that there should be."""
        return self._tuner.learners

    def sample(self, iteration: int, images_per_s: float, memory_bytes: int | None) -> None:
        """Take a throughput sample of the present learners, up to `iteration`."""
        present = self._tuner.learners
        images_per_s = self._sync.agree(images_per_s, self._device)
        decision = self._tuner.observe(images_per_s)
        self.trace.append(
            {
                "run": self._run,
                "iteration": iteration,
                "learners": present,
                "images_per_s": images_per_s,
                "decision": decision,
                "memory_bytes": memory_bytes,
                "tuning_s": self._seconds,
            }
        )

    def change(self, system: Resizable) -> None:
        """Bring about the number of learners decided on, or a smaller one that fits."""
        system.drain()
        started = time.monotonic()
        while not system.resize(self.learners):
            self._tuner.did_not_fit(len(system.learners))
            self.trace[-1]["decision"] = "out_of_memory"
            if self.learners == len(system.learners):
                break
        system.drain()
        self._seconds += time.monotonic() - started
        self.trace[-1]["tuning_s"] = self._seconds

    def state(self) -> dict[str, object]:
        """JSON values that `load_state` takes back."""
        return {"tuner": self._tuner.state(), "seconds": self._seconds, "trace": self.trace}

    def load_state(self, state: dict[str, object]) -> None:
        """Go back to what `state` returned."""
        self._tuner.load_state(state["tuner"])  # type: ignore[arg-type]
        self._seconds, self.trace = state["seconds"], state["trace"]  # type: ignore[assignment]
