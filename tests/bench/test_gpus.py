"""Which GPUs a run sees, in its order, is what CUDA_VISIBLE_DEVICES says."""

import pynvml
import pytest
from fake_nvml import gpu

from bench.environment import environment
from bench.gpus import visible

UUIDS = ["GPU-aa11", "GPU-ab22", "GPU-b333"]


@pytest.mark.parametrize(
    ("variables", "seen"),
    [
        ({}, [0, 1, 2]),
        ({"CUDA_VISIBLE_DEVICES": "2,0"}, [2, 0]),
        ({"CUDA_VISIBLE_DEVICES": " 1 , 2"}, [1, 2]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-b333,GPU-aa11"}, [2, 0]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-b,1"}, [2, 1]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-a"}, []),  # of two
        ({"CUDA_VISIBLE_DEVICES": "0,3,1"}, [0]),  # CUDA reads no further
        ({"CUDA_VISIBLE_DEVICES": "1,-1,2"}, [1]),
        ({"CUDA_VISIBLE_DEVICES": ""}, []),
    ],
)
def test_the_gpus_of_a_run_are_those_that_cuda_shows_it(nvml, variables, seen):
    nvml(*(gpu(uuid) for uuid in UUIDS))
    assert [handle["UUID"] for handle in visible(variables)] == [UUIDS[i] for i in seen]


def test_without_a_driver_there_is_no_gpu(monkeypatch):
    def fail():
        raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)

    monkeypatch.setattr(pynvml, "nvmlInit", fail)
    assert visible({}) == []
    assert environment({})["gpus"] == []


def test_the_environment_has_the_gpus_that_the_run_sees_as_far_as_they_answer(nvml):
    nvml(gpu("GPU-a", Name="one"), gpu("GPU-b", Name="other", MaxClockInfo=None))
    (known,) = environment({"CUDA_VISIBLE_DEVICES": "1"})["gpus"]
    assert (known["name"], known["memory_bytes"], known["driver"]) == ("other", 2**37, "580.1")
    assert known["max_sm_mhz"] is None and known["uuid"] == "GPU-b"


def test_a_gpu_that_does_not_tell_its_uuid_has_none(nvml):
    nvml(gpu(None))
    (known,) = environment({})["gpus"]
    assert known["uuid"] is None and known["name"] == "NVIDIA H200"


def test_a_slice_of_a_gpu_is_known_by_its_own_uuid(nvml, monkeypatch):
    nvml(gpu("GPU-a"))
    slices = {f"MIG-{n}": gpu(f"MIG-{n}", Name="NVIDIA H200 MIG 1g.18gb") for n in (1, 2)}
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", slices.get)
    (known,) = environment({"CUDA_VISIBLE_DEVICES": "MIG-2"})["gpus"]
    assert (known["uuid"], known["name"]) == ("MIG-2", "NVIDIA H200 MIG 1g.18gb")
