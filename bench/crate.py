"""Results described as an RO-Crate 1.2, whose runs are actions as in a Process Run Crate.

https://www.researchobject.org/ro-crate/, https://w3id.org/ro/wfrun/process
"""

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.model.data_entity import DataEntity
from rocrate.rocrate import ROCrate

from bench import record
from bench.environment import ROOT
from bench.verify.tables import MACHINES, made
from data_prep.manifest import file_sha256

PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_COMPLETED = "http://schema.org/CompletedActionStatus"
_FAILED = "http://schema.org/FailedActionStatus"
_GOOD = (record.FINISHED, record.REACHED)
_TABLES = ("summary.csv", record.EPOCHS, record.AUTOTUNE)


def describe(rows: pd.DataFrame, files: Mapping[str, Path]) -> ROCrate:
    """The crate of these files, by their paths in it; `rows` is the summary as text."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    crate = ROCrate(version="1.2")
    entities = {name: _add_file(crate, path, name) for name, path in files.items()}
    licence = _licence(crate, citation["license"])
    authors = [_author(crate, author) for author in citation["authors"]]
    crate.name = f"Results of {citation['title']}"
    crate.description = _description(rows)
    crate.license = licence
    crate.root_dataset["author"] = authors
    crate.root_dataset["conformsTo"] = _add(
        crate, PROFILE, "CreativeWork", name="Process Run Crate"
    )
    crate.root_dataset["citation"] = [
        _add(crate, work["url"], "ScholarlyArticle", name=work["title"])
        for work in citation["references"]
    ]
    for name, entity in entities.items():
        if name.startswith("figures/"):
            entity["isBasedOn"] = [entities[table] for table in _TABLES if table in entities]
    code = {
        commit: _code(crate, commit, citation, authors, licence)
        for commit in dict.fromkeys(made(rows)["commit"])
    }
    crate.root_dataset["mentions"] = [
        _action(crate, row, code[row["commit"]], entities) for row in made(rows).to_dict("records")
    ]
    return crate


def _add_file(crate: ROCrate, path: Path, name: str) -> DataEntity:
    kind = mimetypes.guess_type(name)[0] or "text/plain"
    size = str(path.stat().st_size)
    properties = {"name": name, "sha256": file_sha256(path), "contentSize": size}
    return crate.add_file(path, name, properties=properties | {"encodingFormat": kind})


def _add(crate: ROCrate, identity: str, kind: str, **properties: Any) -> ContextEntity:
    return crate.add(ContextEntity(crate, identity, properties={"@type": kind} | properties))


def _licence(crate: ROCrate, name: str) -> ContextEntity:
    return _add(crate, f"https://spdx.org/licenses/{name}", "CreativeWork", name=name)


def _author(crate: ROCrate, author: dict[str, str]) -> ContextEntity:
    """A person, or of an author with but one name, an organisation, as in a CITATION.cff."""
    person = " ".join(author[key] for key in ("given-names", "family-names") if key in author)
    name = person or author["name"]
    identity = author.get("orcid", f"#{name.replace(' ', '-').lower()}")
    return _add(crate, identity, "Person" if person else "Organization", name=name)


def _description(rows: pd.DataFrame) -> str:
    runs = made(rows)
    parts = [", ".join(sorted(set(runs[name]) - {""})) for name in ("model", "dataset", "machine")]
    return f"{len(runs)} runs of {parts[0]} on {parts[1]}. Machine: {parts[2] or 'not recorded'}."


def _code(
    crate: ROCrate,
    commit: str,
    citation: dict[str, Any],
    authors: list[ContextEntity],
    licence: ContextEntity,
) -> ContextEntity:
    return _add(
        crate,
        f"#code-{commit or 'unknown'}",
        "SoftwareSourceCode",
        name=citation["title"],
        version=commit or "no commit recorded",
        programmingLanguage="Python",
        author=authors,
        license=licence,
    )


def _action(
    crate: ROCrate, row: dict[Any, str], code: ContextEntity, entities: dict[str, DataEntity]
) -> ContextEntity:
    """One run: what it was asked (run.json), by which code, where, how it ended, what it left."""
    own = {name: entities.get(f"runs/{row['run']}/{name}") for name in record.FILES}
    asked = own.pop(record.RUN)
    properties = {
        "name": row["run"],
        "instrument": code,
        "object": [asked] if asked else [],
        "result": [entity for entity in own.values() if entity] or [entities["summary.csv"]],
        "actionStatus": _COMPLETED if row["status"] in _GOOD else _FAILED,
        "description": row.get("reason", ""),
        "location": row["machine"],
        "subjectOf": [entities[MACHINES]] if MACHINES in entities else [],
    }
    if (row.get("dirty") or "").lower() == "true":
        properties["disambiguatingDescription"] = "of changed code that no commit holds"
    return _add(crate, f"#run-{row['run']}", "CreateAction", **properties)
