"""Train a config's runs one after the other, on a machine without Snakemake or lent for minutes:

`python -m workflows.train CONFIG [--results DIR] [--data DIR] [--archives DIR] [--budget SECONDS]`

Makes records and weights, and leaves in DIR/runs what rule `train` leaves. The folders stand in for
the keys of that name. Runs that have a result are skipped, unless their model's file has changed;
what else of the suite has is not looked at. Those that failed come after those that were not tried
yet, and none is begun after the budget is over: the same command goes on. While a run has failed
the command names it and ends with code 1, as no report does that for it; with 75 on SIGTERM, and
with 0 also where the budget was not enough for all
"""

import argparse
import math
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from bench import record, stop
from bench.job import model_digest, model_sources
from bench.launch import RESUMES, launch
from bench.spec import RunSpec
from data_prep.manifest import RecordsError
from data_prep.prepare import prepare
from data_prep.records import open_records
from models.weights import export
from workflows.pipeline import ResultsRefused, failed_runs, hold_results, outcomes
from workflows.plan import plan, refuse_what_is_not_here
from workflows.read_config import read_config
from workflows.seconds import seconds
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
        "--budget", type=seconds, default=math.inf, help="begin no run after so many seconds"
    )
    options = parser.parse_args()
    stop.at_once()
    try:
        config, given = read_config(options.config), vars(options)
        if isinstance(config, dict):  # another is refused by the plan
            config |= {key: given[key] for key in FOLDERS if given[key] is not None}
        planned = plan(config)
        refuse_what_is_not_here(planned)
        runs = list(planned.runs)
        hold_results(planned.results, runs)
        due = due_runs(planned.results, planned.runs)
        if not due:
            print(f"nothing to do: all {len(runs)} runs have a result")
        for place, spec in enumerate(planned.runs[run] for run in due):
            if time.monotonic() - started > options.budget:
                print(f"{options.budget:.0f} s are over: {len(due) - place} runs are still due")
                break
            stop.at_once()  # again, as a run has listened in between
            out, records = planned.results / "runs" / spec.id, planned.data / spec.dataset
            data = planned.datasets[spec.dataset]
            prepare(data.name, records, archives=data.archives or None)
            weights = initial_weights(spec, records, planned.results)
            state = planned.results / "state" / spec.id
            inputs = {"records": records, "weights": weights, "state": state}
            python = planned.interpreters.get(spec.system, sys.executable)
            launch(spec, inputs, out, python)
    except (ConfigError, RecordsError, ResultsRefused, OSError) as error:
        sys.exit(f"Error: {error}")
    except KeyboardInterrupt:
        print(f"stopped: {RESUMES}", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    if failed := failed_runs(planned.results, runs):
        said = f"{len(failed)} of {len(runs)} runs failed; the same command tries them again:"
        sys.exit("\n  ".join([said, *failed]))


def initial_weights(spec: RunSpec, records: Path, results: Path) -> Path:
    """The file of the run's first weights, drawn anew if it is older than its model or records.

    Raises:
        ConfigError: the model's file can't be used.
    """
    path = results / "weights" / spec.model / spec.dataset / f"seed-{spec.seed}.npz"
    files = [records / "manifest.json", *map(Path, model_sources(spec.model, spec.model_source))]
    if not path.exists() or path.stat().st_mtime < max(file.stat().st_mtime for file in files):
        opened = open_records(records)
        try:
            export(spec.model, opened.shape, opened.classes, spec.seed, path, spec.model_source)
        except ValueError as error:
            raise ConfigError(f"{spec.model} on {spec.dataset}: {error}") from None
    return path


def due_runs(results: Path, runs: Mapping[str, RunSpec]) -> list[str]:
    """Those not tried, then those whose model's file changed, then those that failed; by their ids.

    Snakemake has runs due for any file of the suite that they depend on. That is not what is wanted
    where a machine is lent for minutes: of a commit more or less, results are kept.
    """
    tried = outcomes(results, list(runs))
    failed = [run for run, outcome in tried.items() if outcome["status"] == record.FAILED]
    ended = [run for run in tried if run not in failed]
    changed = [run for run in ended if _changed(runs[run], results / "runs" / run / record.RUN)]
    if changed:
        print(f"{len(changed)} runs are trained again, as their model's file has changed")
    return [run for run in runs if run not in tried] + changed + failed


def _changed(spec: RunSpec, run_json: Path) -> bool:
    """Whether a run is of another model file; of an older run.json it isn't known, and it isn't."""
    try:
        recorded = record.read_json(run_json)["code"].get("model_sha256")
    except (OSError, ValueError, KeyError) as error:
        raise ResultsRefused(
            f"{run_json} is not readable ({error!r}); remove {run_json.parent}, and the run is "
            "trained again"
        ) from None
    return recorded not in (None, model_digest(spec))


if __name__ == "__main__":
    main()
