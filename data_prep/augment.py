"""The augmentations by name, and their NumPy reference that every engine must agree with."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Augmentation:
    """Random crops out of `pad` zero pixels added on each side, and random mirroring if `flip`.

    `resized_crop` takes the crops of `data_prep.crops` instead, of encoded images alone.
    """

    pad: int = 0
    flip: bool = False
    resized_crop: bool = False


AUGMENTATIONS = {
    "none": Augmentation(),
    "crop_flip": Augmentation(pad=4, flip=True),
    "resized_crop_flip": Augmentation(flip=True, resized_crop=True),
}


def augmentation_of(name: str, dataset: str, encoded: bool) -> Augmentation:
    """The augmentation of that name, if records of this form can have it.

    Raises:
        ValueError: it is one of encoded images and these are arrays, or the other way about.
    """
    chosen = AUGMENTATIONS[name]
    if chosen.resized_crop and not encoded:
        raise ValueError(
            f"augmentation {name} is for encoded images and {dataset} has arrays; use crop_flip"
        )
    if chosen.pad and encoded:
        raise ValueError(
            f"augmentation {name} is for arrays and {dataset} has encoded images; use "
            "resized_crop_flip"
        )
    return chosen


def crop_flip_normalise(
    images: np.ndarray,
    offsets: np.ndarray,
    flips: np.ndarray,
    pad: int,
    mean: np.ndarray,
    std: np.ndarray,
) -> np.ndarray:
    """Crop, flip and normalise a batch: uint8 [B, H, W, C] to float32 [B, C, H, W].

    The pixels of `crop_flip` are scaled to [0, 1], and normalised by `mean` and `std` (float32
    [C], of pixels scaled to [0, 1]).

    Raises:
        ValueError: see `crop_flip`.
    """
    pixels = crop_flip(images, offsets, flips, pad).transpose(0, 3, 1, 2)
    normalised = pixels.astype(np.float32, order="C")
    normalised /= np.float32(255)
    normalised -= np.asarray(mean, np.float32)[:, None, None]
    normalised /= np.asarray(std, np.float32)[:, None, None]
    return normalised


def crop_flip(images: np.ndarray, offsets: np.ndarray, flips: np.ndarray, pad: int) -> np.ndarray:
    """Crop and flip a batch: uint8 [B, H, W, C] to the same; it may be a view.

    Each image is padded by `pad` raw zeros, cropped back to H x W at `offsets` (uint8 [B, 2], row
    then column, in [0, 2 * pad]), and mirrored left to right where `flips` (bool [B]) is true.

    Raises:
        ValueError: the images are not uint8, or an offset lies outside the padded image.
    """
    if images.dtype != np.uint8:
        raise ValueError(f"images must be uint8, not {images.dtype}")
    if offsets.size and int(offsets.max()) > 2 * pad:
        raise ValueError(f"crop offset {int(offsets.max())} is past 2 * pad = {2 * pad}")
    pixels = _crop(images, offsets, pad) if pad else images
    if flips.any():
        # np.where rather than assignment: `pixels` may be a view of the caller's images.
        pixels = np.where(flips[:, None, None, None], pixels[:, :, ::-1], pixels)
    return pixels


def _crop(images: np.ndarray, offsets: np.ndarray, pad: int) -> np.ndarray:
    batch, height, width, channels = images.shape
    padded = np.zeros((batch, height + 2 * pad, width + 2 * pad, channels), np.uint8)
    padded[:, pad : pad + height, pad : pad + width] = images
    # A view of every possible crop, [B, rows, columns, C, H, W], of which one per image is copied.
    crops = np.lib.stride_tricks.sliding_window_view(padded, (height, width), axis=(1, 2))
    return crops[np.arange(batch), offsets[:, 0], offsets[:, 1]].transpose(0, 2, 3, 1)
