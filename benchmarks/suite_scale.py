"""What the suite itself costs when a matrix is large: time, memory and, of the report, its size.

`python -m benchmarks.suite_scale --out DIR [--runs 5000] [--epochs 100]`

Makes a config of so many runs and, in a temporary folder, what such runs leave behind: half of them
of a GPU with telemetry. Then takes the steps of the pipeline one after the other, each in a process
of its own, and writes suite_scale.json. `planned_again` is the plan when all runs are there.
"""

import argparse
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import plots
from bench import environment, record
from bench.progress import MATRIX
from bench.spec import RunSpec
from benchmarks.results import folder, write_result
from workflows.plan import plan

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = 600  # of telemetry in a run of a GPU: ten a second for a minute
STEPS = ("plan", "summary", "claims", "figures", "report", "planned_again")


def config_of(runs: int, epochs: int, results: Path) -> dict[str, Any]:
    """A matrix of `runs` runs: two kinds of devices, two systems, batches, learners and seeds."""
    seeds = list(range(1, -(-runs // 50) + 1))
    kinds, batches = ["cpu", "cuda"], [1, 2, 4, 8, 16]
    whole = {"model": "lenet", "dataset": "digits", "target": 0.9, "lr": 0.01, "epochs": epochs}
    matrix = [
        {"system": "crossbow", "learners": [1, 2, 4, "auto"], "mu": 0.5},
        {"system": "pytorch", "momentum": 0.9},
    ]
    axes = {"seed": seeds, "device_type": kinds, "batch": batches}
    return {"name": "scale", "results": str(results), "defaults": whole | axes, "matrix": matrix}


def make_run(results: Path, spec: RunSpec, surroundings: dict[str, Any], number: int) -> None:
    """The files that a run leaves, with numbers that a formula gives."""
    folder, run = results / "runs" / spec.id, spec.id
    folder.mkdir(parents=True)
    on_gpu = spec.device_type == "cuda"
    epoch_s = 0.1 + number % 7 / 10
    request = {
        "run": run,
        "spec": spec.to_dict(),
        "inputs": {"records": "data/digits", "weights": "weights.npz", "state": "state"},
        "code": {"commit": "0" * 40, "dirty": False, "sources_sha256": "0" * 64},
        "machine": "1 x GPU" if on_gpu else "2 x CPU",
        "environment": surroundings | {"gpus": [{"name": "GPU"}] * on_gpu},
    }
    (folder / record.RUN).write_text(json.dumps(request, indent=2))
    rows = (
        f"{run},{n},{90 * n},{1440 * n},{n * epoch_s!r},{n * 0.01!r},{n * (epoch_s + 0.01)!r},2,"
        f"0.01,{2 / n!r},{2.1 / n!r},{1 - math.exp(-n * (number % 11) / 100)!r},0.99,"
        f"{1440 / epoch_s!r}\n"
        for n in range(1, spec.epochs + 1)
    )
    _write(folder / record.EPOCHS, record.EPOCH_COLUMNS, rows)
    wall_s = spec.epochs * (epoch_s + 0.01)
    samples = (
        f"{run},{n * wall_s / SAMPLES!r},cuda:0,0.9,800000000,{200 + n % 90},1980,3201,50,0\n"
        for n in range(SAMPLES)
    )
    _write(folder / record.TELEMETRY, record.TELEMETRY_COLUMNS, samples if on_gpu else ())
    _write(folder / record.PHASES, record.PHASE_COLUMNS, [f"{run},train,{wall_s!r}\n"])
    if spec.learners == "auto":
        tuned = (f"{run},{90 * n},{n},{9000 * n},grow,,0.1\n" for n in range(1, 9))
        _write(folder / record.AUTOTUNE, record.AUTOTUNE_COLUMNS, tuned)
    outcome = {"status": "reached", "reason": "target reached", "wall_s": wall_s, "carried_s": 0.0}
    outcome |= dict.fromkeys(record.MEMORY)
    (folder / record.STATUS).write_text(json.dumps(outcome))
    (folder / record.LOG).write_text("")


def measured(command: list[str], log: Path) -> dict[str, float]:
    """Seconds on the clock and of CPU, and peak resident memory (bytes), of a command.

    Raises:
        RuntimeError: it failed; with the last lines that it said.
    """
    started = time.monotonic()
    with log.open("w") as file:
        process = subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - started
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {log.read_text()[-2000:]}")
    cpu_s = round(usage.ru_utime + usage.ru_stime, 2)
    return {"seconds": round(seconds, 2), "cpu_s": cpu_s, "peak_bytes": usage.ru_maxrss * 1024}


def steps(config: Path, results: Path) -> dict[str, list[str]]:
    """The command of each step, by its name."""
    python = [sys.executable, "-m"]
    dry = [*python, "snakemake", "-n", "--quiet", "all", "--configfile", str(config)]
    elsewhere = f"results={results}-none"
    tables = [f"--{name}={results / name}.csv" for name in ("summary", "epochs", "autotune")]
    figures, claims = results / "figures", results / "claims.csv"
    report = [tables[0], f"--claims={claims}", f"--machines={results / 'machines.json'}"]
    report += [f"--figures={figures}", f"--out={results / 'report.html'}"]
    commands = {
        "plan": [*dry, "--config", elsewhere],
        "summary": [*python, "bench.summary", str(results)],
        "claims": [*python, "bench.claims", str(results / "summary.csv"), f"--out={claims}"],
        "figures": [*python, "plots", *plots.known(), *tables, f"--out={figures}"],
        "report": [*python, "workflows.report", *report],
        "planned_again": dry,
    }
    return commands


def in_browser(page: Path, scratch: Path) -> dict[str, float] | None:
    """Milliseconds in Chromium until the page stood, to filter and to sort; None without one."""
    if not (browser := shutil.which("chromium")):
        return None
    script = """<script>addEventListener("load", () => setTimeout(() => {
      const loaded = performance.now(), box = document.getElementById("filter");
      box.value = "pytorch b16 s1-";
      box.dispatchEvent(new Event("input"));
      document.body.offsetHeight;
      const filtered = performance.now() - loaded;
      document.querySelector("#table thead button").click();
      document.body.offsetHeight;
      const sorted = performance.now() - loaded - filtered;
      document.title = `measured ${JSON.stringify({loaded, filtered, sorted})}`;
    }));</script></body>"""
    copy = scratch / "page.html"
    allowed = re.sub("script-src '[^']*'", "script-src 'unsafe-inline'", page.read_text())
    copy.write_text(allowed.replace("</body>", script))
    flags = "--headless --no-sandbox --disable-gpu --no-first-run --virtual-time-budget=60000"
    command = [browser, *flags.split(), f"--user-data-dir={scratch / 'profile'}", "--dump-dom"]
    shown = subprocess.run([*command, copy.as_uri()], capture_output=True, text=True, timeout=300)
    found = re.search(r"<title>measured (\{.*?\})</title>", shown.stdout)
    return {k: round(v, 1) for k, v in json.loads(found[1]).items()} if found else None


def _write(path: Path, columns: Any, rows: Any) -> None:
    path.write_text("".join(itertools.chain([",".join(columns) + "\n"], rows)))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite_scale", description=__doc__)
    parser.add_argument("--out", type=folder, required=True)
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    parser.add_argument("--keep", type=folder, help="work in this folder, and leave it there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = options.keep or Path(temporary)
        results, config = work / "results", work / "scale.json"
        content = config_of(options.runs, options.epochs, results)
        runs = plan(content).runs
        work.mkdir(parents=True, exist_ok=True)
        config.write_text(json.dumps(content))
        if not results.exists():
            surroundings = environment.environment()
            for number, spec in enumerate(runs.values()):
                make_run(results, spec, surroundings, number)
            (results / "state").mkdir()
            (results / "state" / MATRIX).write_text("\n".join(runs) + "\n")
        found: dict[str, Any] = {"runs": len(runs), "epochs": options.epochs}
        for name, command in steps(config, results).items():
            if name in options.steps:
                found[name] = measured(command, work / f"{name}.txt")
                print(name, found[name], flush=True)
        page = results / "report.html"
        if page.exists():
            found["page"] = {"bytes": page.stat().st_size}
            found["page"]["milliseconds"] = in_browser(page, work)
            print("page", found["page"])
    write_result(options.out / "suite_scale.json", found)


if __name__ == "__main__":
    main()
