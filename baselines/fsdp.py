"""Fully sharded data parallelism: S-SGD whose devices keep a part of everything each.

Zhao et al. 2023, "PyTorch FSDP: Experiences on scaling fully sharded data parallel", VLDB 2023;
ZeRO's stage 3 (Rajbhandari et al., SC 2020). A layer's weights are gathered when it computes; the
sum of its gradients is scattered, and each device updates its part. The update is S-SGD's.
`reshard_after_forward` frees the gathered weights until the backward pass gathers them again.

PatrickStar (Fang et al. 2023), Elixir (Huang et al. 2022) and Colossal-AI gather chunks of weights,
of a size that they search for, and decide for each by what there is room for whether the host's
memory has it. Here consecutive layers are gathered together up to `chunk_mb` MB, and `offload`
keeps the parts of all of them in the host's memory. On one device it is plain SGD.
"""

import copy
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, OffloadPolicy, fully_shard
from torch.distributed.tensor import DTensor

from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread


class FSDP(TorchTraining):
    """One rank, with its part of weights, gradients and momentum.

    Rank 0 puts the whole model together for an evaluation, outside of what training takes.
    """

    def parallel(self) -> nn.Module:
        """The model, with each chunk of layers of its outermost sequence a unit."""
        self.whole = copy.deepcopy(self.model).to("cpu")
        offload = CPUOffloadPolicy() if self.spec.method["offload"] else OffloadPolicy()
        how = {
            # torch's own choice is the GPUs where there are any, also for a run on CPUs.
            "mesh": init_device_mesh(self.spec.device_type, (self.ranks,)),
            "reshard_after_forward": self.spec.method["reshard_after_forward"],
            "offload_policy": offload,
        }
        self.units = chunks(layers_of(self.model), self.spec.method["chunk_mb"])
        for layers in self.units:
            fully_shard(layers, **how)
        fully_shard(self.model, **how)
        # Between its hooks torch compiles layers of classes not its own, and leaves out the others.
        return self.called

    def make_optimizer(self) -> torch.optim.Optimizer:
        """SGD of the parts, where they are; a fused step takes plain tensors alone."""
        if self.ranks == 1:
            return super().make_optimizer()
        self.trained = [p for p in self.model.parameters() if p.requires_grad]  # others than before
        self.parts = [part_of(p).detach() for p in self.trained]
        self.lr = self.lr.to(self.parts[0].device)
        optimizer = torch.optim.SGD(
            self.parts,
            self.lr,
            momentum=self.spec.momentum,
            weight_decay=self.spec.weight_decay,
            fused=True,
        )
        optimizer.register_step_pre_hook(self._hand_over)
        return optimizer

    @torch.no_grad()
    def _hand_over(self, *_: object) -> None:
        """Give the optimiser the parts, which FSDP may have moved, and their gradients."""
        for parameter, part in zip(self.trained, self.parts, strict=True):
            part.data, part.grad = part_of(parameter), part_of(parameter.grad)
            parameter.grad = None

    def optimizer_state(self) -> dict[Tensor, dict[str, Tensor]]:
        """Of this rank's parts."""
        state = super().optimizer_state()
        if self.ranks == 1:
            return state
        parts = zip(self.trained, self.parts, strict=True)
        return {parameter: state[part] for parameter, part in parts}

    def step_bytes(self) -> int:
        """Each gradient, and this rank's parts as often as they are gathered."""
        return self.gathered_bytes + super().step_bytes()

    @cached_property
    def gathered_bytes(self) -> int:
        """This rank's parts, and those once more that the backward pass gathers again.

        That ends at the lowest unit that is trained, but torch gathers one unit ahead.
        """
        everything = list(self.model.parameters())
        again = everything if self.spec.method["reshard_after_forward"] else []
        units = [[p for layer in unit for p in layer.parameters()] for unit in self.units]
        trained = [any(p.requires_grad for p in unit) for unit in units]
        below = units[: max(0, [*trained, True].index(True) - 1)]
        never = {p for unit in below for p in unit}
        gathered = everything + [p for p in again if p not in never]
        return sum(4 * part_of(p).numel() for p in gathered)

    def evaluated(self) -> nn.Module:
        """The whole model, in the host's memory."""
        if self.ranks == 1:
            return self.model
        for name, tensor in self.model.state_dict().items():
            if isinstance(tensor, DTensor):  # NCCL gathers nothing from the host's memory
                tensor = tensor.to(self.device).full_tensor()
            self.whole.state_dict()[name].copy_(tensor)
        return self.whole

    def logits(self) -> np.ndarray:
        """Of the whole model, on the device for as long as this takes."""
        if self.ranks == 1:
            return super().logits()
        self.whole.to(self.device)
        logits = super().logits()
        self.whole.to("cpu")
        return logits

    def model_tensors(self) -> dict[str, Tensor]:
        """This rank's parts of weights, and buffers."""
        return {name: part_of(tensor) for name, tensor in super().model_tensors().items()}


def layers_of(module: nn.Module) -> Iterator[nn.Module]:
    """Its children, and those of children that are lists, which nothing calls."""
    for child in module.children():
        if isinstance(child, (nn.ModuleList, nn.ModuleDict)):
            yield from layers_of(child)
        else:
            yield child


def chunks(layers: Iterable[nn.Module], most_mb: int) -> list[list[nn.Module]]:
    """Runs of `layers` with at most `most_mb` MiB of parameters each, or one that has more.

    Layers without parameters are left out.
    """
    found: list[list[nn.Module]] = []
    room = 0
    for layer in layers:
        size = sum(parameter.nbytes for parameter in layer.parameters())
        if not size:
            continue
        if size > room:
            found.append([])
            room = most_mb * 2**20
        found[-1].append(layer)
        room -= size
    return found


def part_of(tensor: Tensor) -> Tensor:
    """This rank's part of a sharded tensor; any other tensor as it is."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


if __name__ == "__main__":
    runner.main(FSDP, spread)
