"""What a GPU answers to NVML, where there is none."""

from types import SimpleNamespace


def gpu(uuid, **answers):
    """A GPU's answers by query; `answers` changes some, and None stands for a query it refuses."""
    known = {
        "UUID": uuid,
        "Name": "NVIDIA H200",
        "UtilizationRates": SimpleNamespace(gpu=50),
        "MemoryInfo": SimpleNamespace(used=2**30, total=2**37),
        "PowerUsage": 700_000,
        "ClockInfo": 1980,
        "MaxClockInfo": 1980,
        "Temperature": 60,
        "CurrentClocksThrottleReasons": 4,
    } | answers
    return {query: answer for query, answer in known.items() if answer is not None}
