"""Start one run, watch it, and leave a status whatever happens to it.

`python -m bench.launch SPEC_JSON --records DIR --weights FILE --state DIR --out DIR [--owner PID]`
"""

import argparse
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import checkpoint, environment, gpus, job, lifeline, nodes, record, stop, telemetry
from bench.file_times import bring_to_now
from bench.progress import Progress
from bench.raised_in import raised_in, shown
from bench.runner import STARTED
from bench.spec import RunSpec
from bench.systems import SYSTEMS
from bench.table_hashes import tables_sha256

RESUMES = "the same command resumes it from its last checkpoint"


def failures(state: Path) -> int:
    """How often the run with this state folder has failed; a new failure makes it run again."""
    path = state / "failures"
    return int(path.read_text()) if path.exists() else 0


def launch(spec: RunSpec, inputs: dict[str, Path], out: Path, python: str) -> dict[str, Any]:
    """Run `spec` in a process tree of its own and return the content of its status.json.

    `inputs` names the `records` and `state` folders and the `weights` file. Leaves every file of
    `record.FILES` in `out`, also when the run is killed; checkpoints stay in `state` only while
    there is something to resume.

    Raises:
        BlockingIOError: another process is training this run.
        stop.Stopped: SIGTERM asked the run to stop; it leaves checkpoints, and no status.
    """
    state = inputs["state"]
    state.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    with _locked(state):
        if stop.requested():  # of the run before
            raise stop.Stopped
        for name in (*record.FILES, record.AUTOTUNE):
            (out / name).unlink(missing_ok=True)
        variables = _variables(spec)
        request = job.describe(spec, **inputs, surroundings=_surroundings(python, variables))
        record.write_json(out / record.RUN, request)
        started = time.monotonic()
        progress = Progress(spec, out, state.parent)
        variables |= {STARTED: repr(started), lifeline.LAUNCHER: str(os.getpid())}
        exit_code = _watch(request, out, python, variables, progress)
        if _stopped(out / record.STATUS, exit_code):
            progress.end("stopped", RESUMES, done=False)
            raise stop.Stopped
        outcome = _finish(spec, out, exit_code, time.monotonic() - started)
        manifest = inputs["records"] / "manifest.json"
        bring_to_now([manifest, inputs["weights"], *map(Path, job.system_sources(spec))])
        progress.end(outcome["status"], outcome["reason"])
        if outcome["status"] == record.FAILED:
            record.write_json(state / "failures", failures(state) + 1)
        else:
            checkpoint.clear(state)
    return outcome


def _variables(spec: RunSpec) -> dict[str, str]:
    """The environment variables of the run's process."""
    variables = {
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "CUDA_DEVICE_MAX_CONNECTIONS": "32",  # one hardware queue per learner's stream
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",  # cuda:N is the same GPU to the run and to NVML
        "TF_CPP_MIN_LOG_LEVEL": "2",
    }
    if spec.device_type == "cpu":  # a CPU device is one thread; no framework may see a GPU
        variables |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    return variables


def _surroundings(python: str, variables: dict[str, str]) -> dict[str, Any]:
    """What the run runs on; an interpreter of another environment is asked itself."""
    if Path(shutil.which(python) or python).parent == Path(sys.executable).parent:
        return environment.environment(variables)
    asked = subprocess.run(
        [python, "-m", "bench.environment"], env=variables, capture_output=True, text=True
    )
    if asked.returncode:  # it can't run a system either: the run will say why
        return environment.environment(variables) | {"packages": {}, "python": f"of {python}"}
    return dict(json.loads(asked.stdout))


def _watch(
    request: dict[str, Any], out: Path, python: str, variables: dict[str, str], progress: Progress
) -> int:
    spec = RunSpec.from_dict(request["spec"])
    module = [SYSTEMS[spec.system], str(out / record.RUN), str(out)]
    command = nodes.command(spec, python, module, variables)
    with (out / record.LOG).open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=variables)
    stop.listen(lambda: [process])
    devices = gpus.visible(variables) if spec.device_type == "cuda" else []
    # By the clock of the run's ledger, so that power can be told from phase to phase.
    sampler = telemetry.Sampler(spec.id, process.pid, devices, float(variables[STARTED]))
    samples = record.Table(out / record.TELEMETRY, record.TELEMETRY_COLUMNS)
    try:
        while True:
            for row in sampler.sample():
                samples.write(row)
            progress.show()
            try:
                return process.wait(sampler.period_s)
            except subprocess.TimeoutExpired:
                continue
    finally:
        samples.close()
        if process.poll() is None:
            process.kill()


def _stopped(status: Path, exit_code: int) -> bool:
    """Whether the run obeyed a request to stop, or failed under one; its status is gone then."""
    failed = not status.exists() or record.read_json(status)["status"] == record.FAILED
    stopped = exit_code == stop.RESUME or (stop.requested() and failed)
    if stopped:
        status.unlink(missing_ok=True)
    return stopped


def _finish(spec: RunSpec, out: Path, exit_code: int, wall_s: float) -> dict[str, Any]:
    """Complete the run's files: a status if the process left none, and the time it took to end."""
    path = out / record.STATUS
    if path.exists():
        outcome = record.read_json(path)
    else:
        outcome = {"status": record.FAILED, "reason": _why_no_status(spec, out, exit_code)}
    failed = outcome["status"] == record.FAILED and exit_code > 0
    if failed and (place := raised_in(_log(out), job.own_files(spec))):
        outcome["reason"] += f"; see {place}"
    outcome = dict.fromkeys(record.MEMORY + record.EXCHANGE) | {"carried_s": 0.0} | outcome
    outcome["wall_s"] = wall_s + outcome["carried_s"]
    for table in out.glob("*.csv"):
        record.drop_half_row(table)
    if not (out / record.EPOCHS).exists():
        record.write_table(out / record.EPOCHS, record.EPOCH_COLUMNS, [])
    phases = {row["phase"]: float(row["seconds"]) for row in record.read_table(out / record.PHASES)}
    # The process closes its ledger before it ends; ending is part of the run too.
    phases["other"] = phases.get("other", 0.0) + outcome["wall_s"] - sum(phases.values())
    rows = [{"run": spec.id, "phase": p, "seconds": round(s, 6)} for p, s in phases.items()]
    record.write_table(out / record.PHASES, record.PHASE_COLUMNS, rows)
    record.write_json(path, outcome | {"tables_sha256": tables_sha256(out)})
    return outcome


def _why_no_status(spec: RunSpec, out: Path, exit_code: int) -> str:
    if exit_code < 0:
        return f"killed by {signal.Signals(-exit_code).name}; {RESUMES}"
    why = f"ended with code {exit_code}"
    if exit_code == 0:
        own = next(path for path in job.own_files(spec) if path.name != "__init__.py")
        why = (
            f"{shown(own)} ended and left no result; have it call bench.runner.main in its "
            "last lines, as in docs/adding.md"
        )
    lines = [line.strip() for line in _log(out).splitlines() if line.strip()]
    return f"{why}; the last that it said is: {lines[-1] if lines else 'nothing'}"


def _log(out: Path) -> str:
    return (out / record.LOG).read_text(errors="replace")


@contextmanager
def _locked(state: Path) -> Iterator[None]:
    """Hold the run's lock, which the kernel lets go of even when this process is killed."""
    with (state / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def main() -> None:
    """The command line; ends 0 whenever the run has a status, also a bad one, or `stop.RESUME`."""
    parser = argparse.ArgumentParser(prog="python -m bench.launch", description=__doc__)
    parser.add_argument("spec", help="the RunSpec as JSON")
    for folder in ("records", "weights", "state", "out"):
        parser.add_argument(f"--{folder}", type=Path, required=True)
    parser.add_argument("--python", default=sys.executable, help="interpreter of the system")
    parser.add_argument("--owner", type=int, help="end when this process is gone")
    arguments = parser.parse_args()
    if arguments.owner:
        lifeline.follow(arguments.owner)
    spec = RunSpec.from_dict(json.loads(arguments.spec))
    inputs = {name: getattr(arguments, name) for name in ("records", "weights", "state")}
    try:
        launch(spec, inputs, arguments.out, arguments.python)
    except nodes.NoNodes as error:
        sys.exit(str(error))
    except BlockingIOError:
        sys.exit(f"{arguments.state}: another process is training {spec.id}; wait for it to end")
    except OSError as error:
        sys.exit(f"{spec.id}: {error}; when that is mended, {RESUMES}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
