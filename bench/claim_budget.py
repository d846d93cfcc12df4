"""What the epochs to a target say where the schedule plans the end of training."""

import numpy as np
import pandas as pd

# The learning rate falls towards zero at the last epoch, whenever that is planned.
_ENDING = ("cosine", "one-cycle")


def budget(runs: pd.DataFrame) -> str:
    """Why the epochs that these runs took say little; empty where no schedule ends with them.

    Accuracy rises most near the planned end, so that runs reach a target there, whatever their
    batch; and one that never did so counts by what it trained, the end itself.
    """
    kinds = runs["schedule"].str.split("(").str[0]
    ending = runs[kinds.isin(_ENDING)]
    if ending.empty:
        return ""
    planned = sorted(set(pd.to_numeric(ending["epochs"])))
    names = " or ".join(sorted(set(kinds[ending.index])))
    end = " to ".join(f"{epochs:g}" for epochs in dict.fromkeys([planned[0], planned[-1]]))
    never = ", and never counts as that" if np.isinf(runs["amount"]).any() else ""
    return f"says little: accuracy rises most near a {names} schedule's end, epoch {end}{never}"
