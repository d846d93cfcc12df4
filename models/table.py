"""`python -m models.table`: write the table of models in docs/models.md anew, from the code."""

import re
import sys
from functools import cache
from pathlib import Path

import models
from models._count import flops, operators, parameters, step_operators

PAGE = Path(__file__).resolve().parent.parent / "docs/models.md"
START = "<!-- table: written by `python -m models.table` -->\n"
END = "<!-- end of table -->"
HEADS = "Model", "Images", "Parameters", "MiB", "Operators", "MFLOPs", "Source", "What differs"


@cache
def rows() -> list[tuple[str, ...]]:
    """A row for each described network and each size of images that it is made for.

    Raises:
        ValueError: a file of models can't be imported.
    """
    if unusable := models.unusable_files():
        raise ValueError(unusable[0])
    found = []
    for name in models.known():
        network = models.load(name)
        for shape, classes in getattr(network, "sizes", ()):
            described = network.layers(shape, classes), (shape[2], *shape[:2])
            count = parameters(*described)
            found.append(
                (
                    f"`{name}`",
                    f"{'x'.join(map(str, shape))}, {classes}",
                    f"{count:,}",
                    f"{count * 4 / 2**20:.2f}",
                    f"{operators(*described)}, {step_operators(*described)}",
                    f"{flops(*described) / 1e6:,.2f}",
                    network.source,
                    network.notes,
                )
            )
    return sorted(found, key=_by_number)


def page(text: str) -> str:
    """The page with the table as the code has it now.

    Raises:
        ValueError: nothing says where the table goes.
    """
    if START not in text or END not in text.partition(START)[2]:
        raise ValueError(
            f"{PAGE}: put the lines {START.strip()!r} and {END!r} where the table goes"
        )
    before, rest = text.split(START, 1)
    lines = [HEADS, ("---",) * 2 + ("--:",) * 4 + ("---",) * 2, *rows()]
    table = "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)
    return f"{before}{START}\n{table}\n\n{END}{rest.split(END)[1]}"


def _by_number(row: tuple[str, ...]) -> list[tuple[int, str]]:
    """`resnet110` comes after `resnet20`."""
    parts = re.split(r"(\d+)", row[0].strip("`"))
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


if __name__ == "__main__":
    try:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    except ValueError as error:
        sys.exit(str(error))
