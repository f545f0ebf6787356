"""A player that samples what it cannot see and plays every sample out (Monte Carlo)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from engine.game import Action, Game, GameError, State
from engine.greedy import Greedy
from engine.players import Player

SAMPLES = 20
LIMIT = 200
"""After this many actions a game that is played out counts as a draw."""


class Pimc(Player):
    """Takes the action with the best average over samples that the greedy player plays out.

    Every action is tried on the same samples, so that luck is the same for all.
    """

    def __init__(self, game: Game, samples: int | str = SAMPLES) -> None:
        """`samples` is the number of samples for a decision. Raises GameError."""
        super().__init__(game)
        if not str(samples).isdecimal() or int(samples) < 1:
            raise GameError(f"samples={samples} is wrong, expected a number of at least 1")
        self.samples = int(samples)
        self._greedy = Greedy(game)

    @classmethod
    def option_help(cls) -> Mapping[str, str]:
        return {"samples": f"samples for a decision, at least 1 (default: {SAMPLES})"}

    def choose(self, state: State, rng: random.Random) -> Action:
        """The greedy player's own action if no other is better on average."""
        player = state.current_player
        actions = state.legal_actions()
        if len(actions) == 1:
            return actions[0]
        samples = Counter(state.sample(player, rng) for _ in range(self.samples))

        def total(action: Action) -> float:
            return sum(
                times * self._value(sample.apply(action), player, rng)
                for sample, times in samples.items()
            )

        favourite = self._greedy.choose(state, rng)
        return max(actions, key=lambda action: (total(action), action == favourite))

    def _value(self, state: State, player: int, rng: random.Random) -> float:
        """What `player` gets if all play greedily from here on."""
        for _ in range(LIMIT):
            if state.is_terminal:
                return state.returns()[player - 1]
            state = state.apply(self._greedy.choose(state, rng))
        return 0.0
