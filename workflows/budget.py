"""What `--budget` of a command may be."""

import argparse
import math


def seconds(text: str) -> float:
    """More than 0 seconds; `inf` is no end.

    Raises:
        argparse.ArgumentTypeError: it is something else; one sentence.
    """
    try:
        budget = float(text)
    except ValueError:
        budget = math.nan
    if not budget > 0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of seconds above 0; leave it out for no end"
        )
    return budget
