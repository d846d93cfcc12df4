"""Figures, captions and claims follow from the joined tables: all are made again and compared."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import plots
from bench.environment import ROOT
from bench.verify.mismatch import Mismatch, Trail, compare_tables, read_text

TABLES = ("summary", "epochs", "autotune")
_COMPARED = (".csv", ".txt", ".svg")


def check_claims(results: Path, trail: Trail) -> None:
    """Judge the claims again.

    Raises:
        Mismatch: claims.csv has something else.
    """
    path = results / "claims.csv"
    if not path.exists():
        trail.lost.append("claims.csv is not there")
        return
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder, path.name)
        claims = ["--claims", str(ROOT / "bench/claims.yaml"), "--out", str(again)]
        _run("bench.claims", [str(results.resolve() / "summary.csv"), *claims])
        _compare(path, again, "summary.csv and bench/claims.yaml")
    trail.followed.append("claims: judged again")


def check_figures(results: Path, trail: Trail) -> None:
    """Draw the figures again.

    Raises:
        Mismatch: one shows something else, or a file of it is missing.
    """
    folder = results / "figures"
    known = set(plots.known())
    names = sorted({path.stem for path in folder.glob("*") if path.suffix in _COMPARED})
    if unknown := [name for name in names if name not in known]:
        trail.lost.append(f"figures that plots/ does not have: {', '.join(unknown)}")
    names = [name for name in names if name in known]
    if names and (absent := sorted(known.difference(names))):
        trail.lost.append(f"figures that are not there: {', '.join(absent)}")
    if not names:
        trail.lost.append(f"there are no figures in {folder}")
        return
    others = set()
    with tempfile.TemporaryDirectory() as drawn:
        tables = [f"--{name}={results.resolve() / name}.csv" for name in TABLES]
        _run("plots", [*names, *tables, f"--out={drawn}"])
        for name in names:
            for end in _COMPARED:
                path = folder / f"{name}{end}"
                if not path.exists():
                    raise Mismatch(
                        f"{path}: is not there, expected beside the figure's other files"
                    )
                if end != ".svg":
                    _compare(path, Path(drawn, path.name), "the joined tables")
                elif not _same_image(path, Path(drawn, path.name)):
                    others.add(name)
    trail.followed.append(f"figures: {len(names)}, drawn again: values, captions, SVG")
    if others:
        trail.lost.append(f"SVG of {len(others)} figures, drawn by another Matplotlib than here")
    trail.lost.append("PDF and PNG of figures, report.html: only what they are made of")


def _run(module: str, arguments: Sequence[str]) -> None:
    """As the pipeline runs it; what it refuses is a mismatch."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        raise Mismatch((done.stderr.strip() or f"{module} ended without a word").splitlines()[-1])


def _compare(path: Path, again: Path, by: str) -> None:
    if path.suffix == ".csv":
        found, expected = read_text(path), read_text(again)
        if (columns := list(found)) != (wanted := list(expected)):
            raise Mismatch(f"{path}: has the columns {columns}, expected {wanted} by {by}")
        compare_tables(path, found, expected, [], by)
        return
    texts = [file.read_text(encoding="utf-8").splitlines() for file in (path, again)]
    for place, (here, there) in enumerate(zip_longest(*texts, fillvalue="")):
        if here != there:
            raise Mismatch(f"{path}: line {place + 1} is {here!r}, expected {there!r} by {by}")


def _same_image(path: Path, again: Path) -> bool:
    """Whether the image is the same; False where another Matplotlib drew it.

    Raises:
        Mismatch: it is not, though the same Matplotlib drew it.
    """
    drawn, expected_image = (file.read_text(encoding="utf-8") for file in (path, again))
    if drawn == expected_image:
        return True
    if _drawn_by(drawn) != _drawn_by(expected_image):
        return False
    lines = zip(drawn.splitlines(), expected_image.splitlines(), strict=False)
    line = next((n for n, (one, other) in enumerate(lines, 1) if one != other), 0)
    raise Mismatch(f"{path}: line {line} is not as drawn again from the joined tables")


def _drawn_by(svg: str) -> str:
    found = re.search(r"Matplotlib v[\w.+]+", svg)
    return found[0] if found else ""
