"""A player of Challenge for every deck: tables, proofs, estimates."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from engine.choice import SuitChoice
from engine.errors import GameError
from engine.game import Game
from engine.players.player import Player
from engine.position import ChallengeAction, Position
from engine.text import number_in, quoted
from solver.player import VERBS, Perfect
from solver.single.estimate import percent
from solver.solution import Outcome
from solver.solver import MOST_NODES, Solver
from solver.tables import Tables, open_tables

if TYPE_CHECKING:
    from solver.single.lookahead import Lookahead

SECONDS = 1.0
"""For a move, if nothing else is asked for."""
PROOF_SHARE = 0.2
"""Of the nodes or the time for a move, spent on proofs; look-ahead has the rest."""


class SearchPlayer(Player):
    """Plays as `Perfect` in decks with tables; else makes a proved win, or what looks best.

    Between moves that are equal by all proofs a look-ahead over estimates chooses
    (`solver.single.lookahead`), for which a position that has come up before is a draw.
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
        self._nodes, self._seconds = most, time
        self._solver = self._new_solver()
        self._lookahead: Lookahead | None = None
        self._seen: set[Position] = set()

    def _new_solver(self) -> Solver:
        nodes, seconds = self._nodes, self._seconds
        return Solver(
            method="search",
            max_nodes=nodes and max(1, round(PROOF_SHARE * nodes)),
            max_seconds=seconds and PROOF_SHARE * seconds,
        )

    @classmethod
    def option_help(cls) -> Mapping[str, str]:
        return {
            "seconds": f"time for a move in a deck without a table (default: {SECONDS:g})",
            "nodes": "lead nodes for a move; without seconds, always the same moves",
        }

    def begin(self, seen: Iterable[Position] = ()) -> None:
        """A game begins, or goes on in which these positions have come up."""
        seen = list(seen)
        self._seen = {position for position in seen if position.is_base}
        if self._perfect:
            self._perfect.begin(seen)
        elif self._nodes:  # the same nodes find the same: nothing is kept from the last game
            self._solver = self._new_solver()

    def choose(self, state: Position | SuitChoice, rng: random.Random) -> ChallengeAction:
        """Depends on what has come up since `begin`."""
        if not isinstance(state, Position):  # suits are chosen, which are all alike
            return state.rule_of_thumb()
        if self._perfect:
            return self._perfect.choose(state, rng)
        self._see(state)
        action = self._choice(state)
        self._see(state.apply(action))
        return action

    def _see(self, position: Position) -> None:
        if position.is_base:
            self._seen.add(position)

    def _choice(self, position: Position) -> ChallengeAction:
        actions = position.legal_actions()
        if len(actions) == 1:
            return actions[0]
        proved = self._solver.proved(position)
        for outcome in (Outcome.WIN, None, Outcome.DRAW, Outcome.LOSS):
            best = [action for action in actions if proved.get(action) == outcome]
            if best:
                break
        if self._lookahead is None:
            from solver.single.lookahead import Lookahead

            self._lookahead = Lookahead(position.ranks)
        nodes, seconds = self._nodes, self._seconds
        return self._lookahead.best(
            position,
            best,
            max_nodes=nodes and max(1, round((1 - PROOF_SHARE) * nodes)),
            max_seconds=seconds and (1 - PROOF_SHARE) * seconds,
            seen=self._seen,
        )

    def hint(self, position: Position) -> str:
        """What is proved, or estimated, of the best moves. Raises TableError for broken tables."""
        if self._perfect:
            return self._perfect.hint(position)
        moves = self._solver.solve(position).moves
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
