"""Numerical precision of torch systems: fp32, tf32, or bf16 as automatic mixed precision."""

import torch


def use_precision(precision: str) -> None:
    """Let float32 matrix products and convolutions on tensor cores use TF32, or not."""
    tf32 = precision != "fp32"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True  # shapes never change in a run


def autocast(precision: str, device: torch.device) -> torch.autocast:
    """A context in which operations run in bf16 where that is safe, if `precision` is bf16."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")
