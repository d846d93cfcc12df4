"""Files of a packed folder are those that were packed."""

from pathlib import Path

from bench.verify.mismatch import Mismatch, Trail, read_object
from data_prep.manifest import file_sha256

METADATA = "ro-crate-metadata.json"


def check_crate(results: Path, trail: Trail) -> None:
    """Every file that an RO-Crate's metadata lists has the size and the hash of then.

    Raises:
        Mismatch: one has not.
    """
    path = results / METADATA
    if not path.exists():
        return
    entities = read_object(path).get("@graph", [])
    hashed = {one["@id"]: one["sha256"] for one in entities if "sha256" in one}
    for name, expected in hashed.items():
        file = results / name
        if not file.is_file():
            raise Mismatch(f"{file}: is not there, expected by {path}")
        if (found := file_sha256(file)) != expected:
            raise Mismatch(f"{file}: sha256 is {found}, expected {expected} by {path}")
    trail.followed.append(f"{METADATA}: {len(hashed)} files, hashed")
