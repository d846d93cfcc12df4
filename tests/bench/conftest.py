"""A driver that isn't there: NVML with GPUs that answer what they are told to."""

import pynvml
import pytest
from fake_nvml import gpu


@pytest.fixture
def nvml(monkeypatch):
    """Install a driver with these GPUs."""

    def install(*gpus):
        def asking(query):
            def answer(handle, *_):
                if query not in handle:
                    raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
                return handle[query]

            return answer

        for query in gpu(""):
            monkeypatch.setattr(pynvml, f"nvmlDeviceGet{query}", asking(query))
        monkeypatch.setattr(pynvml, "nvmlInit", lambda: None)
        monkeypatch.setattr(pynvml, "nvmlDeviceGetCount", lambda: len(gpus))
        monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByIndex", lambda place: gpus[place])
        monkeypatch.setattr(pynvml, "nvmlSystemGetDriverVersion", lambda: "580.1")
        monkeypatch.setattr(pynvml, "nvmlSystemGetCudaDriverVersion", lambda: 13000)

    return install
