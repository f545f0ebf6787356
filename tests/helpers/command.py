"""The command line, in this process or in one of its own."""

import subprocess
import sys
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
