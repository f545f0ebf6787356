"""A game being played: the state, how it came about, and when it is over.

The rules of some games set no limit, so a game is also over after `Game.limit` actions or when
the same `Game.repetition_key` comes up for the third time: as a draw if nothing is decided.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

from engine.game import Action, Game, State
from engine.players.player import Player

FINISHED, LIMIT, REPETITION = "finished", "limit", "repetition"
TIMES = 3
"""How often a repetition key comes up before the game is drawn."""


class Play:
    """One game in progress."""

    def __init__(self, game: Game, state: State) -> None:
        self.game = game
        self.state = state
        self.actions = 0
        self._seen: Counter[Hashable] = Counter()
        self._count()

    def act(self, action: Action) -> None:
        """Apply an action of the current player. Raises GameError if it is not legal."""
        self.state = self.state.apply(action)
        self.actions += 1
        self._count()

    def _count(self) -> None:
        key = self.game.repetition_key(self.state)
        self._repeated = False
        if key is not None:
            self._seen[key] += 1
            self._repeated = self._seen[key] >= TIMES

    @property
    def end(self) -> str | None:
        """Why the game is over, one of `FINISHED`, `LIMIT`, `REPETITION`; None if it is not."""
        if self.state.is_terminal:
            return FINISHED
        if self._repeated:
            return REPETITION
        return LIMIT if self.actions >= self.game.limit else None

    def returns(self) -> tuple[float, ...]:
        """A number for each player, 0 if the game was cut off and nothing is decided.

        Raises GameError before the end.
        """
        if self.end in (LIMIT, REPETITION) and not self.state.is_decided:
            return (0.0,) * self.game.players
        return self.state.returns()


class Step(NamedTuple):
    """An action and the state in which it was taken."""

    state: State
    action: Action


def steps(play: Play, choose: Callable[[State], Action]) -> Iterator[Step]:
    """Play to the end, `choose` taking every action; yields each action once taken."""
    while not play.end:
        state = play.state
        action = choose(state)
        play.act(action)
        yield Step(state, action)


def taking_turns(players: Sequence[Player], seed: int) -> Callable[[State], Action]:
    """A `choose` for `steps` that asks the player in turn; they are in the order of the seats.

    The same seed gives the same choices: every seat has its own random generator.
    """
    for player in players:
        player.begin()
    generators = [random.Random(f"{seed} {seat}") for seat in range(len(players))]

    def choose(state: State) -> Action:
        seat = state.current_player - 1
        return players[seat].choose(state, generators[seat])

    return choose
