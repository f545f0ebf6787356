"""The small interface behind which every game stands.

A `Game` (rules and options) makes `State`s; a state is immutable and knows whose turn it is, what
he may do and what comes of it. Players, drivers, matches and the command line know nothing else, so
a new game is a module and a line in `GAMES`. Players are numbered from 1 in the order of the seats.
Actions are hashable values whose text form is given by `State.action_to_string`; a turn of two
cards ("beat, then lead") is two actions of the same player.
"""

from __future__ import annotations

import importlib
import random
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, ClassVar, Self

from engine.cards import Card
from engine.errors import GameError
from engine.notation import action_words
from engine.observation import Observation, Pen
from engine.text import meant, quoted

Action = Hashable

GAMES: dict[str, str] = {
    "challenge": "engine.challenge:Challenge",
    "svoyi_kozyri": "engine.games.svoyi_kozyri:SvoyiKozyri",
    "hund": "engine.games.hund:Hund",
    "kozel": "engine.games.kozel:Kozel",
}
"""Known games: name -> "module:class", imported when asked for."""


class Game(ABC):
    """The rules of one game with its options fixed; equal if they are.

    The second half says how deals make a match, as `engine.arena.match` plays it: by default a
    point counts against a player, the deal passes clockwise, and the players agree on the target.
    """

    name: str
    """The name under which `load_game` knows the game."""
    players: int
    """Number of seats; players are numbered 1..players."""
    limit: int
    """A game is cut off after this many actions; an option of every game."""
    action_count: int
    """Actions are numbered from 0 to `action_count` - 1, see `State.action_number`."""

    @classmethod
    @abstractmethod
    def option_help(cls) -> Mapping[str, str]:
        """Keyword option of the constructor -> one line with its legal values and default."""

    @property
    @abstractmethod
    def options(self) -> dict[str, Any]:
        """Every option with its value, as the constructor takes them."""

    @abstractmethod
    def initial(self, seed: int) -> State:
        """The state after the deal made from `seed`; the same seed gives the same state."""

    @abstractmethod
    def parse(self, text: str) -> State:
        """The state whose text form is `text`. Raises GameError."""

    def repetition_key(self, state: Any) -> Hashable | None:
        """A game is drawn when the same key, other than None, comes up for the third time.

        Whoever plays a game out must count: states themselves know no history.
        """
        return None

    bounds: tuple[float, float] = (-1.0, 1.0)
    """The lowest and the highest return of a player."""
    targets: Collection[int] = range(1, 1001)
    """The scores at which a match may end."""
    usual_target = 5
    few_is_good = True
    """Whether points count against a player."""
    at_the_table: ClassVar[Mapping[str, Any]] = {}
    """Options with which people play, unless they set others."""
    rules: str = ""
    """A summary for people who play."""
    examples: ClassVar[Mapping[str, str]] = {}
    """Actions as people write them -> what they do."""
    dealer: str = "random"
    """Who deals: a player, if there is an option to set him, or `random`."""

    def dealt_by(self, dealer: int) -> Self:
        """The game in which the player on this seat deals."""
        return self

    def first_dealer(self, rng: random.Random) -> tuple[int, tuple[tuple[Card, ...], ...]]:
        """Who deals first in a match, and the cards that the players cut for it, round by round.

        There are no cards where a dealer is just drawn.
        """
        return rng.randint(1, self.players), ()

    def seats(self, dealer: int) -> tuple[int, ...]:
        """The seat of each player in a deal of this dealer; in most games its number is his."""
        return tuple(range(1, self.players + 1))

    def after(self, dealer: int, final: Any) -> Game:
        """The game of the next deal of a match, dealt by `dealer`; `final` ended the last one."""
        return self.dealt_by(dealer)

    @abstractmethod
    def points(self, final: Any) -> tuple[int, ...]:
        """What each player scores in a deal that was decided when it ended in this state."""

    def next_dealer(self, dealer: int, final: Any) -> int:
        """Who deals after `dealer` if his deal ended like this, perhaps as a draw at the limit."""
        return dealer % self.players + 1

    def ends_match(self, scores: Sequence[int], target: int) -> bool:
        """Whether a match is over with these scores."""
        return max(scores) >= target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.name, *self.options.values()))

    def __repr__(self) -> str:
        usual = type(self)().options
        options = [f"{k}={value!r}" for k, value in self.options.items() if value != usual[k]]
        return f"{type(self).__name__}({', '.join(options)})"


class State(ABC):
    """One moment of a game; immutable, hashable, and pickled like any value.

    `str(state)` is its text form, `game.parse` the inverse.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def current_player(self) -> int:
        """The player who acts, 1..players, or 0 when the game is over."""

    @property
    def dealer(self) -> int:
        """The player who has dealt."""
        return 1

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player == 0

    @property
    def is_decided(self) -> bool:
        """Whether returns and points stand, also if the game is cut off here; else it is a draw."""
        return self.is_terminal

    @abstractmethod
    def legal_actions(self) -> tuple[Action, ...]:
        """What the current player may do, each once, in a fixed order; empty after the end."""

    @abstractmethod
    def apply(self, action: Any) -> State:
        """The state after the current player's `action`, given as such or as its text.

        Raises GameError if it is not legal.
        """

    @abstractmethod
    def returns(self) -> tuple[float, ...]:
        """A number for each player, once the game is decided. Raises GameError before."""

    def action_to_string(self, action: Any) -> str:
        """The text form of an action, unique among the legal ones of this state."""
        return self.label(action, Pen())

    def label(self, action: Any, pen: Pen) -> str:
        """The text form of an action, its cards drawn."""
        return pen.action(action)

    def parse_action(self, text: str) -> Action:
        """The legal action written `text`: a word, or cards as `parse_card` reads them.

        Raises GameError.
        """
        wanted = action_words(text)
        for action in self.legal_actions():
            if action_words(self.action_to_string(action)) == wanted:
                return action
        raise self._illegal(text.strip())

    def _named(self, action: Any) -> Action:
        """The legal action whose text form is `action`. Raises GameError if there is none."""
        if isinstance(action, str):
            return self.parse_action(action)
        raise self._illegal(self.action_to_string(action))

    def _illegal(self, name: str) -> GameError:
        names = ", ".join(map(self.action_to_string, self.legal_actions()))
        return GameError(
            f"{quoted(name)} is not a legal action here, "
            f"expected one of: {names or 'none, the game is over'}"
        )

    @abstractmethod
    def observation(self, player: int) -> Observation:
        """What `player` has seen so far and nothing more; for 0, a spectator, everything."""

    def information_state_string(self, player: int) -> str:
        """The text form of what `player` has seen."""
        return str(self.observation(player))

    def sample(self, player: int, rng: random.Random) -> State:
        """A random state consistent with what `player` has seen; itself when nothing is hidden."""
        return self

    @abstractmethod
    def rule_of_thumb(self) -> Action:
        """A legal action that is far better than chance and found at once, always the same.

        It depends on nothing but what the current player has seen.
        """

    @abstractmethod
    def action_number(self, action: Any) -> int:
        """The number of a legal action, from 0; see `Game.action_count`."""

    def task(self, pen: Pen) -> str:
        """What the current player is asked to do: `beat 9D or pick up 3`."""
        return "your move"

    @abstractmethod
    def phrase(self, action: Any, pen: Pen, public: bool) -> str | None:
        """What a legal action is, told to people: `leads 9D`; None if nobody notices it.

        `public` leaves out what only the current player knows.
        """

    def news(self, after: Any, names: Sequence[str]) -> str | None:
        """What else to tell of the action that has led from here to `after`."""
        return None

    def result(self) -> str | None:
        """What to tell of a finished game, besides its returns."""
        return None

    def __str__(self) -> str:
        return str(self.observation(0))


def one_point(player: int, players: int) -> tuple[int, ...]:
    """A point for this player; none if there is no such player."""
    return tuple(int(p == player) for p in range(1, players + 1))


def load_game(name: str, /, **options: Any) -> Game:
    """The game called `name` with these options; raises GameError with the list of known ones."""
    if name not in GAMES:
        raise GameError(
            f"unknown game {quoted(name)}{meant(name, GAMES)}, "
            f"expected one of: {', '.join(sorted(GAMES))}"
        )
    module, _, attribute = GAMES[name].partition(":")
    cls = getattr(importlib.import_module(module), attribute)
    known = cls.option_help()
    for key in options:
        if key not in known:
            raise GameError(
                f"unknown option {quoted(key)} of {name}{meant(key, known)}, "
                f"expected one of: {', '.join(sorted(known)) or 'none'}"
            )
    game: Game = cls(**options)
    return game
