"""torchrun that ends with what started it: `python -m bench.agent TORCHRUN_ARGUMENTS`."""

import os
import sys

from torch.distributed import run

from bench import lifeline
from bench.runner import STARTED

if __name__ == "__main__":
    lifeline.follow(os.getppid())
    for name in (lifeline.LAUNCHER, STARTED):  # a process and a clock of the launcher's machine
        os.environ.pop(name, None)
    run.main(sys.argv[1:])
