import os
import subprocess
import sys

from bench.record import TELEMETRY_COLUMNS
from bench.telemetry import Sampler


def test_without_a_gpu_the_process_tree_is_sampled():
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        sampler = Sampler("a-run", os.getpid(), gpus=0)
        list(sampler.sample())
        import time

        time.sleep(0.5)
        (row,) = sampler.sample()
    finally:
        busy.kill()
        busy.wait()
    assert set(row) <= set(TELEMETRY_COLUMNS)
    assert (row["run"], row["device"]) == ("a-run", "cpu")
    assert row["utilization"] > 0.1
    assert row["memory_bytes"] > 1e6


def test_a_process_that_is_gone_is_not_an_error():
    process = subprocess.Popen([sys.executable, "-c", ""])
    sampler = Sampler("a-run", process.pid, gpus=0)
    process.wait()
    (row,) = sampler.sample()
    assert row["memory_bytes"] == 0
