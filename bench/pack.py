"""Pack results for publication as an RO-Crate: `python -m bench.pack RESULTS OUT.zip`.

One archive with the joined tables, figures, report and runs of a results folder, the lock file and
CITATION.cff, and ro-crate-metadata.json, which says what each of them is, by whom, under which
licence, of which commit and machine, and its SHA-256. Unpacked, it is a results folder again.
"""

import argparse
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from rocrate.rocrate import ROCrate

from bench import record
from bench.crate import describe
from bench.environment import ROOT
from bench.refuse import refuse
from bench.summary_file import read_summary, why_none
from bench.verify.crate import METADATA
from bench.verify.tables import made

# What the code is cited as, beside the results.
_OF_THE_CODE = ("CITATION.cff", "LICENSE")
LOCK = "requirements.lock"
_JOINED = ("*.csv", "*.json", "*.txt", "*.svg", "*.pdf", "*.png", "report.html", "README.md")


def files_of(results: Path, rows: pd.DataFrame) -> Iterator[tuple[Path, str]]:
    """Each file that belongs to the results, and its path in the archive.

    Of the runs, those with a row in the summary: others are of another experiment.
    """
    for pattern in _JOINED:
        for path in sorted(results.glob(pattern)):
            if path.name != METADATA and not path.name.startswith("."):
                yield path, path.name
    for path in sorted(results.glob("figures/[!.]*")):
        yield path, f"figures/{path.name}"
    for run in made(rows)["run"]:
        for path in (results / "runs" / run / name for name in (*record.FILES, record.AUTOTUNE)):
            if path.exists():
                yield path, f"runs/{run}/{path.name}"
    yield from ((ROOT / name, name) for name in _OF_THE_CODE)


def lock(commits: set[str]) -> bytes:
    """The lock file of the runs' commit; of this checkout, where they have several or another's."""
    command = [
        "git",
        "-C",
        str(ROOT),
        "show",
        "--end-of-options",
        f"{next(iter(commits), '')}:{LOCK}",
    ]
    if len(commits) == 1 and not (done := subprocess.run(command, capture_output=True)).returncode:
        return done.stdout
    return (ROOT / LOCK).read_bytes()


def pack(results: Path, out: Path) -> int:
    """Write the archive, read it back, and return the number of its files.

    Raises:
        OSError: a file can't be read, or the archive not written.
        ValueError: the summary would mislead, or the archive is not what was packed.
    """
    rows = read_summary(results / "summary.csv")
    draft = out.with_name(f".{out.name}")
    with tempfile.TemporaryDirectory() as folder:
        locked = Path(folder, LOCK)
        locked.write_bytes(lock(set(made(rows)["commit"])))
        files = {name: path for path, name in files_of(results, rows)} | {LOCK: locked}
        describe(rows, files).write_zip(draft)
        check(draft, files)
    draft.replace(out)
    return len(files)


def check(archive: Path, files: dict[str, Path]) -> None:
    """Read an archive back as an RO-Crate, and compare the files in it with those packed.

    Raises:
        ValueError: one is missing, not described, or has other bytes.
    """
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(folder)
        described = {one.id for one in ROCrate(folder).data_entities}
        for name, path in files.items():
            if name not in described or Path(folder, name).read_bytes() != path.read_bytes():
                raise ValueError(f"{archive}: {name} was not packed as it is; pack again")


def main(arguments: list[str] | None = None) -> int:
    """The command line; a refusal is one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m bench.pack", description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args(arguments)
    if options.out.suffix != ".zip":
        return refuse(f"{options.out}: an archive is packed as zip; name it OUT.zip.")
    if why := why_none(options.results):
        return refuse(f"Cannot pack: {why}.")
    if not options.out.parent.is_dir():
        return refuse(f"{options.out}: there is no folder {options.out.parent}; make it first.")
    try:
        number = pack(options.results, options.out)
    except (OSError, ValueError) as error:
        return refuse(f"Cannot pack: {error}.")
    size = options.out.stat().st_size / 2**20
    print(f"{options.out}: {number} files, {size:.1f} MiB, read back as an RO-Crate.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
