"""Which ranks make a gradient smaller, by the rule of torch's PowerSGD hook."""

import math
from collections.abc import Iterable, Sequence


def refuse_rank(rank: int, shapes: Iterable[Sequence[int]], model: str) -> None:
    """See that P and Q of this rank are at least twice as small as one of the model's matrices.

    `shapes` are those of the parameters that are trained.

    Raises:
        ValueError: no matrix gets so small; names the highest rank with which one does.
    """
    most = highest_rank(shapes)
    if most < 1:
        raise ValueError(f"no rank makes a matrix of {model} twice as small; use another system")
    if rank > most:
        raise ValueError(
            f"a rank of {rank} makes no matrix of {model} twice as small; use at most {most}"
        )


def highest_rank(shapes: Iterable[Sequence[int]]) -> int:
    """The most that compresses a parameter of one of the shapes; 0 where none does.

    As in torch's `powerSGD_hook`, whose `min_compression_rate` is 2, a parameter is a matrix with
    its first dimension as rows, which is compressed if 2 rank (rows + columns) < rows columns.
    """
    most = 0
    for shape in shapes:
        rows, columns = math.prod(shape[:1]), math.prod(shape[1:])
        most = max(most, (rows * columns - 1) // (2 * (rows + columns)))
    return most
