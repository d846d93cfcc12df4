"""The rule that judges a claim."""

from bench.estimates import Estimate

REPRODUCED, PARTLY, NOT_REPRODUCED, NOT_RUN = "reproduced", "partly", "not reproduced", "not run"
VERDICTS = (REPRODUCED, PARTLY, NOT_REPRODUCED, NOT_RUN)
FEWEST_PAIRS = 3  # each of another seed: of fewer, a gain may be noise


def bound(paper: float) -> float:
    """The gain above which ours is on the claimed side, by that which the paper gives."""
    return min(1.0, paper)


def verdict(gain: Estimate | None, paper: float = 1.0) -> tuple[str, str]:
    """What the gain over pairs of runs, one for each seed, says of a claim, and why.

    A gain above 1 is on the claimed side. `paper` is the gain that the paper gives: of a range its
    lower end, and 1 where it gives none. Below 1, as of "at most a tenth slower" (0.9), it takes
    the place of 1 in what follows.

    not run: a side has no runs or too few to choose from, or fewer than three seeds make a pair.
    not reproduced: the median gain is not above 1.
    reproduced: the whole interval is above 1, and the median is at least the paper's gain.
    partly: all between.
    """
    if gain is None:
        return NOT_RUN, "no runs to compare"
    if gain.n < FEWEST_PAIRS:
        have = f"{gain.n} of at least {FEWEST_PAIRS} seeds"
        return NOT_RUN, f"{have}, with a gain of {gain.median:.4g}"
    side = bound(paper)
    if not gain.median > side:
        return NOT_REPRODUCED, f"the median gain is not above {side:g}"
    if not gain.low > side:
        return PARTLY, f"the interval reaches down to {gain.low:.3g}"
    if gain.median < paper:
        return PARTLY, f"less than the paper's {paper:g}"
    at_least = f", the median at least {paper:g}" if paper > side else ""
    return REPRODUCED, f"the whole interval is above {side:g}{at_least}"
