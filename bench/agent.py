"""torchrun that ends with what started it, and that stops as a run does (`bench.stop`):

`python -m bench.agent TORCHRUN_ARGUMENTS`
"""

import os
import sys

from torch.distributed import run
from torch.distributed.elastic.multiprocessing.api import SignalException

from bench import lifeline, stop
from bench.runner import STARTED

if __name__ == "__main__":
    lifeline.follow(os.getppid())
    for name in (lifeline.LAUNCHER, STARTED):  # a process and a clock of the launcher's machine
        os.environ.pop(name, None)
    try:
        run.main(sys.argv[1:])
    except SignalException:  # it has passed the signal on, and waited for the ranks
        sys.exit(stop.RESUME)
