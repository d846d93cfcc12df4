"""Which images are held out for the test, where the source has no test split of its own."""

import hashlib

from data_prep.samples import Sample


def hold_out(samples: list[Sample], fraction: float) -> dict[str, list[Sample]]:
    """Both splits of samples: about `fraction` of them are the test, by the hash of their names.

    Which split an image is in doesn't depend on the others, so images added later move none.
    """
    split: dict[str, list[Sample]] = {"train": [], "test": []}
    for sample in samples:
        digest = hashlib.sha256(sample.name.encode("utf-8", "surrogateescape")).digest()
        held = int.from_bytes(digest[:8], "big") < fraction * 2**64
        split["test" if held else "train"].append(sample)
    return split
