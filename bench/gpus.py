"""The GPUs that a process sees, through NVML, in the order in which CUDA numbers them."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import pynvml

VISIBLE = "CUDA_VISIBLE_DEVICES"


def ask(query: Callable[..., Any], *arguments: Any) -> Any:
    """What NVML answers; None where it can't (not every card answers every question)."""
    try:
        return query(*arguments)
    except pynvml.NVMLError:
        return None


def visible(variables: Mapping[str, str] = os.environ) -> list[Any]:
    """NVML's handles of the GPUs that a process with `variables` calls cuda:0, cuda:1 and so on.

    All without `CUDA_VISIBLE_DEVICES`; with it the indices or UUIDs that it lists, up to the first
    that names none, as CUDA reads it. None without a driver. CUDA must number them by their PCI
    bus, as NVML does: a run's launcher sees to it.
    """
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return []
    count = ask(pynvml.nvmlDeviceGetCount) or 0
    handles = [ask(pynvml.nvmlDeviceGetHandleByIndex, index) for index in range(count)]
    if VISIBLE not in variables:
        return [handle for handle in handles if handle is not None]
    chosen = []
    for name in variables[VISIBLE].split(","):
        handle = _find(name.strip(), handles)
        if handle is None:
            break
        chosen.append(handle)
    return chosen


def _find(name: str, handles: list[Any]) -> Any:
    """The GPU with this index or UUID, of which CUDA takes the first letters too."""
    if name.isdecimal():
        return handles[int(name)] if int(name) < len(handles) else None
    if name.startswith("MIG-"):
        return ask(pynvml.nvmlDeviceGetHandleByUUID, name)
    known = [handle for handle in handles if handle is not None and name.startswith("GPU-")]
    alike = [h for h in known if (ask(pynvml.nvmlDeviceGetUUID, h) or "").startswith(name)]
    return alike[0] if len(alike) == 1 else None
