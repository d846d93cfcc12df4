"""What a checkpoint of a PyTorch baseline holds, and how it goes back to it."""

import numpy as np
import torch
from torch import Tensor

from bench import random_state


class TrainingState:
    """The state of one rank: its model, what its optimiser keeps, randomness, and extra tensors."""

    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    device: torch.device
    iterations: int

    def state(self) -> dict[str, np.ndarray]:
        """Model and momentum after an epoch."""
        arrays = {name: tensor.cpu().numpy() for name, tensor in self._tensors().items()}
        arrays["iterations"] = np.array(self.iterations)
        return arrays | {"random": random_state.get(self.device).numpy()}

    def load_state(self, state: dict[str, np.ndarray]) -> None:
        """Go back to what `state` returned."""
        for name, tensor in self._tensors().items():
            tensor.copy_(torch.from_numpy(state[name]))
        self.iterations = int(state["iterations"])
        random_state.put(torch.from_numpy(state["random"]), self.device)

    def optimizer_state(self) -> dict[Tensor, dict[str, Tensor]]:
        """What the optimiser keeps on this rank, by parameter: a checkpoint holds it."""
        return self.optimizer.state

    def extra_tensors(self) -> dict[str, Tensor]:
        """What a checkpoint holds beside model and momentum, by name."""
        return {}

    def model_tensors(self) -> dict[str, Tensor]:
        """Weights and buffers of the model, where they are, by name."""
        return {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}

    def _tensors(self) -> dict[str, Tensor]:
        momenta = {
            f"optimizer.{index}.{name}": value
            for index, parameter in enumerate(self.model.parameters())
            for name, value in self.optimizer_state().get(parameter, {}).items()
            if isinstance(value, Tensor)
        }
        return self.model_tensors() | momenta | self.extra_tensors()
