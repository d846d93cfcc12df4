"""What a benchmark leaves behind: its figures, with the machine and the commit beside them."""

import argparse
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from bench import environment, record
from benchmarks.inputs import BRING, object_of

# What earlier benchmarks left in the repository changes no code.
CODE = (".", ":(exclude)results")


def write_result(path: Path, figures: dict[str, Any], code: Sequence[str] = CODE) -> None:
    """Write JSON; `code` are the files whose change would make the commit say too little."""
    path.parent.mkdir(parents=True, exist_ok=True)
    surroundings = environment.environment(os.environ)
    beside = {"environment": surroundings, "code": environment.code(code)}
    record.write_json(path, figures | beside)


def folder(text: str) -> Path:
    """What `--out` may be: a folder to write to, or one that can be made; neither is left changed.

    Raises:
        argparse.ArgumentTypeError: it is a file or below one, or can't be made or written to; one
            sentence.
    """
    path = Path(text)
    for above in (path, *path.parents):
        if os.path.lexists(above) and not above.is_dir():
            what = "a file" if above.exists() else "a link to nothing"
            raise argparse.ArgumentTypeError(f"{above} is {what}; name a folder")
    missing = [above for above in (path, *path.parents) if not os.path.lexists(above)]
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path}: {error.strerror}; name another folder") from None
    finally:
        for made in missing:
            with suppress(OSError):
                made.rmdir()
    return path


class Source(NamedTuple):
    """What figures were measured with: the machine in a few words, and the code."""

    machine: str
    commit: str  # empty where it was not recorded
    is_changed: bool  # the code is that of no commit


def source_of(path: Path) -> Source:
    """What a result has beside its figures, or a call beside its table; PATH is the JSON.

    Where the machine is not recorded, or nothing is, it is called as the folder.

    Raises:
        workflows.validate.ConfigError: the file is damaged; one sentence.
    """
    made = object_of(path, [], BRING) if path.exists() else {}
    surroundings, code = made.get("environment", made), made.get("code", {})
    machine = path.parent.resolve().name
    if "gpus" in surroundings:
        device_type = made.get("run", made).get("device_type", "cuda")
        machine = environment.machine(surroundings, device_type)
    return Source(machine, code.get("commit", ""), code.get("dirty", False))
