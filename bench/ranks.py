"""One process per device for systems on torch.distributed: gloo between CPUs, NCCL between GPUs."""

import functools
import tempfile
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing

from bench import lifeline
from bench.job import Job
from bench.runner import Build, train

TIMEOUT = timedelta(minutes=10)


def spread(job: Job, build: Build) -> None:
    """Train the job on its devices, a process each; one device needs no second process.

    Raises:
        torch.multiprocessing.ProcessExitedException: a rank was killed; names the rank.
        torch.multiprocessing.ProcessRaisedException: a rank failed; carries its traceback.
    """
    devices = job.spec.devices
    if devices == 1:
        _use_device(job, 0)
        train(job, build)
        return
    # A forked CPU rank skips the import of torch; CUDA cannot be used after a fork.
    method = "fork" if job.spec.device_type == "cpu" else "spawn"
    with tempfile.TemporaryDirectory() as meeting_point:
        torch.multiprocessing.start_processes(
            functools.partial(_rank, job=job, build=build, meeting_point=Path(meeting_point)),
            nprocs=devices,
            start_method=method,
        )


def _rank(rank: int, job: Job, build: Build, meeting_point: Path) -> None:
    lifeline.follow_launcher()
    _use_device(job, rank)
    dist.init_process_group(
        backend="nccl" if job.spec.device_type == "cuda" else "gloo",
        init_method=f"file://{meeting_point / 'store'}",
        rank=rank,
        world_size=job.spec.devices,
        timeout=TIMEOUT,
    )
    try:
        train(job, build, rank, job.spec.devices)
    finally:
        dist.destroy_process_group()


def _use_device(job: Job, rank: int) -> None:
    """A CPU device is one process with one thread; a CUDA device is the GPU of that index."""
    torch.manual_seed(job.spec.seed)
    if job.spec.device_type == "cuda":
        torch.cuda.set_device(rank)
    else:
        torch.set_num_threads(1)
