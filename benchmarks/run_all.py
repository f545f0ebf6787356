"""Run the commands in README.md beside this file, and put there what they print.

    python -m benchmarks.run_all                      all
    python -m benchmarks.run_all plain command_line   those that contain one of these words

A command stands in a line `<!-- run: COMMAND -->`; what it prints comes between that line and the
next `<!-- end -->`.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click

from cli.bench import COMMAND
from solver.core.files import whole_file
from solver.study.bench import run_python

README = Path(__file__).with_name("README.md")


@click.command()
@click.argument("words", nargs=-1)
def main(words: tuple[str, ...]) -> None:
    """Put what the commands in README.md print there; of those with one of WORDS, if there are any.

    One block is replaced after the other, so that an interruption loses only the last.
    """
    for command in re.findall("<!-- run: (.+) -->", README.read_text("utf-8")):
        if words and not any(word in command for word in words):
            continue
        click.echo(command)
        program, *arguments = shlex.split(command)
        start = ["-c", COMMAND] if program == "challenge" else []
        output = run_python(*start, *arguments).strip()
        before, line, rest = README.read_text("utf-8").partition(f"<!-- run: {command} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not end:
            raise click.ClickException(f"no <!-- end --> after the command {command}")
        with whole_file(README) as file:
            file.write(f"{before}{line}```text\n{output}\n```\n{end}{after}".encode())


if __name__ == "__main__":
    main()
