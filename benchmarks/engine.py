"""Throughput of training systems: `python -m benchmarks.engine PLAN --out FOLDER --call NAME`.

PLAN is a JSON list of cells: fields of a RunSpec, where `learners` may be a list. Each cell runs in
a process of its own, which sweeps its numbers of learners, so that what is compiled is compiled
once. Rows are appended to FOLDER/engine.csv, with the machine beside it.
"""

import argparse
import csv
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import environment, record
from bench.spec import RunSpec

COLUMNS = (
    "model,dataset,batch,learners,devices,system,precision,compile,graph,images_per_s,call,"
    "channels_last,unroll,cudnn_benchmark,spread,memory_bytes,prepared_s"
).split(",")
SETTINGS = [name for name in COLUMNS if name in {f.name for f in dataclasses.fields(RunSpec)}]
DEFAULTS = {f.name: f.default for f in dataclasses.fields(RunSpec)}
CELL_S = 240.0  # a cell that takes longer is killed; its rows until then count


def main() -> None:
    """Measure every cell of the plan; a cell that fails is named and the others go on."""
    started = time.monotonic()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--call", required=True, help="a name for this visit to the machine")
    parser.add_argument(
        "--budget", type=float, default=float("inf"), help="begin no cell after so many seconds"
    )
    parser.add_argument(
        "--skip-measured", action="store_true", help="leave out what this call has in engine.csv"
    )
    parser.add_argument(
        "--interpreters", type=json.loads, default={},
        help='the python of a system that has an environment of its own: {"tensorflow": "PATH"}',
    )  # fmt: skip
    options = parser.parse_args()
    if not options.plan.exists():
        sys.exit(f"{options.plan}: no such plan; the suite's are in benchmarks/plans")
    for system, python in options.interpreters.items():
        if not shutil.which(python):
            sys.exit(f"interpreters.{system}: there is no {python!r} here; name its python")
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "engine.csv"
    done = record.read_table(path)
    if done and list(done[0]) != COLUMNS:
        sys.exit(f"{path} has other columns: move it away, or make them {','.join(COLUMNS)}")
    cells = json.loads(options.plan.read_text())
    if options.skip_measured:
        cells = unmeasured(cells, [row for row in done if row["call"] == options.call])
    surroundings = environment.environment(variables())
    description = surroundings | {"code": environment.code()}
    description["interpreters"] = {s: packages(p) for s, p in options.interpreters.items()}
    record.write_json(options.out / f"engine-{options.call}.json", description)
    with path.open("a", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        if not done:
            table.writeheader()
        for place, cell in enumerate(cells):
            if time.monotonic() - started > options.budget:
                print(f"{options.budget:.0f} s are over; {len(cells) - place} cells not begun")
                break
            python = options.interpreters.get(cell["system"], sys.executable)
            for row in measured(cell, options.data, python=python):
                table.writerow(row | {"call": options.call})
                file.flush()


def variables() -> dict[str, str]:
    """The environment variables of a cell's process."""
    return os.environ | {"CUDA_DEVICE_MAX_CONNECTIONS": "32"}


def unmeasured(cells: list[dict[str, Any]], rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    """The cells, or the part of their numbers of learners, of which there is no row yet."""
    seen = {tuple(row[name] for name in SETTINGS) for row in rows}
    left = []
    for cell in cells:
        todo = [m for m in _learners(cell) if _key(cell | {"learners": m}) not in seen]
        if todo:
            left.append(cell | {"learners": todo})
    return left


def _learners(cell: dict[str, Any]) -> list[int]:
    learners = cell.get("learners", 1)
    return learners if isinstance(learners, list) else [learners]


def _key(cell: dict[str, Any]) -> tuple[str, ...]:
    """A row's settings as the table has them."""
    return tuple(str((DEFAULTS | cell)[name]) for name in SETTINGS)


def packages(python: str) -> dict[str, str]:
    """The versions in another interpreter's environment."""
    command = [python, "-m", "bench.environment"]
    asked = subprocess.run(command, env=variables(), stdout=subprocess.PIPE, check=True)
    return dict(json.loads(asked.stdout)["packages"])


def measured(
    cell: dict[str, Any],
    data: Path,
    limit_s: float = CELL_S,
    options: tuple[str, ...] = (),
    python: str = sys.executable,
) -> Iterator[dict[str, Any]]:
    """The cell's rows as its process prints them; none more after `limit_s` seconds."""
    command = [python, "-m", "benchmarks.cell", json.dumps(cell), "--data", str(data)]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, text=True, env=variables(),
        start_new_session=True,
    ) as process:  # fmt: skip
        # The whole group: a cell of several devices has a process for each.
        timer = threading.Timer(limit_s, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("{"):
                    row = json.loads(line)
                    print(_key(row), row["images_per_s"], flush=True)
                    yield row
        except BaseException:  # an interrupt of this process does not reach that group
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            timer.cancel()
    if process.returncode:
        print(f"ended with code {process.returncode}: {cell}", flush=True)


if __name__ == "__main__":
    main()
