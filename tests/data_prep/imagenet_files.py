"""A tiny ImageNet in every form in which it is had: the same images each time."""

import io
from pathlib import Path

import numpy as np
from image_files import encoded, tar_of, write_files
from scipy.io import savemat

WNIDS = ("n01440764", "n02084071", "n03791053")
VAL = (2, 0, 1, 1)  # the class of each validation image


def train_images() -> dict[str, dict[str, bytes]]:
    return {
        wnid: {f"{wnid}_{n}.JPEG": encoded(seed=10 * label + n) for n in (1, 10, 2)}
        for label, wnid in enumerate(WNIDS)
    }


def val_images() -> dict[str, bytes]:
    return {f"ILSVRC2012_val_{n + 1:08}.JPEG": encoded(seed=100 + n) for n in range(len(VAL))}


def devkit() -> dict[str, bytes]:
    """Its numbers of the classes are in another order than the names of the classes."""
    numbers = {wnid: number + 1 for number, wnid in enumerate(reversed(WNIDS))}
    row = [("ILSVRC2012_ID", "O"), ("WNID", "O"), ("words", "O"), ("num_children", "O")]
    rows = [(number, wnid, "some words", 0) for wnid, number in numbers.items()]
    rows.append((1001, "n00001740", "entity", 2))
    meta = io.BytesIO()
    savemat(meta, {"synsets": np.array(rows, row).reshape(-1, 1)})
    truth = "".join(f"{numbers[WNIDS[label]]}\n" for label in VAL)
    return {
        "ILSVRC2012_devkit_t12/data/meta.mat": meta.getvalue(),
        "ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt": truth.encode(),
    }


def labels_file() -> dict[str, bytes]:
    name = "imagenet_2012_validation_synset_labels.txt"
    return {name: "".join(f"{WNIDS[label]}\n" for label in VAL).encode()}


def tars(folder: Path) -> Path:
    # As published: neither classes nor images in any order.
    inner = [(f"{wnid}.tar", tar_of(list(of.items()))) for wnid, of in train_images().items()]
    return write_files(
        folder,
        {
            "ILSVRC2012_img_train.tar": tar_of(inner[::-1]),
            "ILSVRC2012_img_val.tar": tar_of(list(val_images().items())[::-1]),
        }
        | devkit(),
    )


def flat(folder: Path) -> Path:
    train = {
        f"train/{wnid}/{name}": data
        for wnid, of in train_images().items()
        for name, data in of.items()
    }
    val = {f"val/{name}": data for name, data in val_images().items()}
    return write_files(folder, train | val | labels_file())


def by_class(folder: Path) -> Path:
    flat(folder)
    for (name, data), label in zip(val_images().items(), VAL, strict=True):
        write_files(folder, {f"val/{WNIDS[label]}/{name}": data})
        (folder / "val" / name).unlink()
    return folder


def examples(split: str) -> list[dict]:
    """What the TensorFlow conversion says of each image of a split."""
    if split == "validation":
        rows = [(n, d, label) for (n, d), label in zip(val_images().items(), VAL, strict=True)]
    else:
        rows = [
            (name, data, label)
            for label, of in enumerate(train_images().values())
            for name, data in sorted(of.items())
        ]
    return [
        {
            "image/encoded": data,
            "image/class/label": label + 1,
            "image/class/synset": WNIDS[label].encode(),
            "image/filename": name.encode(),
            "image/height": 40,
            "image/object/bbox/xmin": [0.5, 0.25],
            "image/object/bbox/label": [label + 1, label + 1],
            "image/colorspace": b"RGB",
        }
        for name, data, label in rows
    ]
