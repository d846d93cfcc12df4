"""Why a test is skipped on a machine that lacks what it needs, and how many GPUs others take."""

import pytest
import torch

needs_cuda = pytest.mark.skipif(
    not torch.cuda.is_available(),
    reason="no CUDA device on this machine: run `make gpu-test` on one",
)
# Of a method for several devices: two, or the one that is there.
GPUS = min(2, max(1, torch.cuda.device_count()))
ON_CPUS_AND_GPUS = [
    pytest.param({"devices": 2}, id="cpus"),
    pytest.param(
        {"device_type": "cuda", "devices": GPUS}, id="gpus", marks=[pytest.mark.gpu, needs_cuda]
    ),
]
