"""`challenge replay`: recorded games, checked and shown."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import click

from cli.board import Board
from cli.files import FILE
from cli.seats import numbered
from engine.arena import record as records
from engine.errors import GameError
from solver.core.files import open_regular

STANDARD_INPUT = Path("-")
MOST_BYTES = 1 << 28
"""Far more than any tournament records; what is longer is no record."""


@click.command()
@click.option("--quiet", is_flag=True, help="Print only the results.")
@click.argument("file", type=FILE)
def replay(file: Path, quiet: bool) -> None:
    """Check and show the games recorded in FILE (- for standard input).

    Every action is played again by the rules, and the result must match the recorded text.
    """
    text = read(file)
    board = Board()
    match = None
    for record in records.check(text):
        heading = record.header
        match = records.match_of(heading, match)
        play = records.start(heading)
        names = printable(heading.get("players", "recorded")).split(",")
        names = names if len(names) == play.game.players else ["recorded"] * play.game.players
        seats, cut = (match.seats, ()) if match else records.cut_of(heading)
        order = sorted(zip(seats, names, strict=True)) if seats else []
        seated = numbered((name for _, name in order), "seat")
        board.cut(cut, seated)
        if match:
            board.start_of_deal(match, seated)
        board.show(play, record.chooser(), int(heading["seed"]), numbered(names), quiet=quiet)
        if match:
            match = match.after(play.state)
            board.scores(match, seated)


def read(path: Path) -> str:
    """The text of a file, or of standard input. Raises GameError, OSError."""
    if path == STANDARD_INPUT and sys.stdin is None:
        raise GameError("standard input is closed, expected recorded games")
    with nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else open_regular(path) as file:
        data = file.read(MOST_BYTES + 1)
    name = "standard input" if path == STANDARD_INPUT else path
    if len(data) > MOST_BYTES:
        raise GameError(f"{name} has more than {MOST_BYTES:,} bytes, expected recorded games")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise GameError(f"{name} is not text, expected recorded games") from None


def printable(text: str) -> str:
    """A text without what would steer the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)
