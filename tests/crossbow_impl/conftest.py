"""The devices on which the same tests run."""

import pytest
from marks import needs_cuda


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=[pytest.mark.gpu, needs_cuda])])
def device_type(request):
    """Each kind of device."""
    return request.param
