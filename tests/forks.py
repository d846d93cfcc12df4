"""Programs, each time in a fork of a process that has imported already what takes it seconds.

A job is a line on the standard input of that process: the folder, the file for what is printed, the
seconds after which it is killed, the environment and the arguments. Its exit code is a line on
standard output.
"""

import gc
import json
import os
import signal
import subprocess
import sys


def serve(program):
    """Call `program`, which reads its arguments from `sys.argv`, in a fork for every job."""
    gc.freeze()  # else every process walks, and so copies, what all of them share
    for line in sys.stdin:
        folder, printed, deadline_s, environment, arguments = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.alarm(deadline_s)
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            sys.path[0] = folder  # as of `python -m`
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            file = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, 1)
            os.dup2(file, 2)
            sys.argv[1:] = arguments
            program()
            sys.exit()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def server(*command, **environment):
    """The process of a Python command that serves; it ends after this one."""
    return subprocess.Popen(
        [sys.executable, *command],
        env=os.environ | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def call(server, arguments, folder, printed, deadline_s, **environment):
    """The exit code of a job, in the environment of this process and what is named."""
    job = [str(folder), str(printed), deadline_s, os.environ | environment, arguments]
    print(json.dumps(job), file=server.stdin, flush=True)
    return int(server.stdout.readline())
