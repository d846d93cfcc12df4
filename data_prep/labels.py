"""Labels on their way into records."""

from collections.abc import Sequence

import numpy as np

from data_prep.manifest import RecordsError


def checked_labels(labels: np.ndarray | Sequence[int], classes: int, where: str) -> np.ndarray:
    """Labels as int64 [N], all in [0, classes). `where` names the file in errors.

    Raises:
        RecordsError: they aren't whole numbers in one row, or one is out of range.
    """
    array = np.asarray(labels)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise RecordsError(f"{where}: labels are not a row of whole numbers; fetch the file again")
    bad = np.flatnonzero((array < 0) | (array >= classes))
    if bad.size:
        raise RecordsError(
            f"{where}: label {array[bad[0]]} of sample {bad[0]} is not in 0 to {classes - 1}; "
            "fetch the file again"
        )
    return array.astype(np.int64)
