"""A player that samples the hidden cards and plays every sample out (Monte Carlo)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, pstdev

from engine.errors import GameError
from engine.game import Action, Game, State
from engine.players.greedy import Greedy
from engine.players.player import Player
from engine.text import number_in, quoted

SAMPLES = 20
LIMIT = 200
"""A sample that is not over after this many actions counts as a draw."""
ERRORS = 1.5
"""A gain is believed if it is more than this many standard errors above 0."""
MOST_SAMPLES = 1_000_000


class Pimc(Player):
    """Takes the action with the best average over samples that the greedy player plays out.

    Every action is tried on the same samples, so that all have the same luck. The greedy player's
    own action stands unless another is better by more than chance: of many equally good actions,
    some always look better in a few samples.
    """

    def __init__(self, game: Game, samples: int | str = SAMPLES) -> None:
        """`samples` is the number of samples for a decision. Raises GameError."""
        super().__init__(game)
        number = number_in(samples, range(1, MOST_SAMPLES + 1))
        if number is None:
            raise GameError(
                f"samples={quoted(samples)} is wrong, expected a number from 1 to {MOST_SAMPLES:,}"
            )
        self.samples = number
        self._greedy = Greedy(game)

    @classmethod
    def option_help(cls) -> Mapping[str, str]:
        return {"samples": f"samples for a decision, 1 to {MOST_SAMPLES:,} (default: {SAMPLES})"}

    def choose(self, state: State, rng: random.Random) -> Action:
        """The action that gains most over the greedy player's own, if any gains; else his."""
        favourite = self._greedy.choose(state, rng)
        others = [action for action in state.legal_actions() if action != favourite]
        if not others:
            return favourite
        samples = [state.sample(state.current_player, rng) for _ in range(self.samples)]
        usual = self._values(favourite, samples, rng)
        best, most = favourite, 0.0
        for action in others:
            values = self._values(action, samples, rng)
            gains = [value - other for value, other in zip(values, usual, strict=True)]
            gain = fmean(gains)
            if gain > most and gain > ERRORS * pstdev(gains) / sqrt(len(gains)):
                best, most = action, gain
        return best

    def _values(self, action: Action, samples: Sequence[State], rng: random.Random) -> list[float]:
        """The value of an action in each sample; equal samples are played once."""
        values = {
            sample: self._value(sample.apply(action), sample.current_player, rng)
            for sample in dict.fromkeys(samples)
        }
        return [values[sample] for sample in samples]

    def _value(self, state: State, player: int, rng: random.Random) -> float:
        """What `player` gets if all play greedily from here on."""
        for _ in range(LIMIT):
            if state.is_decided:
                return state.returns()[player - 1]
            state = state.apply(self._greedy.choose(state, rng))
        return 0.0
