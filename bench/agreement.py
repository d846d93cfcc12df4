"""What ranks of one run agree on."""

import torch
import torch.distributed as dist


def from_rank_0(value: float, device: torch.device) -> float:
    """Rank 0's `value` on every rank; none has it before all have asked.

    A sum, as a broadcast lets rank 0 go on before the others have come.
    """
    said = value if dist.get_rank() == 0 else 0.0
    shared = torch.tensor([said], dtype=torch.float64, device=device)
    dist.all_reduce(shared)
    return float(shared.item())
