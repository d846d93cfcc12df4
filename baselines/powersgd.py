"""PowerSGD: gradients of rank r, by one step of power iteration, and the error goes into the next.

Vogels, Karimireddy and Jaggi, "PowerSGD", NeurIPS 2019, Algorithms 1 and 2, as torch's hook of
DistributedDataParallel has it. On device k, for each matrix, with an error E_k that is 0 at first
and a Q that is random at first and the last one later:

    M_k = G_k + E_k
    Q   = orthogonalise(Q);  P = sum over k of M_k Q
    P   = orthogonalise(P);  Q = mean over k of M_k' P
    E_k = M_k - P Q'
    w   = w - lr (momentum and decay of P Q')

The paper orthogonalises P alone, and steps along gradient plus velocity. What has no matrix that
this makes at least twice as small is sent as it is, and so is all in the first `start` iterations.
"""

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook

from baselines.torch_training import TorchTraining
from bench import runner
from bench.clock import Ledger
from bench.low_rank import refuse_rank
from bench.ranks import spread

# Keeps a matrix of zeros, such as behind a zero-initialised norm, from a division by zero.
EPSILON = 1e-8


def one_by_one(state: PowerSGDState, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:
    """torch's hook. It sends several times for a bucket, gloo from threads of its own.

    So on CPUs a bucket has to be done before the next, or ranks send theirs in different orders.
    """
    future = powerSGD_hook(state, bucket)
    if bucket.buffer().is_cpu:
        future.wait()
    return future


class PowerSGD(TorchTraining):
    """One rank. torch's hook keeps its tensors by bucket."""

    def parallel(self) -> torch.nn.Module:
        """Gradients become the mean of their low-rank forms."""
        rank = self.spec.method["rank"]
        refuse_rank(rank, (parameter.shape for parameter in self.trained), self.spec.model)
        self.hook = PowerSGDState(
            process_group=None,
            matrix_approximation_rank=rank,
            start_powerSGD_iter=self.spec.method["start"],
            orthogonalization_epsilon=EPSILON,
        )
        self.counted = 0
        forward = self.data_parallel()
        forward.register_comm_hook(self.hook, one_by_one)
        return forward

    def step_bytes(self) -> int:
        """Whole gradients up to the start; then P, Q and what is not compressed."""
        sent = self.hook.total_numel_after_compression - self.counted
        self.counted += sent
        return 4 * sent or super().step_bytes()

    def prepare(self, ledger: Ledger) -> None:
        """The warm-up step does not count; it comes before any compression."""
        super().prepare(ledger)
        if self.ranks > 1:
            self.hook.iter = 0

    def extra_tensors(self) -> dict[str, Tensor]:
        """Errors, and the last P and Q, by bucket."""
        return {
            f"{memory}.{bucket}": tensor
            for memory, tensors in self._memories().items()
            for bucket, tensor in tensors.items()
        }

    def load_state(self, state: dict) -> None:
        """Go back to what `state` returned."""
        for memory, tensors in self._memories().items():
            for name, array in state.items():
                if name.startswith(f"{memory}."):
                    bucket = int(name.removeprefix(f"{memory}."))
                    tensors[bucket] = torch.from_numpy(array).to(self.device)
        super().load_state(state)
        if self.ranks > 1:
            self.hook.iter = self.iterations

    def _memories(self) -> dict[str, dict[int, Tensor]]:
        if self.ranks == 1:
            return {}
        hook = self.hook
        return {"error": hook.error_dict, "p": hook.p_memory_dict, "q": hook.q_memory_dict}


if __name__ == "__main__":
    runner.main(PowerSGD, spread)
