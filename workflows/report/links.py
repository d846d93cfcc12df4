"""Addresses of files as seen from the folder the report lies in."""

import os
from pathlib import Path
from urllib.parse import quote


def link(file: Path, beside: Path) -> str:
    """A relative address, so that the results folder can be moved or served as it is."""
    relative = os.path.relpath(file.resolve(), beside.resolve())
    return quote(Path(relative).as_posix())
