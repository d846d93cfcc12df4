"""What a run achieved: accuracy and loss from logits, and the three target rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

import numpy as np

RULES = ("first", "median5", "sustained")


@dataclass(frozen=True)
class Evaluation:
    """Mean cross-entropy (nats) and accuracies in [0, 1] over a test set."""

    loss: float
    accuracy: float
    top5: float


def evaluate(logits: np.ndarray, labels: np.ndarray) -> Evaluation:
    """Score `logits` [N, classes] against `labels` [N].

    The true class must beat every other strictly: a tie is wrong, so a constant predictor scores 0.
    """
    logits = logits.astype(np.float64)
    shifted = logits - logits.max(axis=1, keepdims=True)
    true = np.take_along_axis(logits, labels[:, None], axis=1)
    shifted_true = np.take_along_axis(shifted, labels[:, None], axis=1)[:, 0]
    loss = np.log(np.exp(shifted).sum(axis=1)) - shifted_true
    rank = (~(logits < true)).sum(axis=1)  # a NaN is not below anything, so it counts against
    return Evaluation(float(loss.mean()), float((rank <= 1).mean()), float((rank <= 5).mean()))


def epochs_to_target(accuracies: Sequence[float], target: float, rule: str) -> int | None:
    """The number of epochs after which `target` counts as reached, or None (censored).

    `accuracies` are test accuracies after epochs 1, 2, ... Rules: `first`, the first epoch at the
    target; `median5`, the first epoch at which the median of the last five is (the CROSSBOW
    paper's rule); `sustained`, the first epoch from which accuracy never falls below again.

    Raises:
        ValueError: the rule is unknown.
    """
    if rule == "first":
        met = [accuracy >= target for accuracy in accuracies]
    elif rule == "median5":
        met = [
            end >= 5 and median(accuracies[end - 5 : end]) >= target
            for end in range(1, len(accuracies) + 1)
        ]
    elif rule == "sustained":
        # From the end backwards, the lowest accuracy there is from each epoch on.
        lowest_from_here = list(accumulate(reversed(accuracies), min))[::-1]
        met = [accuracy >= target for accuracy in lowest_from_here]
    else:
        raise ValueError(f"unknown target rule {rule!r}; use one of {', '.join(RULES)}")
    return met.index(True) + 1 if True in met else None
