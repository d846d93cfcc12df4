"""Train a config's runs one after the other, on a machine without Snakemake or lent for minutes:

`python -m workflows.train CONFIG --results DIR [--data DIR] [--archives DIR] [--budget SECONDS]`

Makes records and weights, and leaves in DIR/runs what rule `train` leaves. Runs that have a status
are skipped, and none is begun after the budget is over: the same command goes on
"""

import argparse
import sys
import time
from pathlib import Path

from bench import record
from bench.launch import launch
from bench.progress import MATRIX
from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records
from models.weights import export
from workflows.plan import plan, refuse_what_is_not_here
from workflows.read_config import read_config
from workflows.validate import ConfigError


def main() -> None:
    """The command line; a refusal is one sentence."""
    started = time.monotonic()
    parser = argparse.ArgumentParser(prog="python -m workflows.train", description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("data"), help="where records are or go")
    parser.add_argument("--archives", help="folder of the datasets' source files")
    parser.add_argument(
        "--budget", type=float, default=float("inf"), help="begin no run after so many seconds"
    )
    options = parser.parse_args()
    try:
        planned = plan(read_config(options.config))
        refuse_what_is_not_here(planned)
        matrix = options.results / "state" / MATRIX
        matrix.parent.mkdir(parents=True, exist_ok=True)
        matrix.write_text("\n".join(planned.runs) + "\n")
        for spec in planned.runs.values():
            out, records = options.results / "runs" / spec.id, options.data / spec.dataset
            status = out / record.STATUS
            if status.exists() and record.read_json(status)["status"] != record.FAILED:
                continue
            if time.monotonic() - started > options.budget:
                print(f"{options.budget:.0f} s are over: not begun are {spec.id} and what follows")
                break
            weights = options.results / "weights" / f"{spec.model}-{spec.dataset}-{spec.seed}.npz"
            data = planned.datasets[spec.dataset]
            prepare(data.name, records, archives=options.archives or data.archives or None)
            if not weights.exists():
                opened = open_records(records)
                export(
                    spec.model, opened.shape, opened.classes, spec.seed, weights, spec.model_source
                )
            state = options.results / "state" / spec.id
            inputs = {"records": records, "weights": weights, "state": state}
            launch(spec, inputs, out, sys.executable)
    except (ConfigError, RecordsError, OSError) as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
