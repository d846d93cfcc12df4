"""Throughput of training systems: `python -m benchmarks.engine PLAN --out FOLDER --call NAME`.

PLAN is a JSON list of cells: fields of a RunSpec, where `learners` may be a list. Each cell runs in
a process of its own, which sweeps its numbers of learners, so that what is compiled is compiled
once. Rows are appended to FOLDER/engine.csv, with the machine beside it.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench import environment, record

COLUMNS = "model,dataset,batch,learners,devices,system,precision,compile,graph,images_per_s,call"


def main() -> None:
    """Measure every cell of the plan; a cell that fails is named and the others go on."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--call", required=True, help="a name for this visit to the machine")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    record.write_json(options.out / f"engine-{options.call}.json", environment.environment())
    path = options.out / "engine.csv"
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        table = csv.DictWriter(file, COLUMNS.split(","), lineterminator="\n")
        if fresh:
            table.writeheader()
        for cell in json.loads(options.plan.read_text()):
            for row in _measure(cell, options.data):
                table.writerow({name: row[name] for name in table.fieldnames if name in row}
                               | {"call": options.call})  # fmt: skip
                file.flush()


def _measure(cell: dict[str, Any], data: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "benchmarks.cell", json.dumps(cell), str(data)]
    surroundings = os.environ | {"CUDA_DEVICE_MAX_CONNECTIONS": "32"}
    rows = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=surroundings) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                rows.append(json.loads(line))
                print({**rows[-1]}, flush=True)
    if process.returncode:
        print(f"failed with code {process.returncode}: {cell}", flush=True)
    return rows


if __name__ == "__main__":
    main()
