"""A network that is described once and built in torch and in Keras."""

from collections.abc import Callable
from dataclasses import dataclass

from models._layers import Layer, Shape, through

Images = tuple[int, int, int]  # height, width, channels


@dataclass(frozen=True)
class Network:
    """What a model file lists in `NETWORKS`.

    `layers(shape, classes)` describes the network for images of a shape; it takes sides from
    `smallest` to `largest` pixels, and is refused with the advice `instead` on others. `sizes` are
    the images and classes that its source trains on; `source` and `notes`, what differs from the
    source and from torchvision or keras.applications, are for the table of models.
    """

    name: str
    layers: Callable[[Images, int], list[Layer]]
    source: str = ""
    sizes: tuple[tuple[Images, int], ...] = ()
    notes: str = ""
    smallest: int = 1
    largest: int | None = None
    instead: str = ""

    def torch_model(self, shape: Images, classes: int):
        """The network as a torch module on NCHW images."""
        from models._torch_layers import build

        self.check_shape(shape)
        return build(self.layers(shape, classes), (shape[2], *shape[:2]))

    def keras_model(self, shape: Images, classes: int):
        """The network as a Keras model on NHWC images."""
        from models._keras_layers import build

        self.check_shape(shape)
        return build(self.layers(shape, classes), (shape[2], *shape[:2]))

    def out(self, shape: Images, classes: int) -> Shape:
        """What the layers make of one image: a ValueError where they do not fit together."""
        return through(self.layers(shape, classes), (shape[2], *shape[:2]))

    def check_shape(self, shape: Images) -> None:
        """Refuse images that the network can't take with a ValueError."""
        height, width = shape[:2]
        if min(height, width) < self.smallest:
            limit = f"needs at least {self.smallest}"
        elif self.largest and max(height, width) > self.largest:
            limit = f"takes up to {self.largest}"
        else:
            return
        raise ValueError(
            f"{self.name} {limit} pixels a side, these are {height}x{width}: use {self.instead}"
        )
