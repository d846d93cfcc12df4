"""Hashes of a run's tables, by which a change made after the run is found."""

from pathlib import Path

from data_prep.manifest import file_sha256


def tables_sha256(folder: Path) -> dict[str, str]:
    """SHA-256 of each table of the run in `folder`, by its name."""
    return {table.name: file_sha256(table) for table in sorted(folder.glob("*.csv"))}
