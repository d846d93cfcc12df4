"""Seconds of an epoch by records: `python -m benchmarks.records_cost CELL --out DIR --call NAME`.

CELL is a RunSpec's fields as JSON, of one device. Trains epochs on the first N of the dataset's
training images, for each N, and evaluates after each. A figure is the median of `EPOCHS` epochs
after one that is thrown away. Appends rows to DIR/records_cost.csv, with the machine beside it in
DIR/records_cost-NAME.json.
"""

import argparse
import dataclasses
import pkgutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench.clock import Ledger
from bench.spec import RunSpec
from bench.system import Context
from benchmarks.calls import add_call, adding, begin, surroundings
from benchmarks.plan import one_spec
from benchmarks.results import folder
from benchmarks.systems import KINDS, on_ranks, records_of
from data_prep.manifest import RecordsError
from data_prep.records import Records
from workflows.validate import ConfigError

COLUMNS = "call,system,model,dataset,batch,learners,records,train_s,least_s,most_s,eval_s".split(
    ","
)
EPOCHS = 3


def main() -> None:
    """Measure every number of records."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.records_cost", description=__doc__.splitlines()[0]
    )
    parser.add_argument("cell", type=one_spec, help="RunSpec fields as JSON")
    parser.add_argument("--records", type=int, nargs="+", required=True, metavar="N")
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=folder, required=True, metavar="DIR")
    add_call(parser)
    options = parser.parse_args()
    spec = options.cell
    if spec.devices != 1 or spec.learners == "auto":
        parser.error("this takes a cell of one device and of a fixed number of learners")
    try:
        there = records_of(spec.dataset, options.data)
    except RecordsError as error:
        sys.exit(str(error))
    least, most = spec.batch * (spec.learners if spec.variant else 1), len(there.train_labels)
    for count in options.records:
        if not least <= count <= most:
            sys.exit(
                f"--records {count}: {spec.dataset} and one iteration permit {least} to {most}"
            )
    table = options.out / "records_cost.csv", COLUMNS, options.call
    try:
        begin(*table, surroundings(spec.device_type))
    except ConfigError as error:
        sys.exit(str(error))
    with adding(*table) as add:

        def work(rank: int, spec: RunSpec, data: Path, weights: Path) -> None:
            for count in options.records:
                row = dataclasses.asdict(spec) | measured(spec, first(there, count), weights)
                print(count, row["train_s"], row["eval_s"], flush=True)
                add(row)

        on_ranks(spec, options.data, work)


def first(records: Records, count: int) -> Records:
    """The same records with the first `count` training images alone."""
    images, labels = records.train_images[:count], records.train_labels[:count]
    return dataclasses.replace(records, train_images=images, train_labels=labels)


def measured(spec: RunSpec, records: Records, weights: Path) -> dict[str, Any]:
    """Train and evaluate on these records: the medians, and the range of the epochs."""
    with tempfile.TemporaryDirectory() as out:
        context = Context(spec=spec, records=records, weights=weights, out=Path(out))
        system = pkgutil.resolve_name(KINDS[spec.system])(context)
        system.prepare(Ledger())
        epochs, evaluations = [], []
        for epoch in range(1 + EPOCHS):
            started = time.monotonic()
            system.train_epoch(epoch)
            system.drain()
            trained = time.monotonic()
            system.logits()
            epochs.append(trained - started)
            evaluations.append(time.monotonic() - trained)
    found = {"train_s": median(epochs[1:]), "least_s": min(epochs[1:]), "most_s": max(epochs[1:])}
    found["eval_s"] = median(evaluations[1:])
    times = {name: f"{seconds:.4g}" for name, seconds in found.items()}
    return times | {"records": len(records.train_labels)}


if __name__ == "__main__":
    main()
