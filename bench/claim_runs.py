"""The runs of one side of a claim, with what each costs; the best configuration of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from bench import lost_runs
from bench.claim_file import AT_LEAST, BEST, NAMES, SETTINGS
from bench.estimates import Estimate, median_interval, time_to_target
from bench.metrics import RULES
from bench.summary_columns import SPEC_COLUMNS

# What both sides share, unless the claim names it: else it is not the same work, or machine.
ALIKE = "machine,model,model_source,dataset,target,device_type,devices,precision".split(",")
CONFIGURATION = [name for name in SETTINGS if name != "seed"]
# What a run that never reached its target had done, in the unit of the time.
_TRAINED = {f"{rule}_s": "train_s" for rule in RULES} | {f"{r}_epochs": "epochs_run" for r in RULES}
_LEAST = 1e-300  # a cost to divide by


def columns(claim: Mapping[str, Any]) -> set[str]:
    """The columns of a summary that a claim names: its value's and its settings'."""
    sides = [claim.get(side, {}) for side in ("of", "against")]
    settings = {name for side in sides for name in (*side, *side.get(AT_LEAST, ()))}
    return settings - {BEST, AT_LEAST} | {NAMES.get(claim["value"], claim["value"])}


def with_costs(claim: Mapping[str, Any], summary: pd.DataFrame) -> pd.DataFrame:
    """The runs that have a value or could have none, with `amount`, `cost` and `trained`.

    The cost is less the better the run; infinite where it never reached its target, or ended
    without a value for a reason of its own.
    """
    column, lower = NAMES.get(claim["value"], claim["value"]), claim["direction"] == "lower"
    is_time = column in _TRAINED
    taken = ["run", *ALIKE, *SPEC_COLUMNS, "status", "commit", column, *_TRAINED.values()]
    runs = summary.reindex(columns=list(dict.fromkeys(taken)), fill_value="")
    runs = runs[~runs["status"].isin(lost_runs.SILENT)]
    runs = runs[runs["repeat"].isin(["", "1"])]  # or a seed would count twice
    amount, worst = pd.to_numeric(runs[column]), np.inf if lower else 0.0
    amount = lost_runs.with_worst(amount, runs["status"], worst)
    amount = amount.fillna(worst) if is_time else amount
    trained = pd.to_numeric(runs[_TRAINED[column]]) if is_time else np.inf
    with np.errstate(divide="ignore"):
        cost = (amount if lower else 1 / amount).clip(lower=_LEAST)
    runs = runs.assign(amount=amount, cost=cost, trained=trained, is_time=is_time)
    is_hopeless = runs["status"].isin(lost_runs.HOPELESS)
    runs["trained"] = runs["trained"].mask(is_hopeless, np.inf)
    return runs[runs["amount"].notna()]


def selected(runs: pd.DataFrame, side: Mapping[str, Any]) -> pd.DataFrame:
    """The runs that have one of the wanted values in every column that `side` names."""
    for name, wanted in side.items():
        if name not in (BEST, AT_LEAST):
            values = wanted if isinstance(wanted, list) else [wanted]
            texts = {_plain(value) for value in values}
            runs = runs[runs[name].map(_plain).isin(texts)]
    return runs


def _plain(value: Any) -> str:
    """One spelling of a setting, of a summary or of YAML: 1, 1.0 and "1" are the same."""
    try:
        return "" if value is None else str(value) if isinstance(value, bool) else f"{float(value)}"
    except ValueError:
        return str(value)


def too_few(runs: pd.DataFrame, side: Mapping[str, Any]) -> str:
    """What `side` wants more values of than these runs have, in words; empty where there are."""
    for name, fewest in side.get(AT_LEAST, {}).items():
        if (found := runs[name].map(_plain).nunique()) < fewest:
            return f"{found} of at least {fewest} values of {name} to choose from"
    return ""


def best(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs of the configuration with the lowest median cost; of equal ones, the first.

    Where no median was reached, a configuration of which more runs got there is better.
    """
    configurations = [members for _, members in runs.groupby(CONFIGURATION, sort=False)]
    return min(configurations, key=_rank)


def _rank(runs: pd.DataFrame) -> tuple[float, float]:
    cost = time_to_target(runs["cost"].tolist(), runs["trained"].tolist())
    return cost.median, cost.censored / cost.n


def is_time(runs: pd.DataFrame) -> bool:
    """Whether the value of these runs is a time, which a run may never have come to."""
    return bool(runs["is_time"].all())


def estimate(runs: pd.DataFrame) -> Estimate:
    """The value of one side over its runs, in its own unit."""
    if is_time(runs):
        return time_to_target(runs["amount"].tolist(), runs["trained"].tolist())
    return median_interval(runs["amount"].tolist())
