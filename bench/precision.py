"""Numerical precision of torch systems: fp32, tf32, or bf16 as automatic mixed precision."""

import torch
from torch import nn


def use_precision(precision: str, cudnn_benchmark: bool) -> None:
    """Let float32 matrix products and convolutions on tensor cores use TF32, or not.

    With `cudnn_benchmark`, cuDNN times its algorithms of each convolution, alone on the device, and
    takes the fastest; otherwise it has rules.
    """
    tf32 = precision != "fp32"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = cudnn_benchmark


def autocast(precision: str, device: torch.device) -> torch.autocast:
    """A context in which operations run in bf16 where that is safe, if `precision` is bf16."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")


def cast_names(network: nn.Module, precision: str) -> set[str]:
    """The parameters that `autocast` would cast in every forward pass, and back in every backward.

    Who holds them in bf16 beside the fp32 ones spares two kernels for each, at equal numbers.
    """
    if precision != "bf16":
        return set()
    layers = (nn.Linear, nn.modules.conv._ConvNd)
    return {
        f"{prefix}.{name}".removeprefix(".")
        for prefix, module in network.named_modules()
        if isinstance(module, layers)
        for name, _ in module.named_parameters(recurse=False)
    }
