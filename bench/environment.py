"""What a run ran on: machine, packages, drivers, code and the variables that steer them."""

import importlib.metadata
import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

PACKAGES = re.compile(r"^(torch|triton|tensorflow.*|keras|numpy|pandas|snakemake|nvidia-.*)$", re.I)
# By name, not by prefix: others that start alike hold secrets.
VARIABLES = re.compile(
    r"^(CUDA_(VISIBLE_DEVICES|DEVICE_ORDER|DEVICE_MAX_CONNECTIONS|LAUNCH_BLOCKING)|CUBLAS_WORKSPACE_CONFIG"
    r"|NCCL_[A-Z_]+|GLOO_SOCKET_IFNAME|(OMP|MKL|OPENBLAS)_NUM_THREADS|OMP_(PROC_BIND|PLACES)"
    r"|OPENBLAS_CORETYPE|TF_(CPP_MIN_LOG_LEVEL|XLA_FLAGS|ENABLE_ONEDNN_OPTS|DETERMINISTIC_OPS"
    r"|NUM_INTEROP_THREADS|NUM_INTRAOP_THREADS|GPU_ALLOCATOR|FORCE_GPU_ALLOW_GROWTH)|XLA_FLAGS"
    r"|TORCH_(LOGS|NUM_THREADS|CUDA_ARCH_LIST)|TORCHINDUCTOR_[A-Z_]+|PYTORCH_(CUDA_)?ALLOC_CONF"
    r"|CROSSBOW_NODES|SLURM_(JOB_ID|JOB_NODELIST|NNODES|NTASKS|CPUS_PER_TASK))$"
)
ROOT = Path(__file__).resolve().parent.parent


def environment(variables: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Everything about machine and software that a result depends on, as JSON values.

    `variables` are those of the process that it is about.
    """
    return {
        "host": platform.node(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "memory_bytes": psutil.virtual_memory().total,
        "packages": {
            name: dist.version
            for dist in importlib.metadata.distributions()
            if (name := dist.metadata["Name"]) and PACKAGES.match(name)
        },
        "gpus": gpus(variables),
        "variables": {k: v for k, v in sorted(variables.items()) if VARIABLES.match(k)},
    }


def machine(environment: dict[str, Any], device_type: str) -> str:
    """The machine in a few words, for captions: `2 x AMD EPYC` or `NVIDIA H200`.

    Of GPUs not how many: which of a machine's a run may see is up to who starts it, and `devices`
    says how many it had.
    """
    if device_type == "cuda" and environment["gpus"]:
        return ", ".join(dict.fromkeys(gpu["name"] for gpu in environment["gpus"]))
    return f"{environment['cores']} x {environment['cpu']}"


def code(paths: Sequence[str] = (".",)) -> dict[str, Any]:
    """The commit that is checked out and whether any of `paths` differs from it, or is not of it.

    Of a copy without repository, the commit is what the variable CODE_COMMIT says it is a copy of.
    """

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(ROOT), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    inside = [path for path in paths if (ROOT / path).resolve().is_relative_to(ROOT)]
    try:
        return {
            "commit": git("rev-parse", "HEAD"),
            "dirty": inside != [*paths] or bool(git("status", "--porcelain", "--", *inside)),
        }
    except (FileNotFoundError, subprocess.CalledProcessError):  # no git, or no repository
        commit = os.environ.get("CODE_COMMIT", "")
        return {"commit": commit, "dirty": not commit}


def cpu_name() -> str:
    """The processor's model name as the system gives it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def gpus(variables: Mapping[str, str] = os.environ) -> list[dict[str, Any]]:
    """Name, UUID, memory, driver and clocks of each GPU that a process with `variables` sees.

    What a GPU does not answer is None. Of a slice of a GPU (MIG) that the process is given by its
    UUID, it is the slice's own.
    """
    import pynvml

    from bench.gpus import ask, visible

    handles = visible(variables)
    return [
        {
            "name": ask(pynvml.nvmlDeviceGetName, handle),
            "uuid": ask(pynvml.nvmlDeviceGetUUID, handle),
            "memory_bytes": getattr(ask(pynvml.nvmlDeviceGetMemoryInfo, handle), "total", None),
            "driver": ask(pynvml.nvmlSystemGetDriverVersion),
            "cuda": ask(pynvml.nvmlSystemGetCudaDriverVersion),
            "max_sm_mhz": ask(pynvml.nvmlDeviceGetMaxClockInfo, handle, pynvml.NVML_CLOCK_SM),
            "max_memory_mhz": ask(pynvml.nvmlDeviceGetMaxClockInfo, handle, pynvml.NVML_CLOCK_MEM),
        }
        for handle in handles
    ]


if __name__ == "__main__":
    import json

    print(json.dumps(environment()))
