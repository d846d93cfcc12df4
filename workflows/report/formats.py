"""How the values of a summary are written in the report's table."""

import math


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
