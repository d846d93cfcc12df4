"""The run that the pictures of clocks and targets are of."""

from pathlib import Path

import pandas as pd

TABLES = Path(__file__).resolve().parents[2] / "results/reference/nvidia-h200"
RUN = "crossbow-resnet32-cifar10-jpeg-cuda1-m4-b64-s3-50d6dc9e"


def rows(table: str) -> pd.DataFrame:
    """The rows of the run in a table of the H200's results."""
    all_runs = pd.read_csv(TABLES / f"{table}.csv")
    return all_runs[all_runs["run"] == RUN]
