"""From a summary and a claim to the pairs of runs that decide it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from bench.claim_file import BEST
from bench.claim_runs import ALIKE, CONFIGURATION, best, selected, too_few, with_costs
from bench.estimates import gain, median_gain
from bench.summary_columns import short_commit


@dataclass(frozen=True)
class Comparison:
    """What one claim comes to on one machine and workload; `gains` is empty without pairs.

    There is one gain for each seed: the median over the settings in which it has a pair, for those
    share its weights and order of samples, and settle no more than one. `commits` is how many
    commits the pairs are of whose two runs differ in it, and 0 where none does. `missing` says what
    there is too little of to judge it, so that the claim is not run. `alike` is what of `ALIKE` all
    runs share. A side is its runs, of which those are left out that make no pair while others do;
    `theirs` is None where the paper's own value takes their place.
    """

    alike: dict[str, str]
    ours: pd.DataFrame
    theirs: pd.DataFrame | None
    gains: list[float]
    commits: int = 0
    missing: str = ""


def comparisons(claim: Mapping[str, Any], summary: pd.DataFrame) -> Iterator[Comparison]:
    """One for each machine and workload on which every side of the claim has runs.

    `summary` is text, as in the file. A failed run says nothing; it is due again.
    """
    runs = with_costs(claim, summary)
    sides = [claim[side] for side in ("of", "against") if side in claim]
    named = {name for side in sides for name in side}
    alike = [name for name in ALIKE if name not in named]
    by_workload: list[dict[Any, pd.DataFrame]] = [
        dict(list(selected(runs, side).groupby(alike))) for side in sides
    ]
    for key in by_workload[0]:
        if not all(key in groups for groups in by_workload):
            continue
        ours, *others = (
            best(groups[key]) if side.get(BEST) else groups[key]
            for side, groups in zip(sides, by_workload, strict=True)
        )
        if others:
            equal = [] if all(side.get(BEST) for side in sides) else CONFIGURATION
            found = _paired(ours, others[0], [name for name in equal if name not in named])
        else:
            gains = [gain(cost, _paper_cost(claim), np.inf) for cost in ours["cost"]]
            found = Comparison(_shared(ours), ours, None, _of_seeds(ours["seed"], gains))
        lacks = [
            too_few(groups[key], side) for side, groups in zip(sides, by_workload, strict=True)
        ]
        yield replace(found, missing=" and ".join(filter(None, lacks)) or found.missing)


def _paired(ours: pd.DataFrame, theirs: pd.DataFrame, equal: list[str]) -> Comparison:
    """Each run beside that of the other side with the same seed and the same of these settings.

    Settings that one of the two systems does not have do not tell runs apart.
    """
    both = [name for name in equal if all((side[name] != "").any() for side in (ours, theirs))]
    pairs = ours.merge(theirs, on=["seed", *both], suffixes=("", "_theirs"))
    if len(pairs):
        ours = ours[ours["run"].isin(pairs["run"])]
        theirs = theirs[theirs["run"].isin(pairs["run_theirs"])]
    gains = list(map(gain, pairs["cost"], pairs["cost_theirs"], pairs["trained_theirs"]))
    missing = "" if gains else "no two runs with the same seed and settings"
    shared, of_seeds = _shared(pd.concat([ours, theirs])), _of_seeds(pairs["seed"], gains)
    return Comparison(shared, ours, theirs, of_seeds, _commits(pairs), missing)


def _of_seeds(seeds: pd.Series, gains: list[float]) -> list[float]:
    by_seed = pd.Series(gains, dtype=float).groupby(seeds.to_numpy())
    return [float(median_gain(own.to_numpy())) for _, own in by_seed]


def _commits(pairs: pd.DataFrame) -> int:
    """How many commits there are in pairs of two."""
    both = pairs[["commit", "commit_theirs"]].apply(lambda column: column.map(short_commit))
    differ = both[(both != "").all(axis=1) & (both["commit"] != both["commit_theirs"])]
    return len(set(differ.to_numpy().flat))


def _shared(runs: pd.DataFrame) -> dict[str, str]:
    return {name: runs[name].iloc[0] for name in ALIKE if runs[name].nunique() == 1}


def _paper_cost(claim: Mapping[str, Any]) -> float:
    """The cost of the paper's value, of a range that of its easier end.

    A hair more than that, for unlike another system it need not be beaten, only come up to.
    """
    values = np.atleast_1d(claim["paper"]["value"])
    return (1 + 1e-9) * float(values.max() if claim["direction"] == "lower" else 1 / values.min())
