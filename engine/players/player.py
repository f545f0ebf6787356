"""Players, who choose actions and know a game only by its interface.

A player is written as a specification, `NAME` or `NAME:OPTION=VALUE:…`, such as `greedy` or
`pimc:samples=50`.
"""

from __future__ import annotations

import importlib
import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from engine.errors import GameError
from engine.game import Action, Game, State
from engine.text import meant, quoted

PLAYERS: dict[str, str] = {
    "random": "engine.players.player:Random",
    "greedy": "engine.players.greedy:Greedy",
    "pimc": "engine.players.pimc:Pimc",
}
"""Known players: name -> "module:class", imported when asked for; front ends may know more."""


class Player(ABC):
    """Chooses actions in one game, on any seat."""

    def __init__(self, game: Game) -> None:
        """Raises GameError for a game that he cannot play. Subclasses may take options."""
        self.game = game

    @classmethod
    def option_help(cls) -> Mapping[str, str]:
        """Keyword option of the constructor -> one line with its legal values and default."""
        return {}

    def begin(self, seen: Iterable[Any] = ()) -> None:  # noqa: B027 - most remember nothing
        """A game begins, or goes on in which these states have come up: forget the last one."""

    @abstractmethod
    def choose(self, state: Any, rng: random.Random) -> Action:
        """An action of the current player of `state`.

        It depends on nothing but what that player has seen and on `rng`.
        """


class Random(Player):
    """Every legal action is equally likely."""

    def choose(self, state: State, rng: random.Random) -> Action:
        return rng.choice(state.legal_actions())


def make_player(spec: str, game: Game, known: Mapping[str, str] = PLAYERS) -> Player:
    """The player written `spec`. Raises GameError with the list of known players or options."""
    name, _, rest = spec.strip().partition(":")
    cls = player_class(name, known)
    options = {}
    for item in filter(None, rest.split(":")):
        key, equals, value = item.partition("=")
        key = key.strip()
        if key not in cls.option_help() or not equals:
            raise GameError(
                f"{quoted(item)} is not an option of the player {name}"
                f"{meant(key, cls.option_help())}, "
                f"expected one of: {', '.join(f'{key}=…' for key in cls.option_help()) or 'none'}"
            )
        options[key] = value.strip()
    return cls(game, **options)


def player_class(name: str, known: Mapping[str, str] = PLAYERS) -> type[Player]:
    """The class of the player called `name`. Raises GameError with the list of known ones."""
    if name not in known:
        raise GameError(
            f"unknown player {quoted(name)}{meant(name, known)}, "
            f"expected one of: {', '.join(known)}"
        )
    module, _, attribute = known[name].partition(":")
    cls: type[Player] = getattr(importlib.import_module(module), attribute)
    return cls
