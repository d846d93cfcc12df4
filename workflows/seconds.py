"""What an option may be that is a number of seconds, such as `--budget` or `--stretch`."""

import argparse
import math


def seconds(text: str) -> float:
    """A number of seconds that is above 0 and has an end.

    Raises:
        argparse.ArgumentTypeError: it is something else; one sentence.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of seconds above 0; leave it out, or give one"
        )
    return number
