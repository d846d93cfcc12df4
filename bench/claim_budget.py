"""What the epochs to a target say where the schedule plans the end of training."""

import numpy as np
import pandas as pd

from bench import planned_end


def budget(runs: pd.DataFrame) -> str:
    """Why the epochs that these runs took say little; empty where no schedule ends with them.

    Accuracy rises most near the planned end, so that runs reach a target there, whatever their
    batch; and one that never did so counts by what it trained, the end itself.
    """
    ending = planned_end.ending(runs)
    if ending.empty:
        return ""
    names, end = planned_end.words(ending)
    never = ", and never counts as that" if np.isinf(runs["amount"]).any() else ""
    return f"says little: accuracy rises most near a {names} schedule's end, epoch {end}{never}"
