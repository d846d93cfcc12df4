import os
import subprocess
import sys
import time

import pytest
from fake_nvml import gpu

from bench.gpus import visible
from bench.record import TELEMETRY_COLUMNS
from bench.telemetry import Sampler


def test_without_a_gpu_the_process_tree_is_sampled():
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        sampler = Sampler("a-run", os.getpid(), [], time.monotonic())
        list(sampler.sample())
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
    sampler = Sampler("a-run", process.pid, [], time.monotonic())
    process.wait()
    (row,) = sampler.sample()
    assert row["memory_bytes"] == 0


def test_time_counts_from_the_launch():
    sampler = Sampler("a-run", os.getpid(), [], time.monotonic() - 100)
    (row,) = sampler.sample()
    assert row["t_s"] == pytest.approx(100, abs=5)


def test_visible_gpus_are_sampled_in_the_order_in_which_cuda_numbers_them(nvml):
    nvml(gpu("GPU-a", PowerUsage=100_000), gpu("GPU-b", PowerUsage=200_000), gpu("GPU-c"))
    handles = visible({"CUDA_VISIBLE_DEVICES": "1,0"})
    _, *rows = Sampler("a-run", os.getpid(), handles, time.monotonic()).sample()
    assert [(row["device"], row["power_w"]) for row in rows] == [("cuda:0", 200), ("cuda:1", 100)]
    assert rows[0]["utilization"] == 0.5
    assert {name for name in TELEMETRY_COLUMNS if name in rows[0]} == set(TELEMETRY_COLUMNS)


@pytest.mark.parametrize(
    ("query", "column"),
    [
        ("PowerUsage", "power_w"),
        ("CurrentClocksThrottleReasons", "throttle"),
        ("UtilizationRates", "utilization"),
        ("MemoryInfo", "memory_bytes"),
        ("Temperature", "temperature_c"),
    ],
)
def test_what_a_gpu_does_not_tell_stays_empty(nvml, query, column):
    nvml(gpu("GPU-a", **{query: None}))
    _, row = Sampler("a-run", os.getpid(), visible({}), time.monotonic()).sample()
    assert [name for name, value in row.items() if value is None] == [column]
