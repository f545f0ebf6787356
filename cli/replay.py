"""`challenge replay`: recorded games, checked and shown."""

from __future__ import annotations

from typing import BinaryIO

import click

from cli.board import Board
from cli.seats import numbered
from engine.arena import record as records
from engine.errors import GameError


@click.command()
@click.option("--quiet", is_flag=True, help="Print only the results.")
@click.argument("file", type=click.File("rb"))
def replay(file: BinaryIO, quiet: bool) -> None:
    """Check and show the games recorded in FILE (- for standard input).

    Every action is played again by the rules, and the result must match the recorded text.
    """
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise GameError(f"{file.name} is not text, expected a recorded playthrough") from None
    board = Board()
    match = None
    for record in records.check(text):
        heading = record.header
        match = records.match_of(heading, match)
        play = records.start(heading)
        names = printable(heading.get("players", "recorded")).split(",")
        names = names if len(names) == play.game.players else ["recorded"] * play.game.players
        seated = names
        if match:
            order = sorted(zip(match.seats, names, strict=True))
            seated = numbered((name for _, name in order), "seat")
            board.start_of_deal(match, seated)
        board.show(play, record.chooser(), int(heading["seed"]), numbered(names), quiet=quiet)
        if match:
            match = match.after(play.state)
            board.scores(match, seated)


def printable(text: str) -> str:
    """A text without what would steer the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)
