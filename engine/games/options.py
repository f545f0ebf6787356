"""Options of a game: one table by which they are read, checked and explained.

Values may come from Python (`players=3`, `two_trumps=True`) or from the command line (`"3"`,
`"true"`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from engine.errors import GameError
from engine.game import Game
from engine.text import meant, number_in, quoted

FLAG = ("false", "true")


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its meaning, its legal values (words or a range of numbers), its default."""

    meaning: str
    legal: tuple[str, ...] | range
    default: str

    def read(self, name: str, value: Any) -> Any:
        """The value as a word, a number or, for a flag, a bool. Raises GameError."""
        if isinstance(self.legal, range):
            number = number_in(value, self.legal)
            if number is not None:
                return number
        elif (text := str(value).strip().lower()) in self.legal:
            return text == "true" if self.legal is FLAG else text
        raise GameError(
            f"option {name}: {quoted(value).lower()} is not legal, expected {self.values()}"
        )

    def values(self) -> str:
        """The legal values, as a phrase."""
        if isinstance(self.legal, range):
            return f"a number from {self.legal[0]} to {self.legal[-1]}"
        *others, last = self.legal
        return f"{', '.join(others)} or {last}"


def dealer_option(players: int) -> Option:
    """Who deals; a `Match` sets it."""
    seats = tuple(str(player) for player in range(1, players + 1))
    return Option("the player who deals", ("random", *seats), "random")


def limit_option(default: int) -> Option:
    """The limit of a game, see `Game.limit`."""
    return Option("actions after which a game is a draw", range(1, 1_000_001), str(default))


class OptionGame(Game):
    """A game whose options are the attributes named in `OPTIONS`."""

    OPTIONS: ClassVar[Mapping[str, Option]]

    def __init__(self, **options: Any) -> None:
        """Raises GameError for an unknown option or an illegal value."""
        for name in options:
            if name not in self.OPTIONS:
                raise GameError(
                    f"unknown option {quoted(name)} of {self.name}{meant(name, self.OPTIONS)}, "
                    f"expected one of: {', '.join(sorted(self.OPTIONS))}"
                )
        for name, option in self.OPTIONS.items():
            setattr(self, name, option.read(name, options.get(name, option.default)))

    @classmethod
    def option_help(cls) -> Mapping[str, str]:
        return {
            name: f"{option.meaning}: {option.values()} (default: {option.default})"
            for name, option in cls.OPTIONS.items()
        }

    @property
    def options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.OPTIONS}

    def dealer_or(self, drawn: int) -> int:
        """The player who deals: the one set by option, else the one `drawn` at random."""
        return drawn if self.dealer == "random" else int(self.dealer)

    def dealt_by(self, dealer: int) -> Self:
        return type(self)(**{**self.options, "dealer": dealer})
