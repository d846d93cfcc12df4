"""The devices on which the same tests run."""

import pytest


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device_type(request):
    """Each kind of device; CUDA is skipped where there is none."""
    import torch

    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device on this machine: run `make gpu-test` on one")
    return request.param
