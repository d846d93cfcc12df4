"""A report written into a temporary results folder."""

import csv
import json

import pytest
from summary_rows import ROW, SVG

from bench.claims import COLUMNS
from workflows.report.__main__ import main


@pytest.fixture
def report(tmp_path):
    shown = ("throughput", "time_to_accuracy")

    def write(*rows, figures=shown, empty=(), claims=(), more=(), caption="One < two."):
        with (tmp_path / "summary.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(ROW | rows[0] if rows else ROW))
            writer.writeheader()
            for place, row in enumerate(rows):  # a run is there once
                again = f" again {place}" if row["run"] in [r["run"] for r in rows[:place]] else ""
                writer.writerow(row | {"run": row["run"] + again})
        with (tmp_path / "claims.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(claims)
        environment = {"cores": 2, "packages": {"torch": "2.13.0"}, "devices": [{"name": "<b>"}]}
        machine = {"machine": ROW["machine"], "runs": ["a"], "environment": environment}
        (tmp_path / "machines.json").write_text(json.dumps([machine]))
        (tmp_path / "figures").mkdir(exist_ok=True)
        for name in (*empty, *figures):
            (tmp_path / "figures" / f"{name}.svg").write_text(SVG)
            (tmp_path / "figures" / f"{name}.csv").write_text("a\n" if name in empty else "a\n1\n")
            (tmp_path / "figures" / f"{name}.txt").write_text(f"About {name}\n=====\n\n{caption}\n")
        given = ["--summary", "summary.csv", "--machines", "machines.json", "--out", "report.html"]
        given += ["--claims", "claims.csv"]
        given = [str(tmp_path / text) if "." in text else text for text in given]
        assert main([*given, "--figures", str(tmp_path / "figures"), *more]) == 0
        return (tmp_path / "report.html").read_text()

    return write
