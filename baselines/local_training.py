"""What methods share whose ranks take steps of their own, and meet now and then."""

import copy

import torch

from baselines.averaging import average
from baselines.torch_training import TorchTraining
from bench.system import Context


class LocalTraining(TorchTraining):
    """One rank, with gradients of its own."""

    def parallel(self) -> torch.nn.Module:
        """Gradients stay where they are."""
        return self.called

    def step_bytes(self) -> int:
        """Nothing but where ranks meet, which counts its own."""
        return 0


class CentralTraining(LocalTraining):
    """One rank, with weights of its own.

    `central` is the model that counts, `centre` its parameters that are trained, as in `trained`.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.central = copy.deepcopy(self.model)
        self.centre = [p for p in self.central.parameters() if p.requires_grad]
        self.central.requires_grad_(False)

    def evaluated(self) -> torch.nn.Module:
        """The central model, with the mean of all ranks' batch-norm statistics."""
        average(self.model.buffers(), self.central.buffers())
        return self.central


class PeriodicTraining(CentralTraining):
    """One rank, which meets the others after every `period` iterations and sends its weights."""

    def meets(self) -> bool:
        """Whether all ranks meet after the iteration that was just done."""
        return self.iterations % self.spec.method["period"] == 0

    def meet(self) -> None:
        """What the ranks do together."""
        raise NotImplementedError

    def after_step(self) -> None:
        """Train on alone, or meet."""
        if self.meets():
            self.meet()

    def step_bytes(self) -> int:
        """The weights, where the ranks meet; what an evaluation needs is not counted."""
        return self.gradient_bytes if self.meets() else 0
