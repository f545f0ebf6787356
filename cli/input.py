"""Deals and positions as lines of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from engine.errors import GameError, NotationError
from engine.problem import Line
from engine.text import quoted

LONGEST_LINE = 10_000
"""Bytes; the longest position takes some hundred."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def read_lines(stream: BinaryIO, name: str = "standard input") -> Iterator[Line]:
    """The lines of a stream as they arrive, each with what is wrong with it as text.

    Comments, from `#` to the end of the line, are left out, and lines with nothing else. A byte
    order mark inside a line, where files were joined, begins a line. Raises GameError for UTF-16;
    `name`: what it calls the stream.
    """
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if number == 1 and _is_utf_16(line):
            raise GameError(
                f"{name} is UTF-16, expected UTF-8: convert it, for instance by "
                "iconv -f UTF-16 -t UTF-8"
            )
        text = line.decode(errors="replace")
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(LONGEST_LINE)
            wrong = f"longer than {LONGEST_LINE:,} bytes, expected a deal or a position"
            yield Line(number, text, NotationError(wrong))
            continue
        if "\0" in text or "\ufffd" in text:
            wrong = "has NUL characters" if "\0" in text else "is not UTF-8"
            error = NotationError(f"{quoted(text)} {wrong}, expected UTF-8 text")
            yield Line(number, text, error)
            continue
        for part in text.split("\ufeff"):
            if problem := part.partition("#")[0].strip():
                yield Line(number, problem)


def _is_utf_16(line: bytes) -> bool:
    """Whether the first line of a text begins with the mark of UTF-16 or has every other byte 0."""
    start = line[:40].removesuffix(b"\n")
    return line.startswith(_UTF_16) or 2 * start.count(0) >= len(start) > 1
