"""One run over several nodes: torchrun's agent on each of them, which meet by its c10d rendezvous.

Something has to start the agents: Slurm's srun within an allocation, or what `CROSSBOW_NODES` says,
the words of a command that runs another one once on each node. For a rehearsal on one machine,
`CROSSBOW_NODES="python -m bench.nodes 2"` runs it twice here.
"""

import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Mapping

from bench import lifeline, stop
from bench.spec import RunSpec

STARTER = "CROSSBOW_NODES"
ALLOCATION = "SLURM_JOB_ID"
CPUS_PER_GPU = 8  # to read and augment its images
POLL_S = 0.1
EPOCH_S = 3600  # how long ranks that were asked to stop may take to the end of an epoch


class NoNodes(ValueError):
    """Nothing here can start a run on several nodes; one sentence."""


def cpus_per_node(spec: RunSpec) -> int:
    """How many cores a run needs on each of its nodes; a CPU device is one thread."""
    return spec.devices_per_node * (CPUS_PER_GPU if spec.device_type == "cuda" else 1)


def starter(spec: RunSpec, variables: Mapping[str, str] = os.environ) -> list[str]:
    """The words before a command that run it once on each node of `spec`.

    Raises:
        NoNodes: neither Slurm nor `CROSSBOW_NODES` is there to do it.
    """
    if STARTER in variables:
        return shlex.split(variables[STARTER])
    if ALLOCATION not in variables:
        raise NoNodes(
            f"nodes: {spec.id} needs {spec.nodes} nodes; submit it to Slurm by --workflow-profile "
            f"workflows/profiles/slurm, or have in {STARTER} the words of a command that starts "
            "another on each node"
        )
    words = ["srun", f"--nodes={spec.nodes}", f"--ntasks={spec.nodes}", "--ntasks-per-node=1"]
    # An agent ends when the others do; one that ends first because it was asked to kills no other.
    words += ["--kill-on-bad-exit=0", f"--cpus-per-task={cpus_per_node(spec)}", "--cpu-bind=none"]
    if spec.device_type == "cuda":
        words.append(f"--gres=gpu:{spec.devices_per_node}")
    return words


def command(
    spec: RunSpec, python: str, module: list[str], variables: Mapping[str, str]
) -> list[str]:
    """The command of a run: `module` with its arguments, on several nodes once for every device.

    The rendezvous is on this machine. A rank that fails ends the run: its checkpoint, not torchrun,
    starts it again.

    Raises:
        NoNodes: see `starter`.
    """
    if spec.nodes == 1:
        return [python, "-m", *module]
    with socket.create_server(("", 0)) as free:
        port = free.getsockname()[1]
    agent = [python, "-m", "bench.agent", "--max-restarts=0"]
    agent += [f"--shutdown-timeout={EPOCH_S}"]
    agent += [f"--nnodes={spec.nodes}", f"--nproc-per-node={spec.devices_per_node}"]
    agent += ["--rdzv-backend=c10d", f"--rdzv-endpoint={socket.gethostname()}:{port}"]
    agent += [f"--rdzv-id={spec.id}", "-m"]
    return [*starter(spec, variables), *agent, *module]


def run_here(count: int, words: list[str]) -> int:
    """Run a command `count` times at once; SIGTERM, or one that fails, has all of them terminated.

    Returns the first exit code that is not 0.
    """
    agents = [subprocess.Popen(words) for _ in range(count)]
    stop.listen(lambda: agents)
    while None in (codes := [agent.poll() for agent in agents]) and not any(codes):
        time.sleep(POLL_S)
    for agent in agents:
        agent.terminate()
    codes += [agent.wait() for agent in agents]
    return next((code for code in codes if code), 0)


def main() -> None:
    """`python -m bench.nodes COUNT COMMAND...`."""
    if len(sys.argv) < 3 or not sys.argv[1].isdecimal():
        sys.exit("usage: python -m bench.nodes COUNT COMMAND...")
    lifeline.follow_launcher()
    sys.exit(run_here(int(sys.argv[1]), sys.argv[2:]))


if __name__ == "__main__":
    main()
