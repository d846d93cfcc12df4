"""What a run asks of a scheduler, as the plugins read it."""

import dataclasses

import pytest
import yaml
from snakemake_executor_plugin_slurm.submit_string import get_submit_command
from snakemake_executor_plugin_slurm.utils import set_gres_string
from suite import REPOSITORY

from workflows import cluster
from workflows.validate import ConfigError

PROFILES = REPOSITORY / "workflows/profiles"


class Resources(dict):
    """A job's resources, which plugins read by key and by name."""

    __getattr__ = dict.__getitem__


@dataclasses.dataclass
class Job:
    """As much of Snakemake's job as the Slurm plugin takes."""

    resources: Resources
    threads: int


def sbatch(run):
    """The words of the command that submits a run, without what every job has."""
    job = Job(Resources(cluster.request(run)), cluster.threads(run, None))
    same = dict.fromkeys(("run_uuid", "slurm_logfile", "comment_str", "account", "partition"), "x")
    command = get_submit_command(job, same | {"workdir": None}) + set_gres_string(job)
    return {word for word in command.split() if word.startswith("--n") or "=" in word}


@pytest.mark.parametrize(
    ("how", "asked"),
    [
        ({}, {"--ntasks=1", "--cpus-per-task=1"}),
        ({"devices": 2}, {"--ntasks=1", "--cpus-per-task=2"}),
        ({"devices": 2, "device_type": "cuda"}, {"--gpus=2", "--cpus-per-task=16"}),
        ({"devices": 4, "nodes": 2}, {"--nodes=2", "--ntasks=2", "--cpus-per-task=2"}),
        (
            {"devices": 4, "nodes": 2, "device_type": "cuda"},
            {"--nodes=2", "--ntasks=2", "--cpus-per-task=16", "--gres=gpu:2"},
        ),
    ],
)
def test_slurm_is_asked_for_devices_and_nodes(spec, how, asked):
    assert sbatch(spec(**how)) == asked | {"--export=ALL"}


def test_a_run_on_this_machine_has_all_of_it(spec):
    assert cluster.threads(spec(devices=2), 64) == 64
    assert cluster.request(spec(devices=2)) == {}


def test_several_nodes_are_refused_where_a_job_is_one_machine(spec):
    runs = [spec(), spec(devices=2, nodes=2)]
    cluster.refuse_nodes(runs, "slurm")
    cluster.refuse_nodes(runs[:1], "kubernetes-volume")
    with pytest.raises(ConfigError, match=r"2 nodes, .* executor kubernetes-volume is on one"):
        cluster.refuse_nodes(runs, "kubernetes-volume")


@pytest.mark.parametrize("name", ["slurm", "kubernetes"])
def test_a_profile_for_a_cluster_has_the_lines_of_the_default_one(name):
    default, own = (
        yaml.safe_load((PROFILES / folder / "config.yaml").read_text())
        for folder in ("default", name)
    )
    default.pop("cores")  # Snakemake would hold the jobs of a cluster to this machine's
    assert "cores" not in own
    assert {key: own.get(key) for key in default} == default | {"retries": own["retries"]}
    assert own["retries"] > default["retries"]
