"""Tables to which one visit after the other adds its rows, and a call's machine beside them."""

import argparse
import contextlib
import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import environment, record
from bench.spec import NAME
from benchmarks.inputs import object_of, rows_of
from benchmarks.results import CODE
from workflows.validate import ConfigError

# What all rows of a call share, beside the code and the GPUs.
SHARED = {
    "cpu": "CPU", "cores": "number of cores", "packages": "packages", "device_type": "device type",
}  # fmt: skip


def add_call(parser: argparse.ArgumentParser) -> None:
    """The option `--call`."""
    said = "a name for this visit to the machine"
    parser.add_argument("--call", type=_call_name, required=True, help=said)


def _call_name(text: str) -> str:
    """What `--call` may be, which is part of a file's name.

    Raises:
        argparse.ArgumentTypeError: it is something else; one sentence.
    """
    if not NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} names a file; use letters, digits, ., _ and -")
    return text


def surroundings(
    device_type: str, variables: Mapping[str, str] = os.environ, **more: Any
) -> dict[str, Any]:
    """The machine and the code as they are, and `more`; all rows are of devices of this type."""
    code = environment.code(CODE)
    return environment.environment(variables) | {"code": code, "device_type": device_type} | more


def begin(
    table: Path, columns: Sequence[str], call: str, described: dict[str, Any]
) -> list[dict[str, str]]:
    """The rows of the call so far; its surroundings lie beside the table then.

    Half a row, whose writer was killed in it, is cut off.

    Raises:
        ConfigError: the table has other columns or is damaged, as may be what lies beside it, or
            these rows have other surroundings.
    """
    table.parent.mkdir(parents=True, exist_ok=True)
    if table.exists():
        record.drop_half_row(table)
    rows: list[dict[str, str]] = []
    if table.exists():  # a file of half a line is gone now
        header = table.read_bytes().partition(b"\n")[0].decode(errors="replace")
        if header.rstrip("\r") != ",".join(columns):
            raise ConfigError(
                f"{table} has other columns: move it away, or make them {','.join(columns)}"
            )
        rows = rows_of(table, columns, "move it away", may_be_none=True)
    done = [row for row in rows if row["call"] == call]
    path = table.with_name(f"{table.stem}-{call}.json")
    if done and path.exists():
        described = _joined(path, described)
    record.write_json(path, described)
    return done


@contextlib.contextmanager
def adding(
    table: Path, columns: Sequence[str], call: str
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """A function that adds a row of the call, at once; what a row has besides is left out."""
    with table.open("a", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        if not file.tell():
            writer.writeheader()

        def add(row: dict[str, Any]) -> None:
            writer.writerow(row | {"call": call})
            file.flush()

        yield add


def _joined(path: Path, described: dict[str, Any]) -> dict[str, Any]:
    """What the call's first visit left, and the interpreters of this one.

    Raises:
        ConfigError: it was another machine, or other code or packages.
    """
    before = object_of(path, [], "bring it from where the call began, or give another --call")
    other = _other_gpus(before.get("gpus", []), described["gpus"])
    other += [word for key, word in SHARED.items() if before.get(key) != described[key]]
    was, now = before.get("code", {}), described["code"]
    commits = {was.get("commit", ""), now["commit"]}
    if len(commits) > 1 or "" in commits:
        other.append("commit" + ", or has none: CODE_COMMIT names it" * ("" in commits))
    elif was.get("dirty", False) != now["dirty"]:
        other.append("changes that no commit holds")
    old, new = (each.get("interpreters", {}) for each in (before, described))
    other += [f"packages of {s}" for s in old.keys() & new.keys() if old[s] != new[s]]
    if other:
        raise ConfigError(
            f"{path}: this visit differs from the rows of this call in {', '.join(other)}; "
            "give it a --call of its own"
        )
    return before | ({"interpreters": old | new} if new else {})


def _other_gpus(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[str]:
    """In what the GPUs differ, if they do.

    Which GPU of its kind one was is known where both have a UUID: older calls have none, nor has a
    GPU that did not tell it.
    """
    kinds, others = ([gpu | {"uuid": None} for gpu in gpus] for gpus in (before, now))
    if kinds != others:
        return ["GPUs"]
    uuids = [(was.get("uuid"), gpu.get("uuid")) for was, gpu in zip(before, now, strict=True)]
    moved = any(None not in both and both[0] != both[1] for both in uuids)
    return ["UUIDs of GPUs, which are others of the same kind"] if moved else []
