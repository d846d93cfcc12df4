"""A copy of the repository in which a test may change files, run the pipeline and kill it."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import forks
import psutil
import yaml

import plots
from bench.spec import RunSpec
from workflows.plan import plan

REPOSITORY = Path(__file__).resolve().parents[1]
DEADLINE_S = 240
FIGURES = {"throughput", "time_to_accuracy"}  # in a copy: all take a minute
DATA = "results/prepared data"  # git ignores it, as it does results
# A run's own lines, so that its numbers can be compared; the other columns are seconds.
SECONDS = {"train_s", "eval_s", "wall_s", "images_per_s"}
CELL = {
    "model": "lenet",
    "dataset": "digits",
    "batch": 64,
    "seed": 1,
    "epochs": 2,
    "target": 0.5,
    "lr": 0.03,
}


class Suite:
    """The copy in `folder`. Its configs lie beside it, so that the copy's git sees no new files.

    `printed` is the file with what the last command that was `started` printed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed = folder.parent / "printed.txt"

    @classmethod
    def create(cls, folder: Path) -> "Suite":
        """Copy what git tracks or would track, but for most figures, with its times; commit it."""
        listed = git(REPOSITORY, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
        for name in filter(None, listed.split("\0")):
            source = REPOSITORY / name
            if name.split("/")[0] in ("tests", "docs") or not os.path.lexists(source):
                continue
            if source.parent.name == "plots" and source.stem in set(plots.known()) - FIGURES:
                continue
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, folder / name, follow_symlinks=False)
        git(folder, "init", "--quiet")
        git(folder, "add", "--all")
        identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
        git(folder, *identity, "commit", "--quiet", "--message=copy", "--no-gpg-sign")
        return cls(folder)

    def clone(self, folder: Path) -> "Suite":
        """The same again, with all results and all that Snakemake remembers of them."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Suite(folder)

    def config(self, name: str, *matrix: dict[str, Any], **top: Any) -> Path:
        """A config file of groups that start from `CELL`, with results in results/NAME."""
        content = {
            "name": name,
            "results": f"results/{name}",
            "data": DATA,
            "defaults": CELL,
            **top,
        }
        path = self.folder.parent / f"{name}.yaml"
        path.write_text(yaml.safe_dump({**content, "matrix": list(matrix)}))
        return path

    def runs(self, config: Path) -> dict[str, RunSpec]:
        """The runs that a config plans, by id."""
        return plan(yaml.safe_load(config.read_text())).runs

    def give_weights(self, config: Path, results: Path) -> None:
        """Let runs start from weights that other results hold, rather than draw them again."""
        shutil.copytree(results / "weights", self.results(config) / "weights")

    def results(self, config: Path) -> Path:
        """The folder of all results of a config that `config` wrote."""
        return self.folder / yaml.safe_load(config.read_text())["results"]

    def snakemake(
        self, *arguments: str | Path, deadline_s: int = DEADLINE_S, **environment: str
    ) -> subprocess.CompletedProcess:
        """Run the pipeline to its end; what it printed, on either stream, is in `stdout`.

        It is no child of this process, and has its environment, but not its limits.
        """
        return snakemake(self.folder, *_options(arguments), deadline_s=deadline_s, **environment)

    def planned(self, *arguments: str | Path) -> list[str]:
        """What a dry run would do: the ids of runs, the names of figures and of other rules."""
        done = self.snakemake(*arguments, "--dry-run", "--quiet", "host")
        assert done.returncode == 0, done.stdout
        jobs = re.split(r"^(?:local)?rule ", done.stdout.partition("Job stats:")[2], flags=re.M)
        return sorted(
            wildcard.group(1)
            if (wildcard := re.search(r"wildcards: (?:run|figure)=(\S+)", job))
            else job.partition(":")[0]
            for job in jobs[1:]
            if not job.startswith("all:")
        )

    @contextmanager
    def running(self, *arguments: str | Path, **environment: str) -> Iterator[subprocess.Popen]:
        """The pipeline in a process group of its own, of which the end leaves nothing."""
        command = [sys.executable, "-m", "snakemake", *_options(arguments)]
        with self.started(command, **environment) as process:
            yield process

    @contextmanager
    def started(self, command: list[str], **environment: str) -> Iterator[subprocess.Popen]:
        """A command in the copy, in a process group of its own, of which the end leaves nothing."""
        with self.printed.open("w") as printed:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=os.environ | environment,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def launch_command(self, config: Path, run: str, state: Path) -> list[str]:
        """`python -m bench.launch` for a run of `config` whose inputs are there already."""
        spec = self.runs(config)[run]
        results = self.results(config)
        weights = results / f"weights/{spec.model}/{spec.dataset}/seed-{spec.seed}.npz"
        folders = {
            "records": self.folder / DATA / spec.dataset,
            "weights": weights,
            "state": state,
            "out": state.parent.parent / "runs" / run,
        }
        options = [word for name, path in folders.items() for word in (f"--{name}", str(path))]
        return [sys.executable, "-m", "bench.launch", json.dumps(spec.to_dict()), *options]

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace text that must be in a file of the copy."""
        path = self.folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def append(self, name: str, text: str) -> None:
        """Add text to a file of the copy."""
        with (self.folder / name).open("a") as file:
            file.write(text)


def git(folder: Path, *arguments: str) -> str:
    """What a git command in a folder prints."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, text=True, capture_output=True
    )
    return done.stdout


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def status(results: Path, run: str) -> dict[str, Any]:
    """A run's status.json."""
    return json.loads((results / "runs" / run / "status.json").read_text())


def numbers(results: Path, run: str) -> list[dict[str, str]]:
    """The epochs of a run without what depends on time, exactly as written."""
    epochs = rows(results / "runs" / run / "epochs.csv")
    return [{name: text for name, text in row.items() if name not in SECONDS} for row in epochs]


def log(results: Path, run: str) -> str:
    """A run's log.txt."""
    return (results / "runs" / run / "log.txt").read_text()


def phases_sum_to_wall(results: Path, run: str) -> bool:
    """Whether the contract of the clock holds for a run."""
    phases = rows(results / "runs" / run / "phases.csv")
    wall_s = status(results, run)["wall_s"]
    return abs(sum(float(row["seconds"]) for row in phases) - wall_s) <= 0.01 * wall_s


def wait_until(met: Callable[[], Any], process: subprocess.Popen | None = None) -> Any:
    """The first true answer of `met`; `process` must still be there then."""
    deadline = time.monotonic() + DEADLINE_S
    while not (answer := met()):
        assert process is None or process.poll() is None, "it ended too soon"
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)
    return answer


def checkpoints(state: Path, ranks: int = 1) -> list[int]:
    """The epochs of which every rank has a checkpoint."""
    names = [path.name for path in state.glob("epoch-*.npz")]
    epochs = [int(name.split("-")[1]) for name in names]
    return sorted({epoch for epoch in epochs if epochs.count(epoch) == ranks})


def family(process: subprocess.Popen) -> list[psutil.Process]:
    """All processes that a process started, directly or not."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(process.pid).children(recursive=True)
    return []


def run_process(process: subprocess.Popen, run: str) -> psutil.Process:
    """The process that trains a run, of those that `process` started: the launcher's child."""
    launcher = launcher_process(process, run)
    (trainer,) = launcher.children()
    return trainer


def launcher_process(process: subprocess.Popen, run: str) -> psutil.Process:
    """The process that watches a run, of those that `process` started."""
    (launcher,) = (
        member
        for member in family(process)
        if "bench.launch" in (words := member.cmdline()) and any(run in word for word in words)
    )
    return launcher


def ended(processes: list[psutil.Process]) -> bool:
    """Whether all processes have ended, collected or not."""
    return not any(_lives(process) for process in processes)


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def snakemake(
    folder: Path, *arguments: str, deadline_s: int = DEADLINE_S, **environment: str
) -> subprocess.CompletedProcess:
    """`python -m snakemake` in a folder, without the seconds that it takes to import."""
    with tempfile.NamedTemporaryFile("r") as printed:
        code = forks.call(_pipelines(), arguments, folder, printed.name, deadline_s, **environment)
        return subprocess.CompletedProcess(arguments, code, printed.read())


@cache
def _pipelines() -> subprocess.Popen:
    """Starts them, for as long as this process lives."""
    return forks.server(REPOSITORY / "tests/pipelines.py")


def _options(arguments: tuple[str | Path, ...]) -> list[str]:
    return ["--cores", "2", *map(str, arguments)]
