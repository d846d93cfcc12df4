"""How the values of a summary are written in the report's table, and words in its sentences."""

import math
from collections.abc import Iterable, Sequence

# By the end of a value's name, the longer ends first.
_UNITS = {"images_per_s": "images/s", "joules_per_image": "J/image"}
_UNITS |= {"time_to_target": "s", "epochs_to_target": "epochs"}
_UNITS |= {"_bytes": "bytes", "_epochs": "epochs", "epochs_run": "epochs", "_s": "s", "_j": "J"}


def amount(value: str) -> str:
    """Four digits; what is no number, as an α of "1/k", as it is."""
    try:
        return f"{float(value):.4g}"
    except ValueError:
        return value


def count(value: str) -> str:
    """A whole number."""
    return f"{float(value):,.0f}"


def seconds(value: str) -> str:
    """Fewer decimals the longer it is."""
    number = float(value)
    return f"{number:,.{0 if number >= 100 else 1 if number >= 10 else 2}f}"


def joules(value: str) -> str:
    """Three digits."""
    return f"{float(value):.3g}"


def gib(value: str) -> str:
    """Bytes as GiB."""
    return f"{float(value) / 2**30:.2f}"


def megabytes(value: str) -> str:
    """Bytes as MB, of three digits."""
    return measured(str(float(value) / 1e6))


def percent(value: str) -> str:
    """A fraction in percent, without needless digits."""
    return f"{100 * float(value):.4g}%"


def accuracy(value: str) -> str:
    """A fraction in percent, as exact as any other."""
    return f"{float(value):.2%}"


def measured(value: str) -> str:
    """Three digits, or all before the point where there are more; infinity as such."""
    number = float(value)
    if math.isinf(number):
        return "∞"
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def gain(value: str) -> str:
    """As `measured`, with one more digit just above 1, where three can't tell a win from none."""
    number = float(value)
    return f"{number:.4g}" if 1 <= number < 1.1 else measured(value)


def unit(value: str) -> str:
    """What follows a claim's value of that name, with a space before it; nothing of a fraction."""
    return next((f" {name}" for end, name in _UNITS.items() if value.endswith(end)), "")


def listed(words: Iterable[str]) -> str:
    """Words in their order, as a sentence has them."""
    return joined(sorted(words))


def joined(words: Sequence[str]) -> str:
    """Words as a sentence has them: "a, b and c"."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
