"""The most of a host's memory that a run's processes have had: what a run on CPUs records."""

import resource
from pathlib import Path


def peak() -> int:
    """The largest resident set of this process so far, in bytes.

    It counts whatever is mapped and was touched: interpreter, libraries and data, also where other
    processes share them. Linux's VmHWM; getrusage's ru_maxrss, which stands in where that is
    missing, has also what this process was before it became a program of its own.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def of_largest(size: int, ranks: int) -> int:
    """The largest of the `size` in bytes that each of `ranks` ranks calls this with."""
    if ranks == 1:
        return size
    import torch  # which TensorFlow's one rank has no need of
    import torch.distributed as dist

    sizes = torch.tensor(size)
    dist.all_reduce(sizes, op=dist.ReduceOp.MAX)
    return int(sizes)
