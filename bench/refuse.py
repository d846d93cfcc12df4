"""How a command refuses."""

import sys


def refuse(sentence: str) -> int:
    """Says why on standard error; returns the status that the command exits with."""
    print(sentence, file=sys.stderr)
    return 1
