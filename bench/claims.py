"""Judge the paper's claims: `python -m bench.claims SUMMARY --claims YAML --out CSV`.

Writes one row for each claim, machine and workload that the runs can be judged on, and one for a
claim without such runs. docs/statistics.md has the rule.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.claim_budget import budget
from bench.claim_file import NAMES, ClaimsError, read_claims
from bench.claim_pairs import Comparison, comparisons
from bench.claim_runs import ALIKE, CONFIGURATION, columns, estimate, is_time
from bench.estimates import Estimate, median_gain, median_interval
from bench.refuse import refuse, write_or_refuse
from bench.summary_file import read_summary
from bench.verdict import bound, verdict

COLUMNS = [
    *"id,text,source,value,direction,paper".split(","),
    *ALIKE,
    *"ours,theirs,ours_median,ours_low,ours_high,ours_n,ours_reached".split(","),
    *"theirs_median,theirs_low,theirs_high,theirs_n,theirs_reached".split(","),
    *"gain,gain_low,gain_high,pairs,won,verdict,why".split(","),
]


def judge(claim: Mapping[str, Any], summary: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of one claim; `summary` is text, as in the file."""
    said = {name: claim[name] for name in ("id", "text", "source", "value", "direction")}
    said["paper"] = paper_words(claim["paper"])
    told = [name for name in CONFIGURATION if len(set(summary.get(name, ())) - {""}) > 1]
    rows = [said | _row(claim, one, told) for one in comparisons(claim, summary)]
    if not rows:
        outcome, why = verdict(None)
        rows = [said | {"pairs": 0, "verdict": outcome, "why": why}]
    return rows


def paper_words(paper: Mapping[str, Any]) -> str:
    """What the paper gives: "1.3 to 4 times", a value, or that there is no number."""
    if "wins" in paper:
        return "better"
    (kind, number) = next(iter(paper.items()))
    words = " to ".join(f"{end:g}" for end in np.atleast_1d(number))
    return f"{words} times" if kind == "ratio" else words


def _row(claim: Mapping[str, Any], one: Comparison, told: list[str]) -> dict[str, Any]:
    gain = None if one.missing else median_interval(one.gains, median_gain)
    outcome, why = verdict(gain, _paper_gain(claim))
    if gain is None:
        why = one.missing
    else:
        why = "; ".join(filter(None, (why, _budget(claim, one), _commits(one))))
    row = dict(one.alike) | {"pairs": 0, "verdict": outcome, "why": why}
    for name, runs in (("ours", one.ours), ("theirs", one.theirs)):
        if runs is not None:
            words = _words(runs, [setting for setting in told if setting not in one.alike])
            row |= {name: words} | _side(name, estimate(runs), is_time(runs))
    if gain:
        row |= {"gain": gain.median, "gain_low": gain.low, "gain_high": gain.high}
        side = bound(_paper_gain(claim))
        row |= {"pairs": gain.n, "won": sum(value > side for value in one.gains)}
    return row


def _budget(claim: Mapping[str, Any], one: Comparison) -> str:
    is_of_epochs = NAMES.get(claim["value"], claim["value"]).endswith("_epochs")
    return budget(pd.concat([one.ours, one.theirs])) if is_of_epochs else ""


def _commits(one: Comparison) -> str:
    return f"runs of {one.commits} commits" if one.commits else ""


def _side(name: str, value: Estimate, has_target: bool) -> dict[str, Any]:
    row = {"median": value.median, "low": value.low, "high": value.high, "n": value.n}
    row |= {"reached": value.n - value.censored} if has_target else {}
    return {f"{name}_{key}": each for key, each in row.items()}


def _paper_gain(claim: Mapping[str, Any]) -> float:
    return float(np.min(claim["paper"].get("ratio", 1)))


def _words(runs: pd.DataFrame, told: list[str]) -> str:
    """The configuration of one side by the settings to be told, or how many there are."""
    (system, *others) = sorted(set(runs["system"]))
    configurations = runs[CONFIGURATION].drop_duplicates()
    if len(configurations) > 1:
        return f"{', '.join([system, *others])}: {len(configurations)} configurations"
    one = configurations.iloc[0]
    plain = ("", "False")
    said = [f"{name} {one[name]}" for name in told if name != "system" and one[name] not in plain]
    return ", ".join([system, *said])


def _refuse_what_it_lacks(path: Path, summary: pd.DataFrame, claims: list[dict]) -> None:
    for claim in claims:
        if lacking := sorted(columns(claim).difference(summary.columns)):
            which = f"{', '.join(lacking)}, which claim {claim['id']} names"
            raise ValueError(f"{path} lacks {which}; join the runs again")


def main(arguments: list[str] | None = None) -> int:
    """Write the table; a refusal is one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m bench.claims", description=__doc__)
    parser.add_argument("summary", type=Path)
    parser.add_argument("--claims", type=Path, default=Path("bench/claims.yaml"))
    parser.add_argument("--out", type=Path, default=Path("results/claims.csv"))
    options = parser.parse_args(arguments)
    try:
        claims = read_claims(options.claims)
        summary = read_summary(options.summary)
        _refuse_what_it_lacks(options.summary, summary, claims)
        rows = [row for claim in claims for row in judge(claim, summary)]
    except ClaimsError as error:
        return refuse(str(error))
    except FileNotFoundError:
        return refuse(f"There is no {options.summary}; join the runs first.")
    except ValueError as error:
        return refuse(f"Cannot read the runs: {error}.")
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    text = table.to_csv(index=False, float_format="%.6g", lineterminator="\n")
    return write_or_refuse(options.out, text.encode())


if __name__ == "__main__":
    sys.exit(main())
