"""Throughput of training systems: `python -m benchmarks.engine PLAN --out FOLDER --call NAME`.

PLAN is a JSON list of cells: fields of a RunSpec, where `learners` may be a list. Each cell runs in
a process of its own, which sweeps its numbers of learners, so that what is compiled is compiled
once. Rows are appended to FOLDER/engine.csv, with the machine beside it. Cells of more GPUs than
there are here are left out. Ends with code 1 if a cell failed, and with 75 on SIGTERM.
"""

import argparse
import contextlib
import json
import math
import shutil
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NoReturn

from bench import environment, stop
from benchmarks.calls import add_call, adding, begin, surroundings
from benchmarks.cell_process import CELL_S, measured, packages, variables
from benchmarks.engine_table import COLUMNS, refuse_without_row, unmeasured
from benchmarks.plan import fitting, read_plan
from benchmarks.results import folder
from benchmarks.systems import KINDS, spec_of
from workflows.seconds import seconds
from workflows.validate import ConfigError


def main() -> None:
    """Measure every cell of the plan; a cell that fails is named and the others go on."""
    started = time.monotonic()
    options = _options()
    table = options.out / "engine.csv", COLUMNS, options.call
    try:
        cells = read_plan(options.plan)
        refuse_without_row(cells, options.plan)
        own = {system: packages(python) for system, python in options.interpreters.items()}
        cells = _here(cells, len(environment.gpus(variables())), options.plan)
        device_type = _device_type(cells, options.plan)
        done = begin(*table, surroundings(device_type, variables(), interpreters=own))
    except ConfigError as error:
        sys.exit(str(error))
    if options.skip_measured:
        cells = unmeasured(cells, done)
    failed, left = 0, len(cells)
    with ending_at_sigterm(), adding(*table) as add:
        for cell in cells:
            if (left_s := options.budget - (time.monotonic() - started)) <= 0:
                break
            python = options.interpreters.get(cell["system"], sys.executable)
            rows = measured(cell, options.data, min(CELL_S, left_s), python=python)
            code = _written(rows, add)
            if code and time.monotonic() - started >= options.budget:
                break  # it was killed for the budget, and did not fail
            failed += bool(code)
            left -= 1
    if left:
        print(f"{options.budget:.0f} s are over; --skip-measured goes on with {left} cells")
    if failed:
        said = f"{failed} of {len(cells)} cells failed, or took more than {CELL_S:.0f} s"
        sys.exit(f"{options.plan}: {said}")


def _options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--data", type=Path, default=Path("data"), help="prepared records")
    parser.add_argument("--out", type=folder, required=True)
    add_call(parser)
    parser.add_argument(
        "--budget", type=seconds, default=math.inf,
        help="end after so many seconds: the cell under way then is killed, its rows count",
    )  # fmt: skip
    parser.add_argument(
        "--skip-measured", action="store_true",
        help="leave out what this call has in engine.csv; what failed before comes last",
    )  # fmt: skip
    parser.add_argument(
        "--interpreters", type=json.loads, default={},
        help='the python of a system that has an environment of its own: {"tensorflow": "PATH"}',
    )  # fmt: skip
    options = parser.parse_args()
    if not isinstance(options.interpreters, dict):
        parser.error('--interpreters: no JSON object such as {"tensorflow": "PATH"}')
    for system, python in options.interpreters.items():
        if system not in KINDS:
            parser.error(f"--interpreters: {system!r} is none of {', '.join(KINDS)}")
        if not isinstance(python, str) or not shutil.which(python):
            sys.exit(f"interpreters.{system}: there is no {python!r} here; name its python")
    return options


@contextlib.contextmanager
def ending_at_sigterm() -> Iterator[None]:
    """SIGTERM ends this process, with those of the cell under way: `measured` kills them."""

    def end(*_: object) -> NoReturn:
        raise stop.Stopped

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _here(cells: list[dict[str, Any]], gpus: int, plan: Path) -> list[dict[str, Any]]:
    fit = fitting(cells, gpus)
    if not fit:
        raise ConfigError(
            f"{plan}: all cells need more GPUs than the {gpus} here; for a CPU a cell says "
            '"device_type": "cpu"'
        )
    if len(fit) < len(cells):
        print(f"{len(cells) - len(fit)} of {len(cells)} cells need more GPUs than the {gpus} here")
    return fit


def _device_type(cells: list[dict[str, Any]], plan: Path) -> str:
    """That of all cells, of which their rows do not tell.

    Raises:
        ConfigError: they have several.
    """
    first, *others = {spec_of(cell | {"learners": 1}).device_type for cell in cells}
    if others:
        raise ConfigError(
            f"{plan}: cells of cpu and of cuda, which the table does not tell apart; give them a "
            "plan and a --call each"
        )
    return first


def _written(
    rows: Generator[dict[str, Any], None, int], write: Callable[[dict[str, Any]], None]
) -> int:
    """Write each row as it comes; the code with which their process ended."""
    with contextlib.closing(rows):
        while True:
            try:
                row = next(rows)
            except StopIteration as end:
                return end.value
            write(row)


if __name__ == "__main__":
    main()
