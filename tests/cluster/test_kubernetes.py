"""The pipeline through Snakemake's Kubernetes plugin, without a Kubernetes: its API is a fake."""

import os
import sys
from pathlib import Path

import pytest
from cluster.fake_kubernetes import FakeKubernetes
from suite import REPOSITORY, status

FOLDER = "workflows/profiles/kubernetes"


@pytest.fixture
def kubernetes(tmp_path):
    fake = FakeKubernetes(tmp_path)
    yield fake
    fake.close()


def test_a_run_trains_in_a_pod_and_one_on_gpus_asks_for_them(kubernetes, cluster_suite):
    suite = cluster_suite
    config = suite.config(
        "pods",
        {"system": "pytorch", "model": "logistic", "devices": 2},
        {"system": "pytorch", "device_type": "cuda", "devices": 2},
    )
    on_cpus, on_gpus = sorted(suite.runs(config), key=lambda run: "cuda" in run)
    results = suite.results(config).relative_to(suite.folder)
    targets = [f"{results}/runs/{run}/status.json" for run in (on_cpus, on_gpus)]
    command = [sys.executable, "-m", "snakemake", "--workflow-profile", FOLDER]
    command += ["--retries=0", "--latency-wait=20"]
    command += ["--seconds-between-status-checks=1", *targets, "--configfile", config]
    variables = {
        "PYTHONPATH": FOLDER,
        "KUBECONFIG": str(kubernetes.kubeconfig()),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    with suite.started(list(map(str, command)), **variables) as snakemake:
        assert snakemake.wait() != 0  # there are no GPUs
    assert status(suite.results(config), on_cpus)["status"] == "finished"
    cpu, gpu = (kubernetes.pod_of(run) for run in (on_cpus, on_gpus))
    alike = {"ephemeral-storage": "10000M"}
    assert cpu["resources"]["limits"] == alike | {"cpu": "2000m", "memory": "8192M"}
    asked = alike | {"memory": "65536M", "nvidia.com/gpu": "2"}
    assert gpu["resources"]["limits"] == asked | {"cpu": "16000m"}
    assert gpu["resources"]["requests"] == asked | {"cpu": "15200m"}
    assert gpu["image"] == "crossbow:latest"
    assert {"name": "crossbow", "mountPath": "/crossbow"} in gpu["volumeMounts"]


def test_the_image_has_the_packages_of_the_lock():
    recipe = (REPOSITORY / FOLDER / "Dockerfile").read_text()
    assert "COPY requirements.lock" in recipe and "-r requirements.lock" in recipe
