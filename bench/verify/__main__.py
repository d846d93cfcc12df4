"""Follow the results to where they come from: `python -m bench.verify RESULTS`.

Every figure to its values, these to the joined tables, to the runs, to their code, records, weights
and seeds. Names the first thing that does not match and ends with 1; else says what was followed,
and what could not be. docs/provenance.md has the whole chain.
"""

import argparse
import sys
from pathlib import Path

from bench.summary_file import read_summary, why_none
from bench.verify.code import check_code
from bench.verify.columns import SUMMARY, tell_tables
from bench.verify.crate import check_crate
from bench.verify.figures import check_claims, check_figures
from bench.verify.inputs import check_records, check_seeds, check_weights
from bench.verify.mismatch import Mismatch, Trail
from bench.verify.runs import read_runs
from bench.verify.tables import check_derived, check_joined, check_planned, made


def verify(results: Path, data: Path | None = None, may_be_mixed: bool = False) -> Trail:
    """What could be followed of the results in a folder, from the sources on.

    What was changed is named at the place where it is, for what is made of it comes later. `data`
    is the folder of all records, where it is not as the runs say; `may_be_mixed` accepts runs of
    different code.

    Raises:
        Mismatch: something does not match what it was made of.
    """
    trail = Trail()
    check_crate(results, trail)
    try:
        rows = read_summary(results / SUMMARY)
    except ValueError as error:
        raise Mismatch(str(error)) from None
    check_planned(results, rows, trail)
    if (results / "runs").is_dir():
        jobs = read_runs(results, made(rows)["run"].tolist(), trail)
        check_joined(results, rows, trail)
        check_records(results, jobs, data, trail)
        check_weights(results, jobs, trail)
    else:
        jobs = {}
        check_derived(results, rows, trail)
        trail.lost.append("records and weights: only run.json has their hashes")
    check_seeds(results, rows)
    trail.followed.append("seeds: none counts twice")
    check_code(results, made(rows), jobs, may_be_mixed, trail)
    check_claims(results, trail)
    check_figures(results, trail)
    tell_tables(results, trail)
    if planned := len(rows) - len(made(rows)):
        trail.lost.append(f"{planned} planned cells without a run: their settings")
    return trail


def main(arguments: list[str] | None = None) -> int:
    """The command line; what does not match is one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m bench.verify", description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--data", type=Path, help="folder of prepared records")
    parser.add_argument(
        "--mixed-commits", action="store_true", help="runs may be of different code"
    )
    options = parser.parse_args(arguments)
    if why := why_none(options.results):
        print(f"Cannot be followed: {why}.", file=sys.stderr)
        return 1
    if options.data and not options.data.is_dir():
        print(f"Cannot be followed: --data {options.data}: is no folder.", file=sys.stderr)
        return 1
    try:
        trail = verify(options.results, options.data, options.mixed_commits)
    except Mismatch as mismatch:
        print(f"Does not match: {mismatch}.", file=sys.stderr)
        return 1
    except (OSError, KeyError, TypeError, ValueError) as error:
        print(f"Cannot be followed: {options.results}: {error!r}.", file=sys.stderr)
        return 1
    print(f"{options.results}: everything that could be followed matches.")
    print(*(f"  {line}" for line in trail.followed), "Not followed:", sep="\n")
    print(*(f"  {line}" for line in trail.lost), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
