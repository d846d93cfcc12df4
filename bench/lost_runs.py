"""What a run that left no number counts as, in claims and in figures alike."""

import pandas as pd

from bench import record

# By its own doing: as bad as a run can be.
HOPELESS = (record.DIVERGED, record.OUT_OF_MEMORY)
# Cut short from outside and due again, impossible, or not begun: they say nothing.
SILENT = (record.FAILED, record.NOT_AVAILABLE, record.NOT_RUN)


def with_worst(amounts: pd.Series, statuses: pd.Series, worst: float) -> pd.Series:
    """The amounts of runs, and `worst` for a hopeless one without: 0 or infinite, as it is told."""
    return amounts.mask(amounts.isna() & statuses.isin(HOPELESS), worst)
