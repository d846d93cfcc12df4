"""Pickles of arrays, lists, dicts and bytes, read without giving them a chance to run code."""

import io
import pickle
from typing import Any

import numpy as np

from data_prep.manifest import RecordsError


def _latin1(text: str, encoding: str) -> bytes:
    """How Python 3 writes bytes in the old protocols; any other codec is none of its business."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"codec {encoding}")
    return text.encode("latin1")


_reconstruct = np.empty(0).__reduce__()[0]

_ALLOWED = {
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("_codecs", "encode"): _latin1,
}


class _ArraysOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which data never needs")
        return _ALLOWED[module, name]


def load_arrays(data: bytes, where: str) -> Any:
    """Unpickle; strings of Python 2 come back as bytes. `where` names the file in errors.

    Raises:
        RecordsError: the pickle is damaged, or asks for anything but arrays.
    """
    try:
        return _ArraysOnly(io.BytesIO(data), encoding="bytes").load()
    except Exception as error:  # Bytes gone wrong can raise anything at all in an unpickler.
        raise RecordsError(
            f"{where}: refused as a pickle ({error}); fetch the file again from its publisher"
        ) from None
