"""A copy of the repository that only one of pytest's processes prepares, while the others wait."""

import fcntl
import os

from suite import Suite


def made_once(factory, name, make):
    """The suite of tests' base folder NAME, from whose `copy` each process may clone its own.

    `make` fills the folder that it is given, which takes its place once it is done.
    """
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all workers
    made = folder / name / "copy"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            make(made.with_name("being made"))
            made.with_name("being made").rename(made)
    return Suite(made)
