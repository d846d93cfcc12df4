"""One process per device for systems on torch.distributed: gloo between CPUs, NCCL between GPUs."""

import faulthandler
import functools
import gc
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing
from torch.multiprocessing.spawn import ProcessException, ProcessExitedException

from bench import endings, lifeline, random_state, stop
from bench.job import Job
from bench.runner import Build, train
from bench.spec import RunSpec

TIMEOUT = timedelta(minutes=10)
GRACE_S = 10.0  # for the other ranks to end by themselves, when one has failed


def spread(job: Job, build: Build) -> None:
    """Train the job on its devices; see `on_devices`."""
    on_devices(job.spec, functools.partial(_train, job=job, build=build))


def on_devices(spec: RunSpec, work: Callable[[int], None]) -> None:
    """Call `work(rank)` once per device of `spec`, in a process each; one needs no second process.

    On several nodes this is one of the processes already, which torchrun's agents have started.

    Raises:
        ValueError: it is a run on several nodes, and torchrun has not started this process.
        TimeoutError: ranks waited `TIMEOUT` for others; names those that hang.
        ChildProcessError: a rank was killed; names it.
        torch.multiprocessing.ProcessRaisedException: a rank failed; carries its traceback.
    """
    if spec.devices == 1:
        _use_device(spec, 0)
        work(0)
        return
    if spec.nodes > 1:
        _rank_of_torchrun(spec, work)
        return
    # A forked CPU rank skips the import of torch; CUDA cannot be used after a fork.
    method = "fork" if spec.device_type == "cpu" else "spawn"
    with tempfile.TemporaryDirectory() as meeting_point:
        ranks = torch.multiprocessing.start_processes(
            functools.partial(_rank, spec=spec, work=work, meeting_point=Path(meeting_point)),
            nprocs=spec.devices,
            start_method=method,
            join=False,
        )
        try:
            while not ranks.join(grace_period=GRACE_S):
                pass
        except ProcessException as error:
            if hanging := _hanging(ranks.processes, error):
                raise TimeoutError(
                    f"{hanging} of {spec.devices} ranks hung: the others waited for "
                    f"{TIMEOUT.total_seconds():.0f} s"
                ) from error
            if isinstance(error, ProcessExitedException) and error.signal_name:
                raise ChildProcessError(
                    f"rank {error.error_index} of {spec.devices} ranks was killed by "
                    f"{error.signal_name}"
                ) from error
            raise


def _hanging(processes: list[BaseProcess], error: ProcessException) -> str:
    """The ranks that had to be killed after `error`, if that is a rank's end of waiting for them.

    gloo raises it; NCCL's watchdog aborts the process that waits.
    """
    waited = "timed out" in error.msg.lower() or getattr(error, "exit_code", 0) == -signal.SIGABRT
    killed = [i for i, process in enumerate(processes) if process.exitcode == -signal.SIGKILL]
    return ", ".join(f"rank {rank}" for rank in killed) if waited else ""


def _rank(rank: int, spec: RunSpec, work: Callable[[int], None], meeting_point: Path) -> None:
    gc.freeze()  # a fork has the launcher's garbage too, which is not its own to destroy
    lifeline.follow_launcher()
    stop.listen()
    _together(rank, spec, work, f"file://{meeting_point / 'store'}")


def _rank_of_torchrun(spec: RunSpec, work: Callable[[int], None]) -> None:
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        raise ValueError(
            f"{spec.id} is a run on {spec.nodes} nodes, whose processes torchrun starts; train it "
            "by the pipeline, or by python -m bench.launch"
        )
    lifeline.follow(os.getppid())

    def work_to_the_end(rank: int) -> None:
        work(rank)
        dist.barrier()  # a rank that is done removes checkpoints: not before all are

    _together(int(os.environ["RANK"]), spec, work_to_the_end, "env://")


def _together(rank: int, spec: RunSpec, work: Callable[[int], None], meeting_point: str) -> None:
    _use_device(spec, rank)
    dist.init_process_group(
        backend="nccl" if spec.device_type == "cuda" else "gloo",
        init_method=meeting_point,
        rank=rank,
        world_size=spec.devices,
        timeout=TIMEOUT,
    )
    try:
        work(rank)
    finally:
        dist.destroy_process_group()


def _train(rank: int, job: Job, build: Build) -> None:
    try:
        train(job, build, rank, job.spec.devices)
    except Exception as error:
        if job.spec.nodes == 1:
            raise
        # The first rank that fails leaves the reason: others fail because it has left them.
        traceback.print_exc()
        endings.leave_first(job.out, error)
        sys.exit(1)


def _use_device(spec: RunSpec, rank: int) -> None:
    """A CPU device is one process with one thread; a CUDA device is the GPU of that index here."""
    random_state.seed(spec.seed, rank)
    if not faulthandler.is_enabled():  # native code that crashes is to say where
        faulthandler.enable()
    if spec.device_type == "cuda":
        torch.cuda.set_device(rank % spec.devices_per_node)
    else:
        torch.set_num_threads(1)
