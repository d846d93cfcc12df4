"""The unit that a column is told in, on axes, beside rows and at the pointer alike."""

import pandas as pd

_PER_JOULE = {"k": 1e-3, "": 1.0, "m": 1e3}  # by prefix, the largest unit first

# By the end of the column's name.
_UNITS = {
    "images_per_s": "images/s",
    "epochs_run": "epochs",
    "epochs": "epochs",
    "speed_up": "times one device",
    "gib": "GiB",
    "_mb": "MB",
    "s": "s",
}
_UNITS |= {f"image_{prefix}j": f"{prefix}J per image" for prefix in _PER_JOULE}
_UNITS |= {f"_{prefix}j": f"{prefix}J" for prefix in _PER_JOULE}


def of(column: str) -> str:
    """The unit of a column, empty where it has none."""
    return next((unit for end, unit in _UNITS.items() if column.endswith(end)), "")


def prefix(joules: pd.Series) -> tuple[str, float]:
    """The prefix that suits the median of these energies in J, and how many of its unit a J is."""
    middle = joules.median()
    suiting = (one for one in _PER_JOULE.items() if middle * one[1] >= 1)
    return next(suiting, ("m", _PER_JOULE["m"]))
