"""Run the commands in README.md beside this file, and put there what they print.

    python benchmarks/run_all.py                      all
    python benchmarks/run_all.py plain command_line   those that contain one of these words

A command stands in a line `<!-- run: COMMAND -->`; what it prints comes between that line and the
next `<!-- end -->`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).with_name("README.md")
ROOT = README.parent.parent
COMMAND = re.compile("<!-- run: (.+) -->\n")


def run(command: str) -> str:
    """What a command prints; `python` and `challenge` are this interpreter and this checkout."""
    program, *arguments = shlex.split(command)
    if program == "challenge":
        arguments = ["-c", "from cli.main import main; main(prog_name='challenge')", *arguments]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.strip()


def main(words: list[str]) -> None:
    """Replace one block after the other, so that an interruption loses only the last."""
    for command in COMMAND.findall(README.read_text(encoding="utf-8")):
        if words and not any(word in command for word in words):
            continue
        print(command, flush=True)
        output = run(command)
        before, line, rest = README.read_text(encoding="utf-8").partition(
            f"<!-- run: {command} -->\n"
        )
        _, end, after = rest.partition("<!-- end -->\n")
        if not end:
            raise SystemExit(f"no <!-- end --> after the command {command} in {README}")
        part = README.with_suffix(".part")
        part.write_text(f"{before}{line}```text\n{output}\n```\n{end}{after}", encoding="utf-8")
        part.replace(README)


if __name__ == "__main__":
    main(sys.argv[1:])
