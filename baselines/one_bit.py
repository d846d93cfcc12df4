"""1-bit SGD: of every element of a gradient its sign is sent, and the error goes into the next.

Seide, Fu, Droppo, Li and Yu, "1-bit stochastic gradient descent and its application to
data-parallel distributed training of speech DNNs", Interspeech 2014, section 3. On device k, with
an error d_k that is 0 at first, for each column of a weight matrix:

    s_k = g_k + d_k
    q_k = mean of the s_k >= 0 where s_k >= 0, mean of the s_k < 0 elsewhere
    d_k = s_k - q_k
    w   = w - lr (momentum and decay of mean over k of q_k)

A message has a column's two means and a bit per element. A matrix has a row per output, so a column
is what reaches all outputs from one input; a vector is one column. The paper's devices each own a
part of the sum and quantise that too, before they pass it on; here all get all messages, and the
sum is exact. Its first steps at full precision and AdaGrad are left out.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

from baselines.compressed import CompressedTraining
from bench import runner
from bench.ranks import spread

POWERS = (1, 2, 4, 8, 16, 32, 64, 128)


def pack(bits: Tensor) -> Tensor:
    """Bits [n] bool as uint8 [n / 8, rounded up]."""
    padded = torch.nn.functional.pad(bits, (0, -len(bits) % 8)).view(-1, 8)
    return (padded * padded.new_tensor(POWERS, dtype=torch.uint8)).sum(1, dtype=torch.uint8)


def unpack(packed: Tensor, n: int) -> Tensor:
    """The `n` bits that `pack` made [n / 8] of."""
    return (packed[:, None] & packed.new_tensor(POWERS)).flatten()[:n] != 0


class OneBitSGD(CompressedTraining):
    """One rank, with an error per parameter."""

    MEMORIES = ("error",)

    def parallel(self) -> torch.nn.Module:
        """Gradients become the mean of their quantised forms."""
        self.rows = {name: len(p) if p.ndim else 1 for name, p in self.model.named_parameters()}
        return super().parallel()

    def encode(self, gradients: dict[str, Tensor]) -> Tensor:
        """The means of all columns as float32, then all bits: uint8."""
        means, bits = [], []
        for name, gradient in gradients.items():
            total = self.kept[f"error.{name}"].add_(gradient).view(self.rows[name], -1)
            positive = total >= 0
            count = positive.sum(0)
            high = (total * positive).sum(0) / count.clamp(min=1)
            low = (total * ~positive).sum(0) / (len(total) - count).clamp(min=1)
            total.sub_(torch.where(positive, high, low))
            means += [high, low]
            bits.append(positive.flatten())
        return torch.cat([torch.cat(means).view(torch.uint8), pack(torch.cat(bits))])

    def decode(self, messages: Iterable[Tensor], buffer: Tensor, parts: dict[str, Tensor]) -> None:
        """The sum of the quantised gradients."""
        matrices = [part.view(self.rows[name], -1) for name, part in parts.items()]
        columns = [matrix.shape[1] for matrix in matrices for _ in ("high", "low")]
        sizes = [matrix.numel() for matrix in matrices]
        for message in messages:
            means, packed = message.split([4 * sum(columns), len(message) - 4 * sum(columns)])
            # A message of another rank may begin where no float32 may.
            ends = means.clone().view(torch.float32).split(columns)
            bits = unpack(packed, len(buffer)).split(sizes)
            for matrix, high, low, part in zip(matrices, ends[::2], ends[1::2], bits, strict=True):
                matrix.add_(torch.where(part.view_as(matrix), high, low))


if __name__ == "__main__":
    runner.main(OneBitSGD, spread)
