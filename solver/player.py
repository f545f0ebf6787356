"""A player of Challenge that never gives away a win or a draw."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from engine.choice import SuitChoice
from engine.errors import GameError
from engine.game import Game
from engine.players.player import Player
from engine.position import ChallengeAction, Position
from solver.solution import Move, Outcome, Solution
from solver.solver import Solver


class Perfect(Player):
    """Plays the best move of the complete solution.

    A winner gets on with every trick, by distances or progress. Where neither can be had he keeps
    the win, avoids positions that have come up before in the game, and among the rest plays by the
    rule of thumb of the game. Who does not win sets problems: among the best moves, which resist
    longest where that is known, he takes one that leaves the other the fewest good replies. (To
    look at the replies first, at resistance second, wins far fewer lost deals against `greedy` and
    `pimc`.)
    """

    def __init__(self, game: Game) -> None:
        """Raises GameError for another game than Challenge."""
        super().__init__(game)
        if game.name != "challenge":
            raise GameError(f"the player perfect plays challenge, not {game.name}")
        self._solver = Solver(method="table", unpack=True)
        self._seen: set[Position] = set()

    def begin(self, seen: Iterable[Position] = ()) -> None:
        """A game begins, or goes on in which these positions have come up."""
        self._seen.clear()
        self._seen.update(seen)

    def choose(self, state: Position | SuitChoice, rng: random.Random) -> ChallengeAction:
        """Raises TableError if the deck has no table.

        Where progress is missing the choice depends on what it has chosen since `begin`.
        """
        if not isinstance(state, Position):  # suits are chosen, which are all alike
            return state.rule_of_thumb()
        solution = self._solver.solve(state)
        if solution.outcome != Outcome.WIN:
            return self._problem(solution)
        if solution.measure:
            return solution.best[0]
        return self._by_rule_of_thumb(state, solution.best)

    def _by_rule_of_thumb(
        self, state: Position, winning: Sequence[ChallengeAction]
    ) -> ChallengeAction:
        """A winning move, not to a position that has come up if there is another."""
        self._seen.add(state)
        new = [action for action in winning if state.apply(action) not in self._seen]
        action: ChallengeAction = state.rule_of_thumb(new or winning)  # type: ignore[assignment]
        self._seen.add(state.apply(action))
        return action

    def _problem(self, solution: Solution) -> ChallengeAction:
        """The best move after which the other has the fewest replies that keep what he has."""
        if len(solution.best) == 1:
            return solution.best[0]
        return min(
            solution.best, key=lambda action: self._good_replies(solution.position.apply(action))
        )

    def _good_replies(self, position: Position) -> int:
        """How many replies of the other to a move are good; after a beat a lead still follows."""
        solution = self._solver.solve(position)
        if position.top is None and not position.is_base:
            return min(
                self._good_replies(position.apply(move.action))
                for move in solution.moves
                if move.outcome == solution.outcome
            )
        return sum(move.outcome == solution.outcome for move in solution.moves)

    def hint(self, position: Position) -> str:
        """What comes of every move, the one it would play first: `9D wins in 3 tricks; KS loses …`.

        With progress, `9D, KS win, 9D makes progress; AS loses`. Raises TableError if the deck has
        no table.
        """
        solution = self._solver.solve(position)
        if solution.measure == "distance" or solution.outcome != Outcome.WIN:
            return "; ".join(map(_verdict, solution.moves))
        winning = [move.action for move in solution.moves if move.outcome == Outcome.WIN]
        text = f"{_list(winning)} {'wins' if len(winning) == 1 else 'win'}"
        if solution.measure and len(winning) > len(solution.best):
            makes = "makes" if len(solution.best) == 1 else "make"
            text += f", {_list(solution.best)} {makes} most progress"
        rest = solution.moves[len(winning) :]
        return "; ".join([text, *map(_verdict, rest)])


VERBS = {Outcome.WIN: "wins", Outcome.LOSS: "loses", Outcome.DRAW: "draws"}


def _list(actions: Iterable[ChallengeAction]) -> str:
    return ", ".join(map(str, actions))


def _verdict(move: Move) -> str:
    """What a move leads to."""
    verb = VERBS[move.outcome]
    if move.distance is None:
        return f"{move.action} {verb}"
    if move.distance == 0:
        return f"{move.action} {verb} at once"
    tricks = "trick" if move.distance == 1 else "tricks"
    return f"{move.action} {verb} in {move.distance} {tricks}"
