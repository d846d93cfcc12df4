"""Snakemake, each job of `forks` in a process that has imported it and its plugins already."""

import sys

import forks
import jsonschema  # noqa: F401  (for the Snakefile, which can't be imported before there is a folder)
from snakemake.cli import get_argument_parser, main

if __name__ == "__main__":
    get_argument_parser()
    forks.serve(lambda: main(sys.argv[1:]))
