"""Sufficient factor broadcasting: a linear layer's gradient is sent as what it is the product of.

Xie, Kim, Zhou, Ho, Kumar, Yu and Xing, "Lighter-communication distributed machine learning via
sufficient factor broadcasting", UAI 2016 (arXiv 1409.5705, 2014), section 3. A linear layer with
inputs x_i and errors e_i, the gradients of its outputs, i over a device's batch, has the gradient

    G = sum over i of e_i x_i'

and the devices exchange all x_i and e_i, b (inputs + outputs) numbers instead of inputs * outputs.
Each computes the mean over all of them, and that of the bias, whose gradient is the sum of e_i. It
is the update of S-SGD; fewer bytes are sent while b is small. Other layers send gradients, as
S-SGD does, and so do linear layers whose weights are used in other ways too. The paper's devices do
not wait for each other; here they do.
"""

from functools import partial

import torch
import torch.distributed as dist
from torch import Tensor, nn

from baselines.called_layers import called_layers
from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread
from bench.system import Context


class SufficientFactors(TorchTraining):
    """One rank. `pending` has the gatherings of this step: (work, layer, factors of all ranks)."""

    def __init__(self, context: Context) -> None:
        self.pending: list[tuple[dist.Work, nn.Linear, Tensor]] = []
        self.shape = context.records.shape
        super().__init__(context)

    def parallel(self) -> nn.Module:
        """Neither autograd nor DistributedDataParallel sees to the gradients of linear layers."""
        self.unfrozen = set(self.trained)  # which flags no longer tell, once they are off
        height, width, channels = self.shape
        images = torch.zeros(2, channels, height, width, device=self.device)
        for layer in called_layers(self.model, images):
            layer.requires_grad_(False)
            layer.register_forward_hook(self.watch, with_kwargs=True)
        others = any(parameter.requires_grad for parameter in self.model.parameters())
        return self.data_parallel() if others else self.called

    def watch(
        self, layer: nn.Linear, inputs: tuple[Tensor], named: dict[str, Tensor], output: Tensor
    ) -> Tensor:
        """Have the layer's factors sent once its error is known."""
        if not torch.is_grad_enabled():
            return output
        if not output.requires_grad:  # nothing below it is trained
            output = output.requires_grad_().clone()
        (images,) = inputs or named.values()
        output.register_hook(partial(self.send, layer, images.detach()))
        return output

    def send(self, layer: nn.Linear, inputs: Tensor, errors: Tensor) -> None:
        """Start to gather [inputs, errors] of all ranks, in the precision of the errors."""
        parts = inputs.flatten(0, -2).to(errors.dtype), errors.flatten(0, -2)
        factors = torch.cat(parts, dim=1)
        self.sent_bytes += factors.nbytes
        gathered = factors.new_empty(self.ranks * len(factors), factors.shape[1])
        work = dist.all_gather(list(gathered.chunk(self.ranks)), factors, async_op=True)
        self.pending.append((work, layer, gathered))

    def backward(self, images: Tensor, labels: Tensor) -> Tensor:
        """Gradients of linear layers are computed from all ranks' factors."""
        loss = super().backward(images, labels)
        for work, layer, gathered in self.pending:
            work.wait()
            inputs, errors = gathered.split([layer.in_features, layer.out_features], dim=1)
            self._add(layer.weight, errors.T @ inputs)
            if layer.bias in self.unfrozen:
                self._add(layer.bias, errors.sum(0))
        self.pending.clear()
        return loss

    def step_bytes(self) -> int:
        """Gradients of other layers; `send` has counted the factors."""
        return sum(4 * p.numel() for p in self.model.parameters() if p.requires_grad)

    def _add(self, parameter: Tensor, total: Tensor) -> None:
        gradient = total.to(parameter.dtype) / self.ranks
        parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient


if __name__ == "__main__":
    runner.main(SufficientFactors, spread)
