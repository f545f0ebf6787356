"""A player of Challenge for every deck: tables, proofs, estimates."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping

from engine.choice import SuitChoice
from engine.errors import GameError
from engine.game import Game
from engine.players.player import Player
from engine.position import ChallengeAction, Position
from engine.text import number_in, quoted
from solver.player import VERBS, Perfect
from solver.single.estimate import percent
from solver.solution import Move, Outcome
from solver.solver import MOST_NODES, Solver
from solver.tables import Tables, open_tables

SECONDS = 1.0
"""For a move, if nothing else is asked for."""
AGAIN = 1.5
"""How much less a move is liked, in log odds, for every time that its position has come up."""
NEAR = 1.0
"""Log odds by which a move may look worse than the best and still be chosen by rule of thumb."""
PROVED = {Outcome.WIN: 99.0, Outcome.DRAW: 0.0, Outcome.LOSS: -99.0}
"""Log odds of a move that is proved, beyond those of any estimate."""


class SearchPlayer(Player):
    """Plays as `Perfect` in decks with tables; else makes a proved win, or what looks best.

    Between moves that are not proved estimates choose, made by looking ahead within the trick; a
    position that has come up before counts less each time. Estimates hardly tell which of several
    good moves gets on, and games went round in circles; so among moves that look nearly as good as
    the best it plays as `greedy` does.
    """

    def __init__(
        self,
        game: Game,
        seconds: str | float | None = None,
        nodes: str | int | None = None,
        tables: Tables | None = None,
    ) -> None:
        """Limits of a search for a move. Raises GameError for wrong ones or for another game."""
        super().__init__(game)
        if game.name != "challenge":
            raise GameError(f"the player search plays challenge, not {game.name}")
        most = None if nodes is None else number_in(nodes, range(1, MOST_NODES + 1))
        if nodes is not None and most is None:
            raise GameError(
                f"nodes={quoted(nodes)} is wrong, expected a number from 1 to {MOST_NODES:,}"
            )
        tables = open_tables() if tables is None else tables
        self._perfect = Perfect(game) if game.options["ranks"] in tables else None
        time = _seconds(seconds) if seconds is not None else None if most else SECONDS
        self._solver = Solver(method="search", max_nodes=most, max_seconds=time)
        self._reproducible = most is not None
        self._seen: dict[Position, int] = {}

    @classmethod
    def option_help(cls) -> Mapping[str, str]:
        return {
            "seconds": f"time for a move in a deck without a table (default: {SECONDS:g})",
            "nodes": "lead nodes for a move; without seconds, always the same moves",
        }

    def begin(self, seen: Iterable[Position] = ()) -> None:
        """A game begins, or goes on in which these positions have come up."""
        self._seen = dict.fromkeys(seen, 1)
        if self._perfect:
            self._perfect.begin(self._seen)

    def choose(self, state: Position | SuitChoice, rng: random.Random) -> ChallengeAction:
        """Depends on what has come up since `begin`."""
        if not isinstance(state, Position):  # suits are chosen, which are all alike
            return state.rule_of_thumb()
        if self._perfect:
            return self._perfect.choose(state, rng)
        self._seen[state] = self._seen.get(state, 0) + 1
        actions = state.legal_actions()
        if len(actions) == 1:
            action = actions[0]
        else:
            liked = {move.action: self._liked(state, move) for move in self._moves(state)}
            least = max(liked.values()) - NEAR
            action = state.rule_of_thumb([each for each in actions if liked[each] >= least])  # type: ignore[assignment]
        after = state.apply(action)
        self._seen[after] = self._seen.get(after, 0) + 1
        return action

    def _moves(self, state: Position) -> tuple[Move, ...]:
        if self._reproducible:  # nothing is kept from earlier moves
            solver = self._solver
            self._solver = Solver(
                method="search", max_nodes=solver.max_nodes, max_seconds=solver.max_seconds
            )
        return self._solver.solve(state).moves

    def _liked(self, state: Position, move: Move) -> float:
        if move.estimate is None:
            score = PROVED[move.outcome]
        else:
            score = math.log((move.estimate.win + 1e-6) / (move.estimate.loss + 1e-6))
        return score - AGAIN * self._seen.get(state.apply(move.action), 0)

    def hint(self, position: Position) -> str:
        """What is proved, or estimated, of the best moves. Raises TableError for broken tables."""
        if self._perfect:
            return self._perfect.hint(position)
        moves = self._moves(position)
        proved = [f"{move.action} {VERBS[move.outcome]}" for move in moves if not move.estimate]
        likely = [f"{move.action} {percent(move.estimate.win)}" for move in moves if move.estimate]
        if not likely:
            return "; ".join(proved)
        guess = f"Not proved, likely to win: {', '.join(likely[:5])}"
        return "; ".join([*proved, guess])


def _seconds(text: str | float) -> float:
    """A time. Raises GameError."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise GameError(f"seconds={quoted(text)} is wrong, expected a number greater than 0")
    return seconds
