"""Watch the runs of a results folder: `python -m bench.watch [RESULTS] [--once] [--all]`.

On a terminal, a table that renews itself; elsewhere, one line for each change. Ends when every run
has, or with Ctrl-C. It only reads: start it before, while or after runs are made, and as often
"""

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from bench.watch.observe import PLANNED, WENT_WELL, Run, look, problem
from bench.watch.remaining import left_s
from bench.watch.table import ASCII_BARS, BARS, counts, duration, table

WIDE = 160  # a table that goes to a file, unless the variable COLUMNS says otherwise
WAITING = "waiting for one; Ctrl-C ends"
Look = Callable[[], list[Run]]


def main() -> None:
    """The command line; a folder that can't be watched is one sentence."""
    parser = argparse.ArgumentParser(prog="python -m bench.watch", description=__doc__)
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    parser.add_argument("--once", action="store_true", help="print one table and end")
    parser.add_argument("--all", action="store_true", help="earlier experiments' runs as well")
    parser.add_argument(
        "--interval", type=_seconds, default=1.0, help="seconds between two looks (default: 1)"
    )
    options = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it, and is no error
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDE
    known: dict[str, Run] = {}

    def look_again() -> list[Run]:
        return list(look(options.results, known, options.all))

    try:
        why_not = problem(options.results)
        if why_not and (options.once or options.results.is_file()):
            sys.exit(f"Error: {why_not}")
        if options.once:
            console.print(_view(options.results, look_again(), console))
        elif console.is_terminal and not console.is_dumb_terminal:
            _show(options.results, look_again, options.interval, console)
        else:
            _tell(options.results, look_again, options.interval)
    except KeyboardInterrupt:
        pass
    except OSError as error:
        sys.exit(f"Error: {options.results}: {error.strerror}; name a folder that can be read")


def _show(results: Path, look_again: Look, interval: float, console: Console) -> None:
    """The table on a screen of its own until all have ended; what was last seen stays behind."""
    # An exception in the middle of a drawing can get lost.
    interrupted = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    runs: list[Run] = []
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while not interrupted.is_set() and not _all_ended(runs):
                runs = look_again()
                live.update(_view(results, runs, console, console.height), refresh=True)
                interrupted.wait(interval)
    finally:
        console.print(_view(results, runs, console, console.height))


def _tell(results: Path, look_again: Look, interval: float) -> None:
    """One line for each change until all have ended."""
    said: dict[str, tuple[str, int]] = {}
    waiting = ""
    while True:
        runs, first = look_again(), not said
        if runs and first:
            print(f"{results}: {counts(runs)}", flush=True)
        elif not runs and waiting != problem(results):
            waiting = problem(results)
            print(f"{waiting}; {WAITING}", flush=True)
        for run in runs:
            seen = run.state, len(run.epochs)
            known = seen == said.get(run.id) or run.state == PLANNED
            said[run.id] = seen
            if not known and not (first and run.state in WENT_WELL):
                print(time.strftime("%H:%M:%S"), _words(run), flush=True)
        if _all_ended(runs):
            break
        time.sleep(interval)
    print(f"{results}: {counts(runs)}")


def _all_ended(runs: list[Run]) -> bool:
    return bool(runs) and all(run.ended_at for run in runs)


def _view(
    results: Path, runs: list[Run], console: Console, height: int | None = None
) -> RenderableType:
    if not runs:
        return Text(f"{problem(results)}; {WAITING}")
    bars = BARS if console.encoding.startswith("utf") else ASCII_BARS
    return table(results, runs, time.time(), console.width, height, bars)


def _words(run: Run) -> str:
    """A run in one line."""
    words = [run.state, run.id]
    if run.epochs:
        last = run.epochs[-1]
        words.append(f"epoch {len(run.epochs)}/{run.spec['epochs']}")
        words.append(f"accuracy {last['test_acc']:.4f}  {last['images_per_s']:,.0f} images/s")
    left = left_s(run, time.time())
    if left is not None:
        words.append(f"{duration(left)} left")
    return "  ".join([*words, run.reason]).rstrip()


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0.0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no time to wait; use more than 0 seconds")
    return seconds


if __name__ == "__main__":
    main()
