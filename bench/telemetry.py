"""Sampling of the devices while a run trains, from outside its processes."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import psutil
import pynvml

from bench.gpus import ask


class Sampler:
    """Rows of `TELEMETRY_COLUMNS` for a process tree and for `gpus`, handles of NVML.

    `t_s` counts from `started`, a `time.monotonic()` value. A GPU has its utilisation in [0, 1],
    bytes, watts, MHz, degrees Celsius and the throttle-reason bits, each as far as it tells them.
    The `cpu` row has the tree's utilisation in cores (1.0 = one core busy) and its resident bytes.
    Other cells stay empty.
    """

    def __init__(self, run: str, pid: int, gpus: Sequence[Any], started: float) -> None:
        self.run, self._started, self._gpus = run, started, gpus
        self._tree = psutil.Process(pid)
        self._cpu_s: dict[int, float] = {}
        self._last = started

    @property
    def period_s(self) -> float:
        """Ten samples a second on GPUs; two for the process tree, which costs more to walk."""
        return 0.1 if self._gpus else 0.5

    def sample(self) -> Iterator[dict[str, Any]]:
        """One row for the process tree and one per GPU, now."""
        now = time.monotonic()
        place = {"run": self.run, "t_s": round(now - self._started, 3)}
        yield place | {"device": "cpu"} | self._host(now - self._last)
        self._last = now
        for index, handle in enumerate(self._gpus):
            yield place | {"device": f"cuda:{index}"} | _gpu(handle)

    def _host(self, elapsed_s: float) -> dict[str, Any]:
        busy_s, resident = 0.0, 0
        with suppress(psutil.NoSuchProcess):
            for process in [self._tree, *self._tree.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                    times = process.cpu_times()
                    total = times.user + times.system
                    busy_s += total - self._cpu_s.get(process.pid, 0.0)
                    self._cpu_s[process.pid] = total
                    resident += process.memory_info().rss
        return {"utilization": round(busy_s / max(elapsed_s, 1e-3), 3), "memory_bytes": resident}


def _gpu(handle: Any) -> dict[str, Any]:
    utilization = ask(pynvml.nvmlDeviceGetUtilizationRates, handle)
    memory = ask(pynvml.nvmlDeviceGetMemoryInfo, handle)
    power_mw = ask(pynvml.nvmlDeviceGetPowerUsage, handle)
    return {
        "utilization": None if utilization is None else utilization.gpu / 100,
        "memory_bytes": None if memory is None else int(memory.used),
        "power_w": None if power_mw is None else power_mw / 1000,
        "sm_mhz": ask(pynvml.nvmlDeviceGetClockInfo, handle, pynvml.NVML_CLOCK_SM),
        "memory_mhz": ask(pynvml.nvmlDeviceGetClockInfo, handle, pynvml.NVML_CLOCK_MEM),
        "temperature_c": ask(pynvml.nvmlDeviceGetTemperature, handle, pynvml.NVML_TEMPERATURE_GPU),
        "throttle": ask(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle),
    }
