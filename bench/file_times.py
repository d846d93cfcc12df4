"""Files from the future: written before the machine's clock was set back.

To Snakemake a result that is older than what it was made from is stale, and no result at all of the
job that has just made it.
"""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def bring_to_now(paths: Iterable[Path]) -> None:
    """Give those of `paths` whose time is still to come the time that it is now."""
    now = time.time()
    for path in paths:
        with suppress(OSError):  # not there, or not ours to change
            if path.stat().st_mtime > now:
                os.utime(path, (now, now))
