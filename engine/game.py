"""The small interface behind which every game stands.

A `Game` (rules and options) makes `State`s; a state is immutable and knows whose turn it is, what
he may do and what comes of it. Players, drivers and the command line know nothing else. Players are
numbered from 1 in the order of the seats. Actions are hashable values whose text form is given by
`State.action_to_string`; a turn of two cards ("beat, then lead") is two actions of the same player.
"""

from __future__ import annotations

import importlib
import random
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any

from engine.errors import GameError
from engine.notation import action_words

Action = Hashable

GAMES: dict[str, str] = {
    "challenge": "engine.challenge:Challenge",
    "svoyi_kozyri": "engine.games.svoyi_kozyri:SvoyiKozyri",
    "hund": "engine.games.hund:Hund",
    "kozel": "engine.games.kozel:Kozel",
}
"""Known games: name -> "module:class", imported when asked for."""


class Game(ABC):
    """The rules of one game with its options fixed."""

    name: str
    """The name under which `load_game` knows the game."""
    players: int
    """Number of seats; players are numbered 1..players."""
    limit: int
    """After this many actions a driver ends the game as a draw; an option of every game."""

    @classmethod
    @abstractmethod
    def option_help(cls) -> Mapping[str, str]:
        """Every keyword option of the constructor -> its legal values and default, a line each."""

    @abstractmethod
    def initial(self, seed: int) -> State:
        """The state after the deal made from `seed`; the same seed gives the same state."""

    @abstractmethod
    def parse(self, text: str) -> State:
        """The state whose text form is `text`. Raises GameError."""

    def repetition_key(self, state: Any) -> Hashable | None:
        """What a driver counts: a game is drawn when the same key comes up for the third time.

        None, the default, for a state that does not count. States themselves know no history.
        """
        return None


class State(ABC):
    """One moment of a game; immutable and hashable.

    `str(state)` is its text form, `game.parse` the inverse.
    """

    @property
    @abstractmethod
    def current_player(self) -> int:
        """The player who acts, 1..players, or 0 when the game is over."""

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player == 0

    @abstractmethod
    def legal_actions(self) -> tuple[Action, ...]:
        """What the current player may do, each once, in a fixed order; empty after the end."""

    @abstractmethod
    def apply(self, action: Any) -> State:
        """The state after the current player's `action`, or the action that has this text form.

        Raises GameError if it is not legal.
        """

    @abstractmethod
    def returns(self) -> tuple[float, ...]:
        """One number a player, for a finished game. Raises GameError before the end."""

    @abstractmethod
    def action_to_string(self, action: Any) -> str:
        """The text form of an action, unique among the legal ones of this state."""

    def parse_action(self, text: str) -> Action:
        """The legal action written `text`: cards in any order, as `parse_card` reads each; a word.

        Raises GameError.
        """
        wanted = action_words(text)
        for action in self.legal_actions():
            if action_words(self.action_to_string(action)) == wanted:
                return action
        raise self._illegal(text.strip())

    def _named(self, action: Any) -> Action:
        """The legal action that an action which is not legal as it is has for its text form.

        Raises GameError if there is none.
        """
        if isinstance(action, str):
            return self.parse_action(action)
        raise self._illegal(self.action_to_string(action))

    def _illegal(self, name: str) -> GameError:
        names = ", ".join(map(self.action_to_string, self.legal_actions()))
        return GameError(
            f"{name!r} is not a legal action here, "
            f"expected one of: {names or 'none, the game is over'}"
        )

    @abstractmethod
    def information_state_string(self, player: int) -> str:
        """Exactly what `player` has seen so far and nothing more."""

    def sample(self, player: int, rng: random.Random) -> State:
        """A random state consistent with what `player` has seen; itself when nothing is hidden."""
        return self

    @abstractmethod
    def __str__(self) -> str:
        """The text form."""


def load_game(name: str, **options: Any) -> Game:
    """The game called `name` with these options; raises GameError with the list of known ones."""
    if name not in GAMES:
        raise GameError(f"unknown game {name!r}, expected one of: {', '.join(sorted(GAMES))}")
    module, _, attribute = GAMES[name].partition(":")
    cls = getattr(importlib.import_module(module), attribute)
    known = cls.option_help()
    for key in options:
        if key not in known:
            raise GameError(
                f"unknown option {key!r} of {name}, "
                f"expected one of: {', '.join(sorted(known)) or 'none'}"
            )
    game: Game = cls(**options)
    return game
