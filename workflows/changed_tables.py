"""Tables that differ from their runs, found before figures, claims and report are made of them."""

from pathlib import Path

from bench.summary_file import read_summary
from bench.verify.columns import SUMMARY
from bench.verify.mismatch import Mismatch, Trail
from bench.verify.tables import check_joined, check_planned
from workflows.pipeline import ResultsRefused


def refuse_changed_tables(results: Path) -> None:
    """Refuse tables in `results` that differ from the runs, which rule `collect` won't join again.

    Raises:
        ResultsRefused: they differ; one sentence with the file, the row and what to do.
    """
    try:
        rows = read_summary(results / SUMMARY)
        check_planned(results, rows, Trail())
        check_joined(results, rows, Trail())
    except (Mismatch, OSError, ValueError) as error:
        raise ResultsRefused(
            f"{error}; where it is the table that was changed, remove {results / SUMMARY}, and the "
            "same command joins the runs again"
        ) from None
