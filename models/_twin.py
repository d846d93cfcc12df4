"""Whether a Keras model is the torch model's twin: it makes the same logits of the same images.

Initial weights that are zero or one, as in batch norm or a head that starts at zero, hide what is
mixed up about them. Moved from there, they hide what is small beside them. So both are tried.
"""

from collections.abc import Collection, Iterator

import numpy as np

# Of the largest logit. On a CPU the suite's networks, up to ResNet-152 and VGG-19 on images of 224
# pixels, are up to 3.2e-6 apart, 5.7e-6 with Keras's own batch norm; with its epsilon, above 4e-3.
TOLERANCE = 1e-4
# Where the largest logit is smaller, differences come from flushing denormal numbers to zero.
SMALLEST = float(np.finfo(np.float32).tiny) / TOLERANCE


def images(shape: tuple[int, int, int]) -> np.ndarray:
    """Two pseudo-random images [2, height, width, channels], float32."""
    return np.random.default_rng(0).standard_normal((2, *shape), np.float32)


def compared(
    arrays: dict[str, np.ndarray], moved: Collection[str]
) -> Iterator[dict[str, np.ndarray]]:
    """The weights by torch's names, and then those whose names are in `moved` moved.

    A value is moved by 0.1 to 0.5, over the number of those that are summed with it.
    """
    yield arrays
    rng = np.random.default_rng(1)

    def move(array: np.ndarray) -> np.ndarray:
        by = 0.1 + 0.4 * rng.random(array.shape, np.float32)
        return np.asarray(array + by / np.float32(np.prod(array.shape[1:])), array.dtype)

    yield {name: move(array) if name in moved else array for name, array in arrays.items()}


def refuse_apart(origin: str, keras: list[np.ndarray], torch: np.ndarray) -> None:
    """See that the logits [images, classes] of both models, with each of the weights, are the same.

    Raises:
        ValueError: they are further apart than rounding makes them, or of another shape, or nan or
            inf in Keras alone.
    """
    for ours, theirs in zip(keras, torch, strict=True):
        if ours.shape != theirs.shape:
            raise ValueError(
                f"{origin}: keras_model makes {list(ours.shape)} of 2 images, and torch_model "
                f"{list(theirs.shape)}; make the logits of each class in both"
            )
        if not np.isfinite(ours).all():
            raise ValueError(
                f"{origin}: keras_model makes logits of nan or inf, where torch_model makes finite "
                "ones of the same images with the same weights; mend it"
            )
        if (apart := _apart(ours, theirs)) > TOLERANCE:
            raise ValueError(
                f"{origin}: keras_model computes another function than torch_model: of the same "
                f"images, with the same weights, their logits are {apart:.2%} apart; mend it: "
                "often Flatten needs Permute((3, 1, 2)) before it, as torch has channels first, or "
                "batch norm needs torch's epsilon"
            )


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference, in parts of the largest of both."""
    largest = max(float(np.abs(one).max()), float(np.abs(other).max()), SMALLEST)
    return float(np.abs(one - other).max()) / largest
