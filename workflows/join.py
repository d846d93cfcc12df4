"""Join what was run of some configs, and name what was not:

`python -m workflows.join CONFIG... --results DIR [--earlier FOLDER]`

For runs made by `workflows.train`, also of several configs in one folder. Writes the tables that
rule `collect` writes, in which planned runs without a status have the status `not_run`; those that
the tables in FOLDER have are taken from there.
"""

import argparse
import sys
from pathlib import Path

from bench import earlier, record, summary
from workflows.plan import plan
from workflows.read_config import read_config
from workflows.validate import ConfigError


def main() -> None:
    """The command line; a refusal is one sentence."""
    parser = argparse.ArgumentParser(prog="python -m workflows.join", description=__doc__)
    parser.add_argument("configs", type=Path, nargs="+", metavar="CONFIG")
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--earlier", type=Path, help="tables of runs whose directories are gone")
    options = parser.parse_args()
    try:
        plans = [plan(read_config(config)) for config in options.configs]
    except (ConfigError, OSError) as error:
        sys.exit(f"Error: {error}")
    runs = {run: spec for planned in plans for run, spec in planned.runs.items()}
    there = [run for run in runs if (options.results / "runs" / run / record.STATUS).exists()]
    others = [
        {"run": run, "spec": spec.to_dict(), "status": record.NOT_RUN, "reason": "not run so far"}
        for run, spec in runs.items()
        if run not in there
    ]
    for planned in plans:
        others += [{"status": record.NOT_AVAILABLE, **cell} for cell in planned.not_available]
    if not there:
        sys.exit(
            f"{options.results}: none of the {len(runs)} planned runs is there; train some first"
        )
    try:
        summary.join(options.results, there, others)
        before = options.earlier
        taken = earlier.add(options.results, before, list(runs)) if before else []
    except (summary.DamagedRun, OSError, ValueError) as error:
        sys.exit(f"Error: {error}")
    print(f"{options.results}: {len(there) + len(taken)} of {len(runs)} planned runs joined")


if __name__ == "__main__":
    main()
