"""Sampling of the devices while a run trains, from outside its processes."""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psutil
import pynvml


class Sampler:
    """Rows of `TELEMETRY_COLUMNS` for a process tree and, where there are any, the GPUs.

    GPU rows come from NVML: utilisation in [0, 1], bytes, watts, MHz, degrees Celsius and the
    throttle-reason bits. The `cpu` row has the tree's utilisation in cores (1.0 = one core busy)
    and its resident bytes; cells that do not apply stay empty.
    """

    def __init__(self, run: str, pid: int, gpus: int) -> None:
        self.run = run
        self.started = time.monotonic()
        self._tree = psutil.Process(pid)
        self._cpu_s: dict[int, float] = {}
        self._last = self.started
        self._handles = []
        if gpus:
            pynvml.nvmlInit()
            self._handles = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(gpus)]

    @property
    def period_s(self) -> float:
        """Ten samples a second on GPUs; two for the process tree, which costs more to walk."""
        return 0.1 if self._handles else 0.5

    def sample(self) -> Iterator[dict[str, Any]]:
        """One row for the process tree and one per GPU, now."""
        now = time.monotonic()
        yield {"run": self.run, "t_s": round(now - self.started, 3), "device": "cpu"} | self._host(
            now - self._last
        )
        self._last = now
        for index, handle in enumerate(self._handles):
            yield {
                "run": self.run,
                "t_s": round(now - self.started, 3),
                "device": f"cuda:{index}",
                "utilization": pynvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100,
                "memory_bytes": int(pynvml.nvmlDeviceGetMemoryInfo(handle).used),
                "power_w": pynvml.nvmlDeviceGetPowerUsage(handle) / 1000,
                "sm_mhz": pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM),
                "memory_mhz": pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_MEM),
                "temperature_c": pynvml.nvmlDeviceGetTemperature(
                    handle, pynvml.NVML_TEMPERATURE_GPU
                ),
                "throttle": pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle),
            }

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
