"""`python -m cli` is the command `challenge`."""

from cli.main import main

main(prog_name="challenge")
