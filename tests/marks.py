"""Why a test is skipped on a machine that lacks what it needs."""

import pytest
import torch

needs_cuda = pytest.mark.skipif(
    not torch.cuda.is_available(),
    reason="no CUDA device on this machine: run `make gpu-test` on one",
)
