"""Top-k sparsification: the largest sums of what was not sent yet are sent, the others wait.

Lin, Han, Mao, Wang and Dally, "Deep gradient compression", ICLR 2018, section 3 without clipping,
and Fang, Fu, Yang and Hsieh, "RedSync", JPDC 2019, which gathers indices and values likewise. On
device k, for each parameter, with u_k and v_k that are 0 at first and momentum m:

    u_k = m u_k + g_k                      momentum correction
    v_k = v_k + u_k                        error feedback
    M   = v_k is among the largest k of its parameter, by absolute value
    sent: M v_k; then v_k = 0 where M, and u_k = 0 where M (`masking`)
    w   = w - lr mean over k of what was sent

k is the fraction `density` of the parameter, one at least, and in the epochs e of `warmup_epochs`
0.25^(e + 1) while that is more, as in the paper. Weight decay is part of g_k.
"""

import math
from collections.abc import Iterable

import torch
from torch import Tensor

from baselines.compressed import CompressedTraining
from bench import runner
from bench.ranks import spread


class TopK(CompressedTraining):
    """One rank, with a velocity and an unsent sum per parameter."""

    MEMORIES = ("velocity", "unsent")

    def make_optimizer(self) -> torch.optim.Optimizer:
        """Momentum and decay are in what is sent."""
        if self.ranks == 1:
            return super().make_optimizer()
        return torch.optim.SGD(self.trained, self.lr, fused=True)

    def parallel(self) -> torch.nn.Module:
        """Gradients become the mean of what is sent."""
        # As views, in the order of the gradients' elements.
        self.weights = {
            name: p.detach().as_strided((p.numel(),), (1,))
            for name, p in self.model.named_parameters()
        }
        return super().parallel()

    def begin(self, epoch: int) -> list[float]:
        """The density is the epoch's."""
        method = self.spec.method
        dense = 0.25 ** (epoch + 1) if epoch < method["warmup_epochs"] else 0.0
        self.density = max(method["density"], dense)
        return super().begin(epoch)

    def encode(self, gradients: dict[str, Tensor]) -> Tensor:
        """Places in the bucket and the bits of the values there: int32."""
        places, values, offset = [], [], 0
        for name, gradient in gradients.items():
            velocity, unsent = self.kept[f"velocity.{name}"], self.kept[f"unsent.{name}"]
            decayed = gradient.add_(self.weights[name], alpha=self.spec.weight_decay)
            unsent.add_(velocity.mul_(self.spec.momentum).add_(decayed))
            largest = unsent.abs().topk(math.ceil(self.density * len(unsent)), sorted=False).indices
            places.append(largest + offset)
            values.append(unsent[largest])
            unsent[largest] = 0
            if self.spec.method["masking"]:
                velocity[largest] = 0
            offset += len(gradient)
        return torch.cat([torch.cat(places).int(), torch.cat(values).view(torch.int32)])

    def decode(self, messages: Iterable[Tensor], buffer: Tensor, parts: dict[str, Tensor]) -> None:
        """The sum of the values; one rank's after the other's, for the order to be the same."""
        for message in messages:
            places, values = message.chunk(2)
            buffer.index_add_(0, places, values.view(torch.float32))


if __name__ == "__main__":
    runner.main(TopK, spread)
