"""What users write: decks, deals and positions, as arguments or as lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import click

from engine.cards import DECKS, MAX_RANKS, parse_deck
from engine.errors import GameError

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


def read_lines(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """The lines of a stream as they arrive, each with its number from 1.

    Empty lines and those that start with `#` are left out.
    """
    for number, line in enumerate(stream, 1):
        text = line.decode("utf-8", "replace").lstrip("\ufeff").strip()
        if text and not text.startswith("#"):
            yield number, text
