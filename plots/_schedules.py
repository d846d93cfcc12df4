"""What the schedule of the learning rate means for the epochs to a target."""

import pandas as pd

from bench import planned_end
from plots import _runs


def budget(summary: pd.DataFrame) -> str:
    """How many epochs were planned, and whether the learning rate falls to zero over them.

    Then runs reach a target towards the end of what was planned, whatever their batch.
    """
    runs = _runs.prepare(summary)
    runs = runs[_runs.counts(runs) & runs["target"].notna()]
    ending = planned_end.ending(runs)
    if ending.empty:
        return ""
    kinds, planned = planned_end.words(ending)
    number = "All" if len(ending) == len(runs) else f"{len(ending)} of {len(runs)}"
    return (
        f"{number} runs were planned for {planned} epochs, over which a {kinds} schedule takes the "
        "learning rate to zero: accuracy rises most near their end, so that the epochs to the "
        "target say little about statistical efficiency."
    )
