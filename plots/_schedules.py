"""What the schedule of the learning rate means for the epochs to a target."""

import pandas as pd

from plots import _runs

# They fall towards zero at the last epoch, whenever that is planned.
_ENDING = ("cosine", "one-cycle")


def budget(summary: pd.DataFrame) -> str:
    """How many epochs were planned, and whether the learning rate falls to zero over them.

    Then runs reach a target towards the end of what was planned, whatever their batch.
    """
    runs = _runs.prepare(summary)
    runs = runs[_runs.counts(runs) & runs["target"].notna()]
    ending = runs[runs["schedule"].str.split("(").str[0].isin(_ENDING)]
    if ending.empty:
        return ""
    kinds = " or ".join(sorted(set(ending["schedule"].str.split("(").str[0])))
    few, many = ending["epochs"].min(), ending["epochs"].max()
    planned = f"{few:g}" if few == many else f"{few:g} to {many:g}"
    number = "All" if len(ending) == len(runs) else f"{len(ending)} of {len(runs)}"
    return (
        f"{number} runs were planned for {planned} epochs, over which a {kinds} schedule takes the "
        "learning rate to zero: accuracy rises most near their end, so that the epochs to the "
        "target say little about statistical efficiency."
    )
