"""EAMSGD: every device trains alone with Nesterov momentum, held to a centre by an elastic force.

Zhang, Choromanska and LeCun, "Deep learning with elastic averaging SGD", NeurIPS 2015, Algorithm 2.
With delta = `momentum`, tau = `period` and alpha = `beta` / devices, device i does in iteration t

    x = x_i
    x_i = x_i - alpha (x - c),   c = c + alpha (x - c)   where tau divides t
    v_i = delta v_i - lr g_i(x + delta v_i)
    x_i = x_i + v_i

The paper's workers meet the centre c asynchronously; here all do in the same iteration, one after
the other in the order of their ranks, each copy of c making the same moves. torch's SGD keeps
x_i + delta v_i as its weights and has the rate outside of the velocity, which is the same while the
rate is. c counts, with the mean of the devices' batch-norm statistics.
"""

import torch
import torch.distributed as dist
from torch import Tensor

from baselines.averaging import as_vector, from_vector
from baselines.local_training import CentralTraining
from bench import runner
from bench.ranks import spread


class EAMSGD(CentralTraining):
    """One rank; `central` has its copy of the centre."""

    def make_optimizer(self) -> torch.optim.Optimizer:
        """Nesterov momentum; without any, it is elastic averaging SGD."""
        return torch.optim.SGD(
            self.trained,
            self.lr,
            momentum=self.spec.momentum,
            weight_decay=self.spec.weight_decay,
            nesterov=self.spec.momentum > 0,
            fused=True,
        )

    def _step(self) -> None:
        """An iteration; the force is of the weights before it, as the gradient is.

        In the run's first iteration there is none, nor in the warm-up.
        """
        meets = self.iterations > 0 and self.iterations % self.spec.method["period"] == 0
        pull = self.meet() if meets else None
        super()._step()
        if pull is not None:
            from_vector(as_vector(self.trained) - pull, self.trained)

    def meet(self) -> Tensor:
        """Move the centre, device by device; alpha (x - c) of this rank, one vector."""
        x = as_vector(self.trained)
        if self.spec.momentum:  # they are x + delta v
            velocity = as_vector(self.velocity(parameter) for parameter in self.trained)
            x += self.spec.momentum * self.lr * velocity  # torch's has the other sign
        everyone = [x]
        if self.ranks > 1:
            everyone = [torch.empty_like(x) for _ in range(self.ranks)]
            dist.all_gather(everyone, x)
            self.sent_bytes += x.nbytes
        centre = as_vector(self.centre)
        alpha = self.spec.method["beta"] / self.ranks
        pulls = []
        for theirs in everyone:
            pulls.append(alpha * (theirs - centre))
            centre += pulls[-1]
        from_vector(centre, self.centre)
        return pulls[self.rank]

    def velocity(self, parameter: Tensor) -> Tensor:
        """A parameter's; 0 where a network that skips layers has not yet used it."""
        there = self.optimizer.state[parameter].get("momentum_buffer")
        return torch.zeros_like(parameter) if there is None else there

    def extra_tensors(self) -> dict[str, Tensor]:
        """The centre, and the rate that the weights are ahead by."""
        centre = {f"central.{name}": of for name, of in self.central.named_parameters()}
        return centre | {"lr": self.lr}


if __name__ == "__main__":
    runner.main(EAMSGD, spread)
