"""Pairs of the same run in two results folders, and how far apart they are beyond the noise."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bench.claim_runs import CONFIGURATION, estimate, with_costs
from bench.estimates import Estimate, median_interval
from bench.verdict import FEWEST_PAIRS

# What is compared: the column of summary.csv, and which direction is better.
METRICS = {
    "images_per_s": "higher",
    "median5_s": "lower",
    "median5_epochs": "lower",
    "best_acc": "higher",
}
BETTER, WORSE, NOISE, FEW, NONE = (
    "B better",
    "B worse",
    "within the noise",
    "too few pairs",
    "no value",
)
# Of fewer cells, all lie on the same side of 1 by chance more often than once in twenty times.
FEWEST_CELLS = 6
_SHARE = 0.95


@dataclass(frozen=True)
class Cell:
    """One configuration: `a` and `b` over its pairs, `ratio` b / a of each pair by the median.

    `a` and `b` are None of all cells together, and all three where no pair has a value. `floor` is
    the factor, up or down, that noise alone stays within.
    """

    metric: str
    runs: pd.DataFrame
    a: Estimate | None
    b: Estimate | None
    ratio: Estimate | None
    floor: float
    says: str


def cells(metric: str, a: pd.DataFrame, b: pd.DataFrame) -> Iterator[Cell]:
    """Each configuration that both sides have runs of, and last all of them together.

    `a` and `b` are summaries as text. Runs are the same where their ids are: all settings and the
    seed. A run that never reached its target counts as infinitely late; of a pair where neither
    did, there is no ratio.
    """
    direction = METRICS[metric]
    sides = [with_costs({"value": metric, "direction": direction}, side) for side in (a, b)]
    alike = [name for name in CONFIGURATION if name in sides[0]]
    pairs = sides[0].merge(sides[1], on="run", suffixes=("", "_b"))
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs["ratio"] = pairs["amount_b"].to_numpy() / pairs["amount"].to_numpy()
    groups = [own for _, own in pairs.groupby(alike, sort=False)]
    floor = max(_repeats(metric, a), _repeats(metric, b), _scatter(groups))
    found = []
    for own in groups:
        ratios = own["ratio"].dropna()
        ratio = median_interval(ratios.tolist()) if len(ratios) else None
        of_a = estimate(own)
        of_b = estimate(own.assign(amount=own["amount_b"], trained=own["trained_b"]))
        says = _says(ratio, floor, direction, FEWEST_PAIRS)
        found.append(Cell(metric, own, of_a, of_b, ratio, floor, says))
    yield from found
    if medians := [cell.ratio.median for cell in found if cell.ratio]:
        together = median_interval(medians)
        says = _says(together, 1.0, direction, FEWEST_CELLS)
        yield Cell(metric, pairs, None, None, together, 1.0, says)


def _says(ratio: Estimate | None, floor: float, direction: str, fewest: int) -> str:
    """Beyond the noise: enough pairs, the whole interval beside 1, the median outside the floor."""
    if ratio is None:
        return NONE
    if ratio.n < fewest:
        return FEW
    is_more = ratio.low > 1 and ratio.median > floor
    is_less = ratio.high < 1 and ratio.median < 1 / floor
    if not (is_more or is_less):
        return NOISE
    return BETTER if is_more == (direction == "higher") else WORSE


def _repeats(metric: str, summary: pd.DataFrame) -> float:
    """The factor that 95% of the repeats of a run stay within on one side; 1 without repeats."""
    if "repeat" not in summary:
        return 1.0
    amount = pd.to_numeric(summary[metric], errors="coerce")
    settings = [name for name in (*CONFIGURATION, "seed") if name in summary and name != "repeat"]
    groups = np.log(amount[amount > 0]).groupby([summary[name] for name in settings])
    return _factor((groups.transform("first") - np.log(amount))[summary["repeat"].ne("1")])


def _scatter(groups: list[pd.DataFrame]) -> float:
    """The factor that 95% of the ratios stay within around the median of their configuration."""
    ratios = [own["ratio"].where(np.isfinite(own["ratio"]) & own["ratio"].gt(0)) for own in groups]
    logs = [np.log(each.dropna()) for each in ratios if each.count() > 1]
    return _factor(pd.concat([each - each.median() for each in logs]) if logs else pd.Series())


def _factor(differences: pd.Series) -> float:
    sizes = differences.dropna().abs()
    return float(np.exp(sizes.quantile(_SHARE, interpolation="higher"))) if len(sizes) else 1.0
