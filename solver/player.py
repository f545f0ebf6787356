"""A player of Challenge that never gives away a win or a draw."""

from __future__ import annotations

import random

from engine.errors import GameError
from engine.game import Game
from engine.players.player import Player
from engine.position import ChallengeAction, Position
from solver.solution import Move, Outcome
from solver.solver import Solver


class Perfect(Player):
    """Plays the best move of the complete solution; when lost, the one that lasts longest."""

    def __init__(self, game: Game) -> None:
        """Raises GameError for another game than Challenge."""
        super().__init__(game)
        if game.name != "challenge":
            raise GameError(f"the player perfect plays challenge, not {game.name}")
        self._solver = Solver(method="table")

    def choose(self, state: Position, rng: random.Random) -> ChallengeAction:
        """Raises TableError if the deck has no table."""
        return self._solver.solve(state).best[0]

    def hint(self, position: Position) -> str:
        """What comes of every move, the one it would play first: `9D wins in 3 tricks; KS loses …`.

        Raises TableError if the deck has no table.
        """
        return "; ".join(map(_verdict, self._solver.solve(position).moves))


_VERBS = {Outcome.WIN: "wins", Outcome.LOSS: "loses", Outcome.DRAW: "draws"}


def _verdict(move: Move) -> str:
    """What a move leads to."""
    verb = _VERBS[move.outcome]
    if move.distance is None:
        return f"{move.action} {verb}"
    if move.distance == 0:
        return f"{move.action} {verb} at once"
    tricks = "trick" if move.distance == 1 else "tricks"
    return f"{move.action} {verb} in {move.distance} {tricks}"
