"""The unit that a column is told in, on axes, beside rows and at the pointer alike."""

# By the end of the column's name: the unit, and how many of it a 1 of the column is.
_UNITS = {
    "images_per_s": ("images/s", 1.0),
    "joules_per_image": ("mJ per image", 1e3),
    "epochs_run": ("epochs", 1.0),
    "epochs": ("epochs", 1.0),
    "speed_up": ("times one device", 1.0),
    "gib": ("GiB", 1.0),
    "_mb": ("MB", 1.0),
    "_j": ("kJ", 1e-3),
    "s": ("s", 1.0),
}


def of(column: str) -> tuple[str, float]:
    """The unit of a column, empty where it has none, and how many of it a 1 of the column is."""
    return next((told for end, told in _UNITS.items() if column.endswith(end)), ("", 1.0))
