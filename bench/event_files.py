"""TensorBoard event files: `python -m bench.event_files RESULTS OUT [--follow] [--all]`.

Writes OUT/RUN/events.out.tfevents.* of the runs in RESULTS, from what they recorded: no run is
slower for it. With --follow it goes on with epochs as they end, until every run has, or Ctrl-C.
Then: tensorboard --logdir OUT
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.hparams.summary_v2 import hparams_pb
from tensorboard.summary.writer.record_writer import RecordWriter

from bench import record
from bench.watch.observe import Run, look, modified, problem

TAGS = {
    "test_acc": "accuracy/test",
    "test_top5": "accuracy/test_top5",
    "train_loss": "loss/train",
    "test_loss": "loss/test",
    "images_per_s": "throughput/images_per_s",
    "learners": "schedule/learners",
    "lr": "schedule/lr",
    "train_s": "seconds/train",
    "eval_s": "seconds/eval",
}
INTERVAL_S = 2.0


def export(runs: list[Run], out: Path, written: dict[Path, int]) -> None:
    """Write the epochs that `written`, epochs by event file, does not have yet, and note them.

    A step is an epoch, and its time is when it ended. A file begins with the run's settings, for
    TensorBoard's table of hyperparameters. A run that was trained again has a file of its own, and
    the one of the attempt before goes.
    """
    for run in runs:
        attempt = f"{modified(run.folder / record.RUN):.0f}"
        path = out / run.id / f"events.out.tfevents.{attempt}.crossbow"
        done = written.get(path, 0)
        if len(run.epochs) <= done:
            continue
        events = [_epoch(run, epoch) for epoch in run.epochs[done:]]
        if not done:
            path.parent.mkdir(parents=True, exist_ok=True)
            for earlier in path.parent.glob("events.out.tfevents.*.crossbow"):
                earlier.unlink()
            events = [_version(run), _settings(run), *events]
        with path.open("ab") as file:
            writer = RecordWriter(file)
            for event in events:
                writer.write(event.SerializeToString())
        written[path] = len(run.epochs)


def _version(run: Run) -> Event:
    """What every event file begins with."""
    return Event(wall_time=run.started_at, file_version="brain.Event:2")


def _settings(run: Run) -> Event:
    plain: dict[str, Any] = {
        name: value if isinstance(value, bool | int | float | str) else json.dumps(value)
        for name, value in run.spec.items()
        if value is not None
    }
    summary = hparams_pb(plain, trial_id=run.id, start_time_secs=run.started_at)
    return Event(wall_time=run.started_at, step=0, summary=summary)


def _epoch(run: Run, epoch: dict[str, float]) -> Event:
    values = [
        Summary.Value(tag=TAGS[name], simple_value=epoch[name]) for name in TAGS.keys() & epoch
    ]
    return Event(
        wall_time=run.started_at + epoch["wall_s"],
        step=int(epoch["epoch"]),
        summary=Summary(value=values),
    )


def main() -> None:
    """The command line; what can't be done is one sentence."""
    parser = argparse.ArgumentParser(prog="python -m bench.event_files", description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--follow", action="store_true", help="go on until all runs have ended")
    parser.add_argument("--all", action="store_true", help="earlier experiments' runs as well")
    options = parser.parse_args()
    known: dict[str, Run] = {}
    written: dict[Path, int] = {}
    runs: list[Run] = []
    try:
        if why_not := problem(options.results):
            sys.exit(f"Error: {why_not}")
        while True:
            runs = list(look(options.results, known, options.all))
            export(runs, options.out, written)
            if not options.follow or all(run.ended_at for run in runs):
                break
            time.sleep(INTERVAL_S)
    except KeyboardInterrupt:
        pass
    except OSError as error:
        sys.exit(f"Error: {error.filename}: {error.strerror}; name other folders")
    without = len(runs) - len(written)
    others = f"; {without} have no epoch yet" if without else ""
    print(f"{options.out}: {len(written)} of {len(runs)} runs{others}")


if __name__ == "__main__":
    main()
