"""What a run asks of the scheduler of a cluster, in the names of Snakemake's executor plugins."""

from collections.abc import Iterable

from bench.nodes import cpus_per_node
from bench.spec import RunSpec
from workflows.validate import ConfigError


def threads(spec: RunSpec, whole_machine: int | None) -> int:
    """Cores of each node of a run: all where it trains on this machine, for it is timed there."""
    return whole_machine or cpus_per_node(spec)


def request(spec: RunSpec) -> dict[str, int | str]:
    """The resources of a run beside cores, memory and time; those left out are not asked for.

    On several nodes Slurm is to leave it to the run to start its tasks, one on each node, which the
    plugin calls an MPI job, and to give every node its share of GPUs.
    """
    gpus = spec.devices if spec.device_type == "cuda" else 0
    if spec.nodes == 1:
        return {"gpu": gpus} if gpus else {}
    several: dict[str, int | str] = {"nodes": spec.nodes, "tasks": spec.nodes, "mpi": "srun"}
    if gpus:
        several |= {"gres": f"gpu:{spec.devices_per_node}", "tasks_per_gpu": 0}
    return several


def refuse_nodes(specs: Iterable[RunSpec], executor: str) -> None:
    """Refuse, by a ConfigError, runs on several nodes where a job is one machine."""
    several = next((spec for spec in specs if spec.nodes > 1), None)
    if several and executor != "slurm":
        raise ConfigError(
            f"nodes: {several.id} needs {several.nodes} nodes, and a job of the executor "
            f"{executor} is on one; use Slurm, or nodes: 1"
        )
