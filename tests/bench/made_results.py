"""A results folder as a pipeline would leave it, of runs that nobody trained."""

import subprocess
from pathlib import Path

from bench import claims, record, summary
from bench.clock import PHASES
from bench.endings import completion
from bench.environment import ROOT
from bench.spec import RunSpec
from bench.table_hashes import tables_sha256
from data_prep.records import file_sha256
from plots.__main__ import main as draw

GIVEN = {"model": "lenet", "dataset": "digits", "batch": 16, "epochs": 6, "target": 0.7, "lr": 0.1}
ENVIRONMENT = {"cores": 2, "cpu": "A CPU", "gpus": [], "host": "here", "packages": {"torch": "2"}}
SYSTEMS = ({"system": "pytorch"}, {"system": "crossbow", "variant": "released", "mu": 0.9})
IMAGES = 1000
# What a commit is asked for: here each system is one file.
_JOB = 'def system_sources(spec):\n    return [f"{spec.system}.py"]\n'


def repository(folder: Path) -> dict[str, str]:
    """A repository of three commits, by name: `again` has the code of `first`, `other` has not."""

    def git(*arguments):
        name = ["-c", "user.name=a", "-c", "user.email=b"]
        command = ["git", "-C", str(folder), *name, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    for name in ("bench/sources.py", "models/_flaws.py"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    git("init", "-q")
    (folder / "bench/job.py").write_text(_JOB)
    commits = {}
    for name, system, text in (
        ("first", "pytorch", "1"),
        ("again", "notes", "2"),
        ("other", "crossbow", "3"),
    ):
        for each in ("pytorch", "crossbow"):
            (folder / f"{each}.py").touch()
        (folder / f"{system}.py").write_text(f"# {text}\n")
        git("add", ".")
        git("commit", "-q", "-m", name)
        commits[name] = git("rev-parse", "HEAD")
    return commits


def run(results, spec, records, code, slower=1.0):
    """Leave the files of one run; its throughput and accuracy depend on system and seed."""
    folder = results / "runs" / spec.id
    folder.mkdir(parents=True)
    weights = results / f"weights/{spec.model}/{spec.dataset}/seed-{spec.seed}.npz"
    weights.parent.mkdir(parents=True, exist_ok=True)
    weights.write_bytes(b"weights of seed %d" % spec.seed)
    hashes = {path.name: file_sha256(path) for path in sorted(records.glob("*.npy"))}
    inputs = {"records": str(records), "records_sha256": hashes, "state": "state"}
    inputs |= {"weights": f"elsewhere/weights/{weights.relative_to(results / 'weights')}"}
    inputs["weights_sha256"] = file_sha256(weights)
    job = {"run": spec.id, "spec": spec.to_dict(), "inputs": inputs, "code": code}
    job |= {"machine": "2 x A CPU", "environment": ENVIRONMENT}
    record.write_json(folder / record.RUN, job)
    pace = slower * (1 + 0.05 * spec.seed) * (2 if spec.system == "crossbow" else 1)
    rows, spent = [], 0.0
    for epoch in range(1, spec.epochs + 1):
        started, spent = spent, epoch * pace
        rows.append(
            {"run": spec.id, "epoch": epoch, "iteration": 60 * epoch, "images": IMAGES * epoch}
            | {"train_s": spent, "eval_s": 0.1 * epoch, "wall_s": spent + 1, "learners": 1}
            | {"lr": 0.1, "train_loss": pace / epoch, "test_loss": pace / epoch, "test_top5": 1.0}
            | {"test_acc": 0.9 - pace / 10 / epoch, "images_per_s": IMAGES / (spent - started)}
        )
    record.write_table(folder / record.EPOCHS, record.EPOCH_COLUMNS, rows)
    record.write_table(folder / record.TELEMETRY, record.TELEMETRY_COLUMNS, [])
    phases = [{"run": spec.id, "phase": phase, "seconds": 1.0} for phase in PHASES]
    record.write_table(folder / record.PHASES, record.PHASE_COLUMNS, phases)
    status = completion(rows, spec.target) | {"wall_s": float(len(PHASES)), "carried_s": 0.0}
    status |= {"tables_sha256": tables_sha256(folder)}
    record.write_json(folder / record.STATUS, status)
    (folder / record.LOG).touch()


def join(results):
    """The tables of all runs there, by system and seed."""
    runs = sorted(path.name for path in (results / "runs").iterdir())
    (results / "state").mkdir(exist_ok=True)
    (results / "state/matrix.txt").write_text("\n".join(runs))
    summary.join(results, runs, [])


def judge_and_draw(results, *figures):
    """The claims, and these figures."""
    tables = [f"--{name}={results / name}.csv" for name in ("summary", "epochs", "autotune")]
    assert draw([*figures, *tables, f"--out={results / 'figures'}"]) == 0
    assert claims.main([str(results / "summary.csv"), f"--out={results / 'claims.csv'}"]) == 0


def results_of(results, records, code_of, seeds=(1, 2), **how):
    """Two systems with these seeds, joined; `code_of` gives the code of a system's runs."""
    for system in SYSTEMS:
        for seed in seeds:
            spec = RunSpec(**(GIVEN | system), seed=seed)
            run(results, spec, records, code_of(spec.system), **how)
    join(results)
    return results
