"""What users write: decks, deals and positions, as arguments or as lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import click

from engine.cards import DECKS, MAX_RANKS, parse_deck
from engine.deals import Deal
from engine.errors import GameError
from engine.notation import clean
from engine.position import Position

DEFAULT_DECK = "easy"


def deck_option(help: str, default: str | None = None) -> Callable[[Any], Any]:
    """The option `--deck`, a deck by name or number, given on as its number of ranks."""

    def ranks(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
        return None if value is None else parse_deck(value)

    metavar = f"[{'|'.join(DECKS)}|1..{MAX_RANKS}]"
    return click.option("--deck", default=default, metavar=metavar, callback=ranks, help=help)


def memory_option(help: str) -> Callable[[Any], Any]:
    """The option `--memory`, a size such as 500M or 8G, given on as `max_memory` in bytes."""

    def size(ctx: click.Context, param: click.Parameter, value: str) -> int:
        match = re.fullmatch(r"(\d+(?:\.\d+)?) *([kmgt]?)(?:i?b)?", value.strip().lower())
        if not match:
            raise GameError(f"the memory {value!r} is wrong, expected a size such as 500M or 8G")
        return int(float(match[1]) * 1024 ** " kmgt".index(match[2] or " "))

    return click.option(
        "--memory",
        "max_memory",
        default="1G",
        show_default=True,
        metavar="SIZE",
        callback=size,
        help=help,
    )


def parse_problem(text: str, deck: int | None = None) -> tuple[str, Position]:
    """A deal or a position: its text form and the position.

    `deck` is the number of ranks of a deal (default: the easy deck); a position has its own, which
    must not be another. Raises GameError.
    """
    dots, fields = text.count("."), clean(text).split()
    if dots > 1 or (dots == 0 and len(fields) == 6 and fields[0].isdigit()):
        position = Position.parse(text)
        if deck not in (None, position.ranks):
            raise GameError(f"the position has {position.ranks} ranks, but --deck says {deck}")
        return str(position), position
    deal = Deal.parse(text, deck)
    return str(deal), deal.position()


def read_lines(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """The lines of a stream as they arrive, each with its number from 1.

    Empty lines and those that start with `#` are left out.
    """
    for number, line in enumerate(stream, 1):
        text = line.decode("utf-8", "replace").lstrip("\ufeff").strip()
        if text and not text.startswith("#"):
            yield number, text
