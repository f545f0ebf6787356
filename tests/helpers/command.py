"""The command line, in this process or in one of its own."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

from click.testing import CliRunner

from cli.main import main

ROOT = Path(__file__).parents[2]
"""The checkout."""
COMMAND = [sys.executable, "-c", "from cli.main import main; main(prog_name='challenge')"]


def challenge(*arguments, stdin=None, **options):
    """Run the command in this process: (exit status, standard output, standard error)."""
    result = CliRunner(**options).invoke(main, arguments, stdin, prog_name="challenge")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def run(*arguments, stdin="", **options):
    """Run the command in a process of its own."""
    done = subprocess.run(
        [*COMMAND, *arguments], input=stdin.encode(), capture_output=True, cwd=ROOT, **options
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def start(*arguments, error=os.devnull):
    """Run the command in a fork of this process, which has loaded all that it needs: its number.

    What it says on standard error goes into the file `error`.
    """
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        os.dup2(os.open(error, os.O_WRONLY | os.O_CREAT), 2)
        sys.stderr = os.fdopen(2, "w", closefd=False)
        main([*map(str, arguments)], prog_name="challenge")
    except SystemExit as end:
        status = end.code or 0
    finally:
        sys.stderr.flush()
        os._exit(status)


def in_own_session(*arguments):
    """The command in a process and a session of its own, to which Ctrl-C can be sent."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stderr=subprocess.PIPE,
        cwd=ROOT,
        start_new_session=True,
        # where the tests run in the background the signal may be ignored
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def status_of(process):
    """The exit status of a process that was started, when it has ended; less than 0: a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
