"""Whether a Keras model is the torch model's twin: it makes the same logits of the same images.

Initial weights that are zero or one, as in batch norm or a head that starts at zero, hide what is
mixed up about them. Moved from there, they hide what is small beside them. So both are tried.
"""

from collections.abc import Iterator

import numpy as np

# Of the largest logit. On a CPU the suite's networks, up to ResNet-152 and VGG-19 on images of 224
# pixels, are up to 3.2e-6 apart, 5.7e-6 with Keras's own batch norm; with its epsilon, above 4e-3.
TOLERANCE = 1e-4


def images(shape: tuple[int, int, int]) -> np.ndarray:
    """Two pseudo-random images [2, height, width, channels], float32."""
    return np.random.default_rng(0).standard_normal((2, *shape), np.float32)


def compared(arrays: dict[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
    """The weights by torch's names, and then all but counters and indices moved.

    A value is moved by 0.1 to 0.5, over the number of those that are summed with it.
    """
    yield arrays
    rng = np.random.default_rng(1)

    def moved(array: np.ndarray) -> np.ndarray:
        if not np.issubdtype(array.dtype, np.floating):
            return array
        by = 0.1 + 0.4 * rng.random(array.shape, np.float32)
        return np.asarray(array + by / np.float32(np.prod(array.shape[1:])), array.dtype)

    yield {name: moved(array) for name, array in arrays.items()}


def refuse_apart(origin: str, keras: list[np.ndarray], torch: np.ndarray) -> None:
    """See that the logits [images, classes] of both models, with each of the weights, are the same.

    Raises:
        ValueError: they are further apart than rounding makes them.
    """
    apart = max(_apart(*pair) for pair in zip(keras, torch, strict=True))
    if apart > TOLERANCE:
        raise ValueError(
            f"{origin}: keras_model computes another function than torch_model, with the same "
            f"weights and images their logits are {apart:.2%} apart; mend it: often Flatten needs "
            "Permute((3, 1, 2)) before it, as torch has channels first, or batch norm needs "
            "torch's epsilon"
        )


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference, in parts of the largest of the `other`."""
    if one.shape != other.shape or not np.isfinite(one).all():
        return float("inf")
    difference = float(np.abs(one - other).max())
    return difference / float(np.abs(other).max() or 1e-30)
