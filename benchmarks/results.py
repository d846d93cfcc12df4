"""What a benchmark leaves behind: its figures, with the machine and the commit beside them."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import environment, record


def write_result(path: Path, figures: dict[str, Any], code: Sequence[str] = (".",)) -> None:
    """Write JSON; `code` are the files whose change would make the commit say too little."""
    path.parent.mkdir(parents=True, exist_ok=True)
    surroundings = environment.environment(os.environ)
    beside = {"environment": surroundings, "code": environment.code(code)}
    record.write_json(path, figures | beside)


def machine_of(result: dict[str, Any], folder: Path) -> str:
    """Where a run was measured, in a few words; by its folder's name where that is not recorded."""
    if "environment" not in result:
        return folder.resolve().name
    return environment.machine(result["environment"], result["run"]["device_type"])
