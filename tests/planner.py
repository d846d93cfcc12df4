"""Dry runs of Snakemake, each in a process that begins where it has been imported already.

A job is a line on standard input: the folder, the file for what is printed, and the arguments. Its
exit code is a line on standard output.
"""

import json
import os
import sys

from snakemake.cli import main

if __name__ == "__main__":
    for line in sys.stdin:
        folder, printed, arguments = json.loads(line)
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            sys.path[0] = folder  # as of `python -m snakemake`
            file = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, 1)
            os.dup2(file, 2)
            sys.argv[1:] = arguments
            main(arguments)
            os._exit(1)  # not reached: `main` ends the process
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
