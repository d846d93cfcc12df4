"""The learners of one device: m replicas of a network over rows of flat storage."""

import copy
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from bench.precision import autocast
from crossbow_impl.layout import Layout, trained

Loss = Callable[[dict[str, Tensor], dict[str, Tensor], Tensor, Tensor], Tensor]


class Learners:
    """m replicas whose parameters are views of the rows of `w` [m, P], gradients of `g` [m, P].

    `velocity` [m, P] is the local momentum. `buffers` holds each replica's own batch-norm
    statistics. All replicas start as `initial`, whose code they share: there is one network, and m
    sets of tensors to call it with. Frozen parameters are the network's own, and stay as they are.
    Storage is allocated ahead of the learners and kept.

    The parameters named in `half` are handed to the network in bf16: `round` copies all learners'
    at once, where autocast would cast each tensor by itself.
    """

    def __init__(
        self, initial: nn.Module, layout: Layout, m: int, half: AbstractSet[str] = frozenset()
    ) -> None:
        self.layout, self._half = layout, half
        row = layout.flatten(list(trained(initial).values()))
        buffers = {n: b for n, b in initial.named_buffers() if b.is_floating_point()}
        self._storage = [row.new_zeros(0, layout.size) for _ in range(3)]
        self._rounded = row.new_zeros(0, layout.size, dtype=torch.bfloat16)
        self._reserve(m)
        self._take(m)
        self.w.copy_(row.expand(m, -1))
        self.buffers = [{n: b.clone() for n, b in buffers.items()} for _ in range(m)]

    def __len__(self) -> int:
        return len(self.w)

    @property
    def parameters(self) -> list[dict[str, Tensor]]:
        """Each learner's parameters by name, as the network is called with them."""
        return self._parameters[: len(self)]

    @property
    def bytes(self) -> int:
        """What the learners' own tensors take."""
        statistics = [b for buffers in self.buffers for b in buffers.values()]
        return sum(t.nbytes for t in [*self._storage, self._rounded, *statistics])

    def resize(self, m: int, z: Tensor) -> None:
        """Keep the first m learners; those that are new start from z [P], without momentum.

        Raises:
            torch.OutOfMemoryError: they do not fit; the learners are as before.
        """
        kept = min(m, len(self))
        self._reserve(m)
        mean = self.mean_buffers()
        added = [{n: b.clone() for n, b in mean.items()} for _ in range(m - kept)]
        self._take(m)
        self.buffers = self.buffers[:kept] + added
        self.w[kept:] = z
        self.velocity[kept:] = 0

    def mean_buffers(self) -> dict[str, Tensor]:
        """The mean over the learners of each batch-norm statistic."""
        return {n: torch.stack([b[n] for b in self.buffers]).mean(0) for n in self.buffers[0]}

    def share_buffers(self) -> None:
        """Give every learner the mean statistics: the device has one set, as in the original."""
        for name, mean in self.mean_buffers().items():
            for buffers in self.buffers:
                buffers[name].copy_(mean)

    def round(self) -> None:
        """Bring the bf16 copies of the parameters up to date, before gradients are taken."""
        if self._half:
            self._rounded[: len(self)].copy_(self.w)

    def gradient(self, j: int, loss: Loss, images: Tensor, labels: Tensor) -> Tensor:
        """Write learner j's gradient of the mean loss on a batch into `g[j]`; returns the loss."""
        value = loss(self._parameters[j], self.buffers[j], images, labels)
        gradients = torch.autograd.grad(value, list(self._parameters[j].values()))
        for places, views in self._gradients[j]:  # one kind of number at a time, in one kernel
            torch._foreach_copy_(views, [gradients[place] for place in places])
        return value.detach()

    def _reserve(self, m: int) -> None:
        """Have rows for at least m learners; growing, for twice as many as before."""
        there = len(self._storage[0])
        if m <= there:
            return
        rows = max(m, 2 * there)
        larger = [old.new_zeros(rows, self.layout.size) for old in self._storage]
        rounded = self._rounded.new_zeros(rows if self._half else 0, self.layout.size)
        for new, old in zip(larger, self._storage, strict=True):
            new[:there] = old
        self._storage, self._rounded = larger, rounded
        self._parameters: list[dict[str, Tensor]] = []
        self._gradients: list[list[tuple[list[int], list[Tensor]]]] = []
        for j in range(rows):
            self._add_views(j)

    def _add_views(self, j: int) -> None:
        """The network's view of row j."""
        names, full = self.layout.names, self.layout.views(self._storage[0][j])
        half = self.layout.views(self._rounded[j]) if self._half else full
        parts = [half[i] if name in self._half else full[i] for i, name in enumerate(names)]
        self._parameters.append(
            {n: part.detach().requires_grad_() for n, part in zip(names, parts, strict=True)}
        )
        gradients = self.layout.views(self._storage[2][j])
        places = [[i for i, n in enumerate(names) if (n in self._half) is h] for h in (False, True)]
        self._gradients.append([(kind, [gradients[i] for i in kind]) for kind in places if kind])

    def _take(self, m: int) -> None:
        """Let there be m learners."""
        self.w, self.velocity, self.g = (rows[:m] for rows in self._storage)


def loss_function(network: nn.Module, precision: str) -> Loss:
    """The mean cross-entropy of `network` called with a learner's parameters and buffers."""
    network = copy.deepcopy(network).train()
    for module in network.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.num_batches_tracked = None  # a counter that nothing reads

    def loss(
        parameters: dict[str, Tensor], buffers: dict[str, Tensor], images: Tensor, labels: Tensor
    ) -> Tensor:
        with autocast(precision, images.device):
            logits: Any = functional_call(network, (parameters, buffers), (images,))
            return cross_entropy(logits, labels)

    return loss
