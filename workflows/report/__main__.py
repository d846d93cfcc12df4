"""Writes the report, one HTML page: python -m workflows.report --summary CSV --claims CSV [...]."""

import argparse
import sys
from pathlib import Path

from bench.refuse import refuse, write_or_refuse
from workflows.report.build import build


def main(arguments: list[str] | None = None) -> int:
    """Writes the page; a refusal is one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m workflows.report")
    parser.add_argument("--summary", type=Path, default=Path("results/summary.csv"))
    parser.add_argument("--machines", type=Path, default=Path("results/machines.json"))
    parser.add_argument("--claims", type=Path, default=Path("results/claims.csv"))
    parser.add_argument("--figures", type=Path, default=Path("results/figures"))
    parser.add_argument("--out", type=Path, default=Path("results/report.html"))
    parser.add_argument("--runs", type=Path, help="run directories (default: beside the summary)")
    parser.add_argument("--title", default="Crossbow suite")
    parser.add_argument("--rerun", help="command that repeats a run, with {run} for its id")
    options = parser.parse_args(arguments)
    runs = options.runs or options.summary.parent / "runs"
    rerun = (
        options.rerun or f"snakemake --cores all --forcerun {runs.as_posix()}/{{run}}/status.json"
    )
    if "{run}" not in rerun:
        return refuse("--rerun needs {run} where the id of the run belongs.")
    try:
        page = build(
            summary=options.summary,
            machines=options.machines,
            claims=options.claims,
            figures=options.figures,
            runs=runs,
            beside=options.out.parent,
            title=options.title,
            rerun=rerun,
        )
    except FileNotFoundError as error:
        return refuse(f"There is no {error.filename}; run the matrix first.")
    except OSError as error:
        return refuse(f"{error.filename}: {error.strerror}; name another.")
    except ValueError as error:
        return refuse(f"Cannot write the report: {error}.")
    return write_or_refuse(options.out, page.encode())


if __name__ == "__main__":
    sys.exit(main())
