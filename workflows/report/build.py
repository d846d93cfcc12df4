"""Puts the page together from the summary, the machines, the claims and the figures."""

import base64
import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from bench import record
from bench.summary_columns import short_commit
from workflows.report import claims as claim_rows
from workflows.report import figures as figure_files
from workflows.report import formats
from workflows.report import runs as run_rows

_HERE = Path(__file__).parent
# Of thousands of runs, those that a reader meets before asking for the others.
MOST_ROWS, MOST_FAILED = 200, 50


def build(
    *,
    summary: Path,
    machines: Path,
    claims: Path,
    figures: Path,
    runs: Path,
    beside: Path,
    title: str,
    rerun: str,
) -> str:
    """The whole report as one HTML page that loads nothing from elsewhere."""
    rows = run_rows.read_rows(summary)
    columns, shared = run_rows.split_columns(rows)
    described = [run_rows.describe(row, columns, runs, beside, rerun) for row in rows]
    drawn = figure_files.read_figures(figures, beside)
    for figure in drawn:
        figure["drawing"] = Markup(figure["drawing"])
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = with_code
    return environment.get_template("page.html.j2").render(
        title=title,
        css=Markup((_HERE / "page.css").read_text(encoding="utf-8")),
        script=Markup(script),
        # The browser runs this script and no other, whatever came into the page.
        script_sha256=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        most_rows=MOST_ROWS,
        most_failed=MOST_FAILED,
        overview=overview(rows),
        runs=described,
        failed=[run for run in described if run["is_bad"]],
        dirty=[row["run"] for row in rows if run_rows.is_dirty(row)],
        claims=claim_rows.read_claims(claims),
        picks=picks(rows),
        columns=columns,
        shared=shared,
        figures=drawn,
        machines=_read_machines(machines),
    )


def with_code(text: str) -> Markup:
    """A text whose words between backticks are code, and which else stays as it is."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def picks(rows: list[dict]) -> list[dict]:
    """What the page can be filtered by: the values of each that differ among the runs."""
    values = {
        name: sorted({row.get(name) or "" for row in rows} - {""}, key=_by_size)
        for name in ("model", "system", "devices")
    }
    return [{"name": name, "found": found} for name, found in values.items() if len(found) > 1]


def _by_size(value: str) -> tuple[int, str]:
    return (int(value), "") if value.isdigit() else (0, value)


def overview(rows: list[dict]) -> str:
    """What ran, where, and of which commits, in two sentences."""
    if not rows:
        return "No run has been joined yet."
    statuses = Counter(row["status"].replace("_", " ") for row in rows)
    work = {_workload(row) for row in rows}
    systems = {row["system"] for row in rows}
    planned = [row for row in rows if row["status"] != record.NOT_AVAILABLE]
    ran = [row for row in planned if row["status"] != record.NOT_RUN]
    machines = {row["machine"] or "a machine that was not recorded" for row in ran}
    commits = {short_commit(row["commit"]) for row in ran} - {""}
    count = "1 run" if len(rows) == 1 else f"{len(rows)} runs"
    if len(ran) < len(planned):
        count = f"{len(ran)} of {len(planned)} planned runs"
    ended = formats.joined([f"{number} {status}" for status, number in statuses.most_common()])
    told = f"{count} of {formats.listed(work)} with {formats.listed(systems)}: {ended}."
    if not ran:
        return told
    of = (
        f", of commit{'s' if len(commits) > 1 else ''} {formats.listed(commits)}" if commits else ""
    )
    return f"{told} They ran on {formats.listed(machines)}{of}."


def _workload(row: dict) -> str:
    target = f" to {100 * float(row['target']):.4g}%" if row["target"] else ""
    return f"{row['model']} on {row['dataset']}{target}"


def _read_machines(file: Path) -> list[dict]:
    try:
        machines = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is not readable JSON ({error})") from error
    if not (isinstance(machines, list) and all(map(_is_machine, machines))):
        raise ValueError(f"{file} is no list of machines with their runs; join the runs again")
    return [
        {
            "machine": machine.get("machine") or "not recorded",
            "runs": machine.get("runs", []),
            "environment": machine.get("environment", {}),
        }
        for machine in machines
    ]


def _is_machine(found: Any) -> bool:
    return isinstance(found, dict) and isinstance(found.get("runs", []), list)
