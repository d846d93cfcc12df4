"""What networks in torch share; `models._keras_layers` is the same in Keras."""

from torch import Tensor, nn
from torch.nn import functional as F


def conv_norm(inputs: int, outputs: int, kernel: int, stride: int = 1) -> list[nn.Module]:
    """A convolution without bias, and batch norm.

    The weights start He-normal over the fan-out, as in the ResNet authors' training code.
    """
    conv = nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False)
    nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu")
    return [conv, nn.BatchNorm2d(outputs)]


class Residual(nn.Module):
    """ReLU of the sum of two paths; a shortcut without layers is the identity."""

    def __init__(self, main: list[nn.Module], shortcut: list[nn.Module]) -> None:
        super().__init__()
        self.main = nn.Sequential(*main)
        self.shortcut = nn.Sequential(*shortcut)

    def forward(self, x: Tensor) -> Tensor:
        """Both paths start from x."""
        return F.relu(self.main(x) + self.shortcut(x), inplace=True)
