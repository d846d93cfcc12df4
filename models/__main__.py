"""`python -m models MODEL --records FOLDER --seed N OUT.npz`: export a run's initial weights."""

import argparse
import sys
from pathlib import Path

from data_prep.records import open_records
from models.weights import export

parser = argparse.ArgumentParser(prog="python -m models", description=__doc__)
parser.add_argument("model")
parser.add_argument("--records", type=Path, required=True, help="prepared records of the dataset")
parser.add_argument("--seed", type=int, required=True)
parser.add_argument("--source", help="where a model from outside this folder comes from")
parser.add_argument("out", type=Path)
arguments = parser.parse_args()
try:
    records = open_records(arguments.records)
    export(
        arguments.model,
        records.shape,
        records.classes,
        arguments.seed,
        arguments.out,
        arguments.source,
    )
except ValueError as refusal:
    sys.exit(str(refusal))
