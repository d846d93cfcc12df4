"""Train a config's runs one after the other, on a machine without Snakemake or lent for minutes:

`python -m workflows.train CONFIG [--results DIR] [--data DIR] [--archives DIR] [--budget SECONDS]`

Makes records and weights, and leaves in DIR/runs what rule `train` leaves. The folders stand in for
the keys of that name. Runs that have a status are skipped, and none is begun after the budget is
over: the same command goes on
"""

import argparse
import sys
import time
from pathlib import Path

from bench import record
from bench.launch import launch
from data_prep.manifest import RecordsError
from data_prep.prepare import prepare
from data_prep.records import open_records
from models.weights import export
from workflows.pipeline import ResultsRefused, hold_results
from workflows.plan import plan, refuse_what_is_not_here
from workflows.read_config import read_config
from workflows.validate import ConfigError

FOLDERS = ("results", "data", "archives")


def main() -> None:
    """The command line; a refusal is one sentence."""
    started = time.monotonic()
    parser = argparse.ArgumentParser(prog="python -m workflows.train", description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--results", help="folder of all results")
    parser.add_argument("--data", help="folder of prepared records")
    parser.add_argument("--archives", help="folder of dataset archives")
    parser.add_argument(
        "--budget", type=float, default=float("inf"), help="begin no run after so many seconds"
    )
    options = parser.parse_args()
    try:
        config, given = read_config(options.config), vars(options)
        if isinstance(config, dict):  # another is refused by the plan
            config |= {key: given[key] for key in FOLDERS if given[key] is not None}
        planned = plan(config)
        refuse_what_is_not_here(planned)
        hold_results(planned.results, list(planned.runs))
        for spec in planned.runs.values():
            out, records = planned.results / "runs" / spec.id, planned.data / spec.dataset
            status = out / record.STATUS
            if status.exists() and record.read_json(status)["status"] != record.FAILED:
                continue
            if time.monotonic() - started > options.budget:
                print(f"{options.budget:.0f} s are over: not begun are {spec.id} and what follows")
                break
            folder = planned.results / "weights" / spec.model / spec.dataset
            weights = folder / f"seed-{spec.seed}.npz"
            data = planned.datasets[spec.dataset]
            prepare(data.name, records, archives=data.archives or None)
            if not weights.exists():
                opened = open_records(records)
                export(
                    spec.model, opened.shape, opened.classes, spec.seed, weights, spec.model_source
                )
            state = planned.results / "state" / spec.id
            inputs = {"records": records, "weights": weights, "state": state}
            python = planned.interpreters.get(spec.system, sys.executable)
            launch(spec, inputs, out, python)
    except (ConfigError, RecordsError, ResultsRefused, OSError) as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
