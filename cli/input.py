"""What users write: decks, deals and positions, as arguments or as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import click

from engine.cards import DECKS, MAX_RANKS, parse_deck
from engine.challenge import Position
from engine.deals import Deal
from engine.game import GameError

DEFAULT_DECK = DECKS["easy"]


class DeckType(click.ParamType):
    """The number of ranks of a deck, given by name or number."""

    name = "deck"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"[{'|'.join(DECKS)}|1..{MAX_RANKS}]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return parse_deck(value)


def parse_problem(text: str, deck: int | None = None) -> tuple[str, Position]:
    """A deal or a position: its text form and the position.

    `deck` is the number of ranks of a deal (default: the easy deck); a position has its own, which
    must not be another. Raises GameError.
    """
    dots, fields = text.count("."), text.split()
    if dots > 1 or (dots == 0 and len(fields) == 6 and fields[0].isdigit()):
        position = Position.parse(text)
        if deck not in (None, position.ranks):
            raise GameError(f"the position has {position.ranks} ranks, but --deck says {deck}")
        return str(position), position
    deal = Deal.parse(text, deck or DEFAULT_DECK)
    return str(deal), deal.position()


def read_lines(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """The lines of a stream as they arrive, each with its number from 1.

    Empty lines and those that start with `#` are left out.
    """
    for number, line in enumerate(stream, 1):
        text = line.decode("utf-8", "replace").strip("\ufeff \t\r\n")
        if text and not text.startswith("#"):
            yield number, text
