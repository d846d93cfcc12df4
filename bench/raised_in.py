"""Where a run failed, as far as that is in the files that a user may have written."""

import re
from collections.abc import Collection
from pathlib import Path

from bench.environment import ROOT

TRACEBACK = "Traceback (most recent call last):"
PLACE = re.compile(r'^ *File "(.+)", line (\d+)', re.MULTILINE)


def raised_in(log: str, files: Collection[Path]) -> str | None:
    """File and line in which the last traceback of `log` arose, if it is one of `files`.

    It is also where a package failed that such a file called, but not where the suite's own code
    did, which has its words for that.
    """
    _, found, last = log.rpartition(TRACEBACK)
    places = [(Path(path), line) for path, line in PLACE.findall(last)] if found else []
    ours = [place for place in places if place[0] in files or _is_of_suite(place[0])]
    if not ours or ours[-1][0] not in files:
        return None
    path, line = ours[-1]
    return f"{shown(path)}, line {line}"


def shown(path: Path) -> str:
    """A path as a sentence has it: from the repository on, of what is in it."""
    return str(path.relative_to(ROOT) if _is_of_suite(path) else path)


def _is_of_suite(path: Path) -> bool:
    return path.is_relative_to(ROOT) and "site-packages" not in path.parts
