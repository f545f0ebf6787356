"""Types of parameters: what commands take, what they refuse, and what a shell may complete."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from cli.seats import KNOWN
from engine.cards import DECKS, MAX_RANKS, parse_deck
from engine.game import GAMES, load_game
from engine.text import meant, number_in, quoted

DEFAULT_DECK = "easy"
MOST_MEMORY = 1 << 50


class Whole(click.ParamType):  # type: ignore[type-arg]
    """A whole number within bounds."""

    name = "integer"

    def __init__(self, least: int, most: int) -> None:
        self.legal = range(least, most + 1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = number_in(value, self.legal)
        if number is None:
            least, most = self.legal[0], self.legal[-1]
            expected = f"expected a whole number from {least:,} to {most:,}"
            self.fail(f"{quoted(value)} is wrong, {expected}.", param, ctx)
        return number


COUNT = Whole(1, 10**12)
SEED = Whole(0, 2**63 - 1)
JOBS = Whole(1, 1024)
NODES = Whole(1, 10**18)


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """A time; `inf` is no limit."""

    name = "seconds"

    def __init__(self, least: float = math.ulp(0.0)) -> None:
        self.least = least

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not seconds >= self.least:
            more = " greater than 0" if self.least else ""
            expected = f"expected a number of seconds{more}, or inf"
            self.fail(f"{quoted(value)} is wrong, {expected}.", param, ctx)
        return seconds


class Size(click.ParamType):  # type: ignore[type-arg]
    """Bytes, written like 500M or 8G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"(\d+(?:\.\d+)?) *([kmgt]?)(?:i?b)?", str(value).strip().lower())
        size = float(match[1]) * 1024 ** " kmgt".index(match[2] or " ") if match else 0
        if not 1 <= size <= MOST_MEMORY:
            expected = "expected a size such as 500M or 8G, at most 1024T"
            self.fail(f"{quoted(value)} is wrong, {expected}.", param, ctx)
        return int(size)


class Choice(click.Choice):  # type: ignore[type-arg]
    """One of a few words."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if value not in self.choices:
            known = ", ".join(map(str, self.choices))
            like = meant(str(value), map(str, self.choices))
            self.fail(f"{quoted(value)} is wrong{like}, expected one of: {known}.", param, ctx)
        return value


class Words(click.ParamType):  # type: ignore[type-arg]
    """A text of which a shell may complete the last word, from the names that are known."""

    name = "text"

    def __init__(
        self, known: Callable[[click.Context], Iterable[str]], separator: str | None = None
    ) -> None:
        self.known = known
        self.separator = separator

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        before, comma, start = (
            incomplete.rpartition(self.separator) if self.separator else ("", "", incomplete)
        )
        return [
            CompletionItem(f"{before}{comma}{name}")
            for name in self.known(ctx)
            if name.startswith(start)
        ]


def _options(ctx: click.Context) -> Iterable[str]:
    """The options of the game that the command is about."""
    words = [ctx.params.get("game"), *ctx.args]  # the latter in an unfinished line
    game = next((word for word in words if word in GAMES), None)
    return [f"{key}=" for key in load_game(game).option_help()] if game else []


GAME = Words(lambda ctx: GAMES)
PLAYERS = Words(lambda ctx: KNOWN, ",")
OPTION = Words(_options)


class _Deck(Words):
    """A deck by name or number, as its number of ranks."""

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        return parse_deck(value)


DECK = _Deck(lambda ctx: [*DECKS, *map(str, range(1, MAX_RANKS + 1))])


def deck_option(help: str, default: str | None = None) -> Callable[[Any], Any]:
    """The option `--deck`, given on as the number of ranks."""
    metavar = f"[{'|'.join(DECKS)}|1..{MAX_RANKS}]"
    return click.option("--deck", type=DECK, default=default, metavar=metavar, help=help)


def players_option(help: str, required: bool = False) -> Callable[[Any], Any]:
    """The option `--players`, given on as `specs`."""
    return click.option(
        "--players", "specs", type=PLAYERS, required=required, metavar="A,B,…", help=help
    )


option_option = click.option(
    "--option",
    "pairs",
    type=OPTION,
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the game.",
)


class Group(click.Group):
    """Commands; an unknown one is refused with the one that may have been meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            like = meant(name, known)
            ctx.fail(f"No such command {quoted(name)}{like}, expected one of: {', '.join(known)}.")
        return super().resolve_command(ctx, args)
