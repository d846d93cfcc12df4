"""Snakemake, each time in a process that begins where it and its plugins are imported already.

A job is a line on standard input: the folder, the file for what is printed, the seconds after which
it is killed, the environment and the arguments. Its exit code is a line on standard output.
"""

import gc
import json
import os
import signal
import sys

import jsonschema  # noqa: F401  (for the Snakefile, which can't be imported before there is a folder)
from snakemake.cli import get_argument_parser, main

if __name__ == "__main__":
    get_argument_parser()
    gc.freeze()  # else every process walks, and so copies, what all of them share
    for line in sys.stdin:
        folder, printed, deadline_s, environment, arguments = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.alarm(deadline_s)
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            sys.path[0] = folder  # as of `python -m snakemake`
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            file = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, 1)
            os.dup2(file, 2)
            sys.argv[1:] = arguments
            main(arguments)
            os._exit(1)  # not reached: `main` ends the process
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
