"""Synchronous SGD in PyTorch: from the plain eager loop to one compiled, captured step.

DistributedDataParallel over devices: every device's batch, one mean gradient, one model.
"""

from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread


class PyTorchSSGD(TorchTraining):
    """One rank of S-SGD, as `TorchTraining` has it."""


if __name__ == "__main__":
    runner.main(PyTorchSSGD, spread)
