"""The state of torch's random numbers on one device, on which dropout draws.

Captured graphs and eager code take their masks from this one generator, in the order in which
Python meets them: learners get masks of their own, and a run can go on exactly where it was.
"""

import numpy as np
import torch


def seed(run_seed: int, rank: int) -> None:
    """Start this rank's generators: equal for equal arguments, unrelated for any others."""
    torch.manual_seed(int(np.random.SeedSequence([run_seed, rank]).generate_state(1)[0]))


def get(device: torch.device) -> torch.Tensor:
    """The generator's state, uint8 on the CPU."""
    return torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.get_rng_state()


def put(state: torch.Tensor, device: torch.device) -> None:
    """Go back to a state that `get` returned."""
    if device.type == "cuda":
        torch.cuda.set_rng_state(state, device)
    else:
        torch.set_rng_state(state)
