"""Takes MLPerf's ResNet-50 points from a clone: `python -m plots.published.mlperf CLONE`.

CLONE is one of https://github.com/mlcommons/logging. Of each batch size the newest round that lists
it counts, for later rounds correct earlier ones. Writes mlperf_resnet50.csv beside this file.
"""

import argparse
import csv
import json
from pathlib import Path

TABLE = Path(__file__).with_name("mlperf_resnet50.csv")
COLUMNS = ["batch", "optimizer", "round", "run", "epochs"]


def points(clone: Path) -> list[dict]:
    """One row a run of a reference convergence point: epochs to 75.9%, by global batch."""
    newest = {}
    for file in clone.glob("mlperf_logging/rcp_checker/training_*/rcps_resnet.json"):
        of_round = file.parent.name.removeprefix("training_")
        for point in json.loads(file.read_text()).values():
            known = newest.setdefault(point["BS"], (of_round, point))
            newest[point["BS"]] = max(known, (of_round, point), key=lambda one: one[0])
    return [
        {
            "batch": batch,
            "optimizer": point["Hyperparams"]["optimizer"],
            "round": of_round,
            "run": run,
            "epochs": epochs,
        }
        for batch, (of_round, point) in sorted(newest.items())
        for run, epochs in enumerate(point["Epochs to converge"], 1)
    ]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m plots.published.mlperf", description=__doc__)
    parser.add_argument("clone", type=Path)
    rows = points(parser.parse_args().clone)
    if not rows:
        parser.error("the clone has no mlperf_logging/rcp_checker/training_*/rcps_resnet.json")
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
