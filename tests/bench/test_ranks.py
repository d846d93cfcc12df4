"""Processes of a run, one per device."""

import gc
import os

from bench.ranks import on_devices


class Noted:
    """Writes down the process that destroys it; part of a circle, so only a collection finds it."""

    def __init__(self, folder):
        self.circle, self.folder = self, folder

    def __del__(self):
        (self.folder / str(os.getpid())).touch()


def test_ranks_leave_the_garbage_of_the_process_that_forked_them(spec, tmp_path):
    """It may have threads and native memory that are not in a fork."""
    gc.disable()
    try:
        Noted(tmp_path)
        on_devices(spec(devices=2), lambda rank: gc.collect())
        assert not list(tmp_path.iterdir())
    finally:
        gc.enable()
    gc.collect()
    assert [path.name for path in tmp_path.iterdir()] == [str(os.getpid())]
