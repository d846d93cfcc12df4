"""How a command refuses."""

import sys
from pathlib import Path

from bench.whole_file import whole_file


def refuse(sentence: str) -> int:
    """Says why on standard error; returns the status that the command exits with."""
    print(sentence, file=sys.stderr)
    return 1


def write_or_refuse(out: Path, content: bytes) -> int:
    """Writes what a command's `--out` names, whole; returns the status that it exits with."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(out) as file:
            file.write(content)
    except OSError as error:
        return refuse(f"{out}: {error.strerror}; give --out a file that can be written.")
    return 0
