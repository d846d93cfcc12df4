"""The loop every system shares: train an epoch, evaluate, record, checkpoint, stop."""

import json
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench import checkpoint, contract, endings, lifeline, record, resident_memory, stop
from bench.clock import Ledger
from bench.job import Job
from bench.metrics import evaluate
from bench.system import Context, EpochResult, System
from bench.systems import SYSTEMS
from data_prep.manifest import RecordsError
from data_prep.records import open_records

CHECKPOINT_SHARE = 0.05  # of a run's time, at most: of short epochs not each has one
VERIFIED_BYTES = 2**30  # records up to so many are read whole before a run, in a second or two
STARTED = "CROSSBOW_STARTED"  # time.monotonic() when the launcher started this run's process
Build = Callable[[Context], System]
Spread = Callable[[Job, Build], None]


def main(build: Build, spread: Spread | None = None) -> None:
    """`python -m MODULE run.json OUTDIR`: run the job and leave its status in OUTDIR.

    `spread` starts the job's ranks where a system has one process per device. Ends with the code
    `stop.RESUME`, and no status, when it was asked to stop.
    """
    if len(sys.argv) != 3:
        sys.exit("usage: python -m MODULE run.json OUTDIR")
    lifeline.follow_launcher()
    stop.listen(multiprocessing.active_children)
    out = Path(sys.argv[2])
    try:
        job = Job.read(Path(sys.argv[1]), out)
        _refuse_other_systems(job)
    except ValueError as error:
        sys.exit(f"Error: {error}")
    try:
        out.mkdir(parents=True, exist_ok=True)
        job.state.mkdir(parents=True, exist_ok=True)
        if job.spec.nodes == 1:  # of several, a rank that was sooner may have left its failure
            (out / record.STATUS).unlink(missing_ok=True)
        _verify(job.records)
        (spread or train)(job, build)
        if not (out / record.STATUS).exists():
            raise stop.Stopped
        checkpoint.clear(job.state)  # the run has its result: to run it again is to start again
    except Exception as error:
        traceback.print_exc()
        record.write_json(out / record.STATUS, endings.failure(error))
        sys.exit(1)


def train(job: Job, build: Build, rank: int = 0, ranks: int = 1) -> None:
    """One rank of the job; rank 0 evaluates, writes the run's files and decides when to stop."""
    started = os.environ.get(STARTED)
    ledger = Ledger(started=float(started) if started else None)
    spec = job.spec
    context = Context(
        spec=spec,
        records=open_records(job.records),
        weights=job.weights,
        out=job.out,
        rank=rank,
        ranks=ranks,
    )
    system = contract.built(build, context)
    ledger.drain = system.drain
    system.prepare(ledger)

    history: list[dict[str, Any]] = []
    measures: dict[str, float | None] = dict.fromkeys(record.MEMORY + record.EXCHANGE)
    carried_s = 0.0
    resumed = checkpoint.load(job.state, rank, ranks, job.fingerprint)
    if resumed:
        _, state = resumed
        before = json.loads(str(state.pop("runner")))
        system.load_state(state)
        history, carried_s = before["history"], sum(before["seconds"].values())
        measures = before["measures"]
        for phase, seconds in before["seconds"].items():
            ledger.seconds[phase] += seconds
        print(f"resuming {spec.id} after epoch {len(history)}", flush=True)

    log = record.Table(job.out / record.EPOCHS, record.EPOCH_COLUMNS) if rank == 0 else None
    if log:
        for row in history:
            log.write(row)
    outcome: dict[str, Any] | None = None
    # Here ranks wait for one that was prepared later, so that no epoch's clock has it.
    if system.agree(stop.requested()):
        return
    next_checkpoint = 0.0  # on the ledger's clock
    for epoch in range(len(history), spec.epochs):
        train_before = ledger.seconds["train"]
        with ledger.phase("train"):
            result = system.train_epoch(epoch)
        contract.refuse_epoch(system, result, len(context.records.train_labels))
        memory = resident_memory.peak() if spec.device_type == "cpu" else result.memory_bytes
        measures = _measures(measures, replace(result, memory_bytes=memory), epoch)
        row = {
            "run": spec.id,
            "epoch": epoch + 1,
            "iteration": len(result.losses) + (history[-1]["iteration"] if history else 0),
            "images": result.images + (history[-1]["images"] if history else 0),
            "train_s": ledger.seconds["train"],
            "learners": result.learners,
            "lr": result.lr,
            "train_loss": float(result.losses.mean()),
            "images_per_s": result.images / (ledger.seconds["train"] - train_before),
        }
        if log:
            with ledger.phase("eval"):
                test = evaluate(system.logits(), np.asarray(context.records.test_labels))
            row |= {"test_loss": test.loss, "test_acc": test.accuracy, "test_top5": test.top5}
            row |= {"eval_s": ledger.seconds["eval"], "wall_s": ledger.total}
            log.write(row)
            outcome = endings.divergence(row)
        history.append(row)
        if system.agree(outcome is not None):
            break
        stopped = system.agree(stop.requested() and epoch + 1 < spec.epochs)
        if not system.agree(stopped or ledger.total >= next_checkpoint):
            continue
        before_s = ledger.seconds["checkpoint"]
        with ledger.phase("checkpoint"):
            note = {"history": history, "seconds": ledger.seconds, "measures": measures}
            arrays = system.state() | {"runner": np.array(json.dumps(note))}
            checkpoint.save(job.state, epoch + 1, rank, job.fingerprint, arrays)
        cost_s = ledger.seconds["checkpoint"] - before_s
        next_checkpoint = ledger.total + cost_s / CHECKPOINT_SHARE
        if stopped:
            if log:
                print(f"stopped {spec.id} after epoch {epoch + 1}", flush=True)
            return
    ledger.switch("other")
    if spec.device_type == "cpu":
        largest = resident_memory.of_largest(int(measures["memory_bytes"] or 0), ranks)
        measures["memory_bytes"] = largest
    if log:
        log.close()
        phases = [{"run": spec.id, "phase": p, "seconds": s} for p, s in ledger.seconds.items()]
        record.write_table(job.out / record.PHASES, record.PHASE_COLUMNS, phases)
        outcome = outcome or endings.completion(history, spec.target)
        record.write_json(job.out / record.STATUS, outcome | measures | {"carried_s": carried_s})


def _verify(records: Path) -> None:
    """Refuse records that are not what run.json says of them; large ones only by their sizes."""
    size = sum(path.stat().st_size for path in records.glob("*"))
    try:
        open_records(records, verify=size <= VERIFIED_BYTES)
    except RecordsError as error:
        wrong = str(error).rpartition("; ")[0]
        raise RecordsError(
            f"{wrong}; remove {records}, and the same command makes it anew"
        ) from None


def _refuse_other_systems(job: Job) -> None:
    """A run's rows must come from the system that its id names."""
    started = sys.modules["__main__"].__spec__
    module = SYSTEMS[job.spec.system]
    if started and started.name.removesuffix(".__main__") != module:
        raise ValueError(f"{job.spec.id} is a run of {job.spec.system}; use python -m {module}")


def _measures(
    before: dict[str, float | None], result: EpochResult, epochs: int
) -> dict[str, float | None]:
    """After `epochs` and one more: peak of memory, sum of bytes, mean of staleness; last learner's.

    Every epoch has as many iterations.
    """
    peaks = [size for size in (before["memory_bytes"], result.memory_bytes) if size is not None]
    sent, stale = result.sent_bytes, result.staleness
    if stale is not None:
        stale = ((before["staleness"] or 0.0) * epochs + stale) / (epochs + 1)
    return {
        "memory_bytes": max(peaks, default=None),
        "learner_memory_bytes": result.learner_memory_bytes,
        "sent_bytes": None if sent is None else (before["sent_bytes"] or 0) + sent,
        "staleness": stale,
    }
