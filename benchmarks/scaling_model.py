"""Throughput on more devices than were there, from measurements on one and two; and its check.

`python -m benchmarks.scaling_model predict FOLDER PLAN...` reads FOLDER/engine.csv, summary.csv if
there is one, and all_reduce.csv or timeline.csv, and writes FOLDER/scaling_prediction.csv: every
cell of more than two devices of the plans (JSON) and configs (YAML). Measurements on more than two
are left out. FOLDER/scaling_fit.csv has the error on two devices of each cell that was held out.

`python -m benchmarks.scaling_model check MEASURED` compares what was measured since, an engine.csv
or a summary.csv, with scaling_prediction.csv beside it, or the file named by --prediction, and
writes scaling_check.csv beside it. Its code is 0 also where cells are outside their bands.
"""

import argparse
import sys
from pathlib import Path

from benchmarks import scaling_data as data
from benchmarks.scaling_check import check
from benchmarks.scaling_prediction import FIT, PREDICTION, predict
from workflows.validate import ConfigError


def main() -> None:
    """The command line; a refusal is one sentence."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling_model")
    parser.description = __doc__.splitlines()[0]
    commands = parser.add_subparsers(dest="command", required=True)
    predicting = commands.add_parser("predict", help="write scaling_prediction.csv")
    predicting.add_argument("folder", type=Path)
    predicting.add_argument("plans", type=Path, nargs="+", metavar="PLAN")
    checking = commands.add_parser("check", help="compare measurements with the prediction")
    checking.description = "A cell outside its band is a finding: the code is 0 all the same."
    checking.add_argument("measured", type=Path, help="an engine.csv or a summary.csv")
    checking.add_argument("--prediction", type=Path, help="scaling_prediction.csv beside it")
    options = parser.parse_args()
    try:
        if options.command == "check":
            folder = options.measured.parent
            prediction = options.prediction or folder / "scaling_prediction.csv"
            check(options.measured, prediction, folder / "scaling_check.csv")
            return
        predicted, fits = predict(options.folder, options.plans)
    except (OSError, ValueError, ConfigError) as error:
        sys.exit(f"Error: {error}")
    known = sum(bool(row.get("images_per_s")) for row in predicted)
    if not known:
        why = "was measured on one" if predicted else "is in these plans"
        sys.exit(f"Error: no cell of more than two devices {why}; {options.folder} is as it was")
    data.write(options.folder / "scaling_prediction.csv", PREDICTION, predicted)
    data.write(options.folder / "scaling_fit.csv", FIT, fits)
    print(f"{known} of {len(predicted)} cells predicted: {options.folder}/scaling_prediction.csv")


if __name__ == "__main__":
    main()
