"""A player by rules of thumb: fast, and far better than chance."""

from __future__ import annotations

import random

from engine.game import Action, State
from engine.players.player import Player


class Greedy(Player):
    """Plays by rules of thumb: beats if possible, spends cheap cards first."""

    def choose(self, state: State, rng: random.Random) -> Action:
        """The same action for the same state: there is no chance in it."""
        return state.rule_of_thumb()
