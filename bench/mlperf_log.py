"""Logs in MLPerf's format: `python -m bench.mlperf_log RESULTS OUT [--all]`.

Writes OUT/RUN.txt for every run in RESULTS that has ended after one epoch or more, from what it
recorded. These are no MLPerf submissions: docs/watching.md says what the checker refuses and why
"""

import argparse
import logging
import sys
from pathlib import Path
from typing import Any

from mlperf_logging.mllog import constants as key
from mlperf_logging.mllog.mllog import MLLogger

from bench import record
from bench.metrics import epochs_to_target
from bench.watch.observe import Run, look, problem

RULESET = "4.0.0"  # the last of MLPerf Training with an image classifier, ResNet-50 on ImageNet
BENCHMARKS = {("resnet50_v15", "imagenet"): key.RESNET}
ROOT = str(Path(__file__).resolve().parent.parent)


def write(run: Run, path: Path) -> None:
    """Write the log of `run`, which has ended and has epochs.

    As MLPerf has it, a run begins when the first batch is read and is over at the first evaluation
    at the target; what was trained after that is not in the log. Times are those of the run's wall
    clock, in milliseconds since 1970.
    """
    draft = path.with_name(f".{path.name}")
    handler = logging.FileHandler(draft, mode="w")
    logger = logging.Logger(run.id)
    logger.addHandler(handler)
    log = MLLogger(logger, root_dir=ROOT)

    def at(seconds: float) -> int:
        return round((run.started_at + seconds) * 1000)

    first = run.epochs[0]
    begin_s = first["wall_s"] - first["eval_s"] - first["train_s"]
    for name, value in _submission(run).items():
        log.event(name, value, time_ms=at(0.0))
    log.event(key.CACHE_CLEAR, False, time_ms=at(0.0))  # nobody has cleared it
    log.start(key.INIT_START, time_ms=at(0.0))
    for name, value in _settings(run).items():
        log.event(name, value, time_ms=at(0.0))
    log.end(key.INIT_STOP, time_ms=at(begin_s))
    log.start(key.RUN_START, time_ms=at(begin_s))

    accuracies = [epoch["test_acc"] for epoch in run.epochs]
    diverged = run.state == record.DIVERGED
    reached = None if diverged else epochs_to_target(accuracies, run.spec["target"], "first")
    before = dict.fromkeys(first, 0.0)
    for epoch in run.epochs[:reached]:
        number = {key.EPOCH_NUM: int(epoch["epoch"])}
        eval_s = epoch["wall_s"] - (epoch["eval_s"] - before["eval_s"])
        train_s = eval_s - (epoch["train_s"] - before["train_s"])
        log.start(key.EPOCH_START, metadata=number, time_ms=at(train_s))
        log.end(key.EPOCH_STOP, metadata=number, time_ms=at(eval_s))
        log.start(key.EVAL_START, metadata=number, time_ms=at(eval_s))
        log.event(key.EVAL_ACCURACY, epoch["test_acc"], number, time_ms=at(epoch["wall_s"]))
        log.end(key.EVAL_STOP, metadata=number, time_ms=at(epoch["wall_s"]))
        before = epoch
    status = {key.STATUS: key.ABORTED if reached is None else key.SUCCESS}
    log.end(key.RUN_STOP, metadata=status, time_ms=at(before["wall_s"]))
    handler.close()
    draft.replace(path)


def _submission(run: Run) -> dict[str, str]:
    """What MLPerf wants to know of a submission, for what is none."""
    benchmark = BENCHMARKS.get((run.spec["model"], run.spec["dataset"]))
    # Of another workload there is no benchmark to name; the id has model and dataset.
    return ({key.SUBMISSION_BENCHMARK: benchmark} if benchmark else {}) | {
        key.SUBMISSION_ORG: "none: not an MLPerf submission",
        key.SUBMISSION_DIVISION: key.OPEN,
        key.SUBMISSION_STATUS: key.RESEARCH,
        key.SUBMISSION_PLATFORM: record.read_json(run.folder / record.RUN)["machine"],
        key.SUBMISSION_ENTRY: run.id,
    }


def _settings(run: Run) -> dict[str, Any]:
    """Hyperparameters under MLPerf's names; sizes of the data as far as its records are here."""
    spec = run.spec
    learners = int(run.epochs[-1].get("learners", 1))
    schedule = spec["schedule"]
    settings = {
        key.SEED: spec["seed"],
        key.GLOBAL_BATCH_SIZE: spec["devices"] * learners * spec["batch"],
        key.GRADIENT_ACCUMULATION_STEPS: spec.get("method", {}).get("accumulate", 1),
        key.OPT_NAME: spec["system"] if spec["system"] in (key.LARS, key.LAMB) else key.SGD,
        key.OPT_BASE_LR: spec["lr"],
        key.OPT_WEIGHT_DECAY: spec["weight_decay"],
        key.OPT_LR_WARMUP_EPOCHS: schedule.get("warmup", 0) * spec["epochs"],
        key.OPT_LR_DECAY_SCHEDULE: schedule["kind"],
    }
    inputs = record.read_json(run.folder / record.RUN)["inputs"]
    manifest = Path(inputs["records"], "manifest.json")
    if manifest.exists():
        counts = record.read_json(manifest)["counts"]
        settings |= {key.TRAIN_SAMPLES: counts["train"], key.EVAL_SAMPLES: counts["test"]}
    return settings


def main() -> None:
    """The command line; what can't be done is one sentence."""
    parser = argparse.ArgumentParser(prog="python -m bench.mlperf_log", description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--all", action="store_true", help="earlier experiments' runs as well")
    options = parser.parse_args()
    try:
        if why_not := problem(options.results):
            sys.exit(f"Error: {why_not}")
        runs = list(look(options.results, {}, options.all))
        ended = [run for run in runs if run.ended_at and run.epochs]
        options.out.mkdir(parents=True, exist_ok=True)
        for run in ended:
            write(run, options.out / f"{run.id}.txt")
    except OSError as error:
        sys.exit(f"Error: {error.filename}: {error.strerror}; name other folders")
    rest = len(runs) - len(ended)
    others = f"; {rest} have not ended, or had no epoch" if rest else ""
    print(f"{options.out}: {len(ended)} of {len(runs)} runs{others}")


if __name__ == "__main__":
    main()
