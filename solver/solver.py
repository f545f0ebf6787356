"""`solve(position)`: who wins, in how many tricks, with which moves.

With the tables of the deck no compiler is needed; `solve_many` compiles the same for thousands of
positions. Without tables, or if asked to, `solve` searches (`solver.single.search`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.cards import Card
from engine.errors import GameError
from engine.position import ChallengeAction, Position
from solver.complete import value
from solver.complete.table import UNPACKED_RANKS, Tables, find_table, open_tables
from solver.complete.value import MAX_CARDS, WIN
from solver.core.bitboard import card_bit, hand_bits, view

if TYPE_CHECKING:
    from solver.single.claims import Memory

OUTCOMES = {1: "win", 0: "draw", -1: "loss"}
METHODS = ("auto", "table", "search")
DEFAULT_SECONDS = 60.0
DEFAULT_MEMORY = 1 << 30


@dataclass(frozen=True, slots=True)
class Move:
    """A legal move and what comes of it with best play, for the player who makes it."""

    action: ChallengeAction
    outcome: str
    """"win", "loss" or "draw"; "undecided" if a search has not proved it."""
    distance: int | None
    """Tricks to the end, counting the current one; None for a draw or where no distances are
    known."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What a search has used, and why it ended without a result, if it did."""

    nodes: int
    """Lead nodes."""
    memory: int
    """Bytes, of all searches that share it."""
    stopped: str | None
    """"nodes", "memory", "time" (a limit was reached), "tricks" (no win within the greatest number
    of tricks that is tried), "interrupt" (Ctrl-C); None if the outcome is
    proved."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The exact value of a position, for the player to move."""

    position: Position
    outcome: str
    """"win", "loss" or "draw"; "undecided" if a search has proved none of them."""
    distance: int | None
    """Tricks to the end when the winner hurries and the loser delays, counting the current one (the
    lead of an only card on an empty table counts 0); None for a draw or where no distances are
    known."""
    moves: tuple[Move, ...]
    """Every legal move, best first; equally good ones in written order, `pickup` last."""
    best: tuple[ChallengeAction, ...]
    """The moves to choose from: a winner's are the quickest where distances are known, else those
    that make most progress towards a win where progress is; a loser's resist longest, or delay that
    progress most."""
    line: tuple[ChallengeAction, ...] | None
    """A game with best play to its end, if it was asked for; for a draw, until an empty-table
    position comes up again."""
    score: int
    """The score on which `best` is chosen (see `solver.complete.value`); only its sign from a search."""
    source: str
    """"table" or "search"."""
    seconds: float
    effort: Effort | None = None
    """Of a search."""

    @property
    def to_move(self) -> int:
        """The player to move, 1 or 2."""
        return self.position.turn

    @property
    def winner(self) -> int | None:
        """The player who wins with best play; None for a draw, or if it is not known."""
        return {"win": self.to_move, "loss": 3 - self.to_move}.get(self.outcome)

    def to_dict(self) -> dict[str, Any]:
        """The solution as `challenge solve --json` prints it."""
        result: dict[str, Any] = {
            "position": str(self.position),
            "to_move": self.to_move,
            "outcome": self.outcome,
            "winner": self.winner,
            "distance": self.distance,
            "moves": [
                {"move": str(move.action), "outcome": move.outcome, "distance": move.distance}
                for move in self.moves
            ],
            "best": [str(action) for action in self.best],
        }
        if self.line is not None:
            result["line"] = [str(action) for action in self.line]
        result.update(source=self.source, seconds=round(self.seconds, 6))
        return result | (asdict(self.effort) if self.effort else {})


class Searcher:
    """Scores of moves from the tables of one deck, in plain Python or compiled.

    `outcomes_only` leaves out distances and progress, and with them best moves and lines. Compiled
    for a large deck that takes an eighth of the memory.
    """

    def __init__(
        self, tables: Tables, *, compiled: bool = False, outcomes_only: bool = False
    ) -> None:
        if outcomes_only:
            tables = Tables(tables.ranks, tables.outcome)
        self.ranks = tables.ranks
        self._with_distances = tables.distance is not None
        self._with_lines = tables.measure is not None
        self._deck = value.make_deck(tables.ranks)
        self._memo: Any = value.make_memo()
        self._out: Any = [0] * (MAX_CARDS + 1)
        self._scores: Any = tables
        self._move_scores: Callable[..., int] = value.move_scores
        if compiled:
            import numpy as np

            self._memo = tuple(np.array(column, np.int64) for column in self._memo)
            self._out = np.zeros(MAX_CARDS + 1, np.int64)
            self._scores = tables.outcomes() if outcomes_only else tables.scores()
            self._move_scores = value.compiled(outcomes_only)

    def scores(self, position: Position) -> list[tuple[ChallengeAction, int]]:
        """The score of every legal move, in the order of `Position.legal_actions`.

        Scores are those of `solver.complete.value`; only their signs if just outcomes are known.
        """
        suits = view(position.trumps, position.turn)
        mine, others = position.hands if position.turn == 1 else position.hands[::-1]
        top = position.top
        self._move_scores(
            hand_bits(mine, suits, self.ranks),
            hand_bits(others, suits, self.ranks),
            0 if top is None else 1 << card_bit(top, suits, self.ranks),
            int(position.is_base),
            WIN if self._with_lines else 1,
            self._deck,
            self._scores,
            self._memo,
            self._out,
        )
        scored = []
        for action in position.legal_actions():
            place = card_bit(action, suits, self.ranks) if isinstance(action, Card) else MAX_CARDS
            score = int(self._out[place])
            scored.append((action, score if self._with_lines else (score > 0) - (score < 0)))
        return scored

    def solve(self, position: Position, line: bool = False) -> Solution:
        """The solution of a position of this deck. Raises GameError if the game is over."""
        started = time.perf_counter()
        if position.winner is not None:
            raise GameError(f"the game is over: player {position.winner} has won")
        scored = sorted(self.scores(position), key=lambda pair: -pair[1])
        moves = tuple(Move(action, *self._result(score)) for action, score in scored)
        can_play = self._with_lines or scored[0][1] == 0  # a draw only has to be kept
        return Solution(
            position,
            moves[0].outcome,
            moves[0].distance,
            moves,
            tuple(action for action, score in scored if score == scored[0][1]),
            self._line(position) if line and can_play else None,
            scored[0][1],
            "table",
            time.perf_counter() - started,
        )

    def _result(self, score: int) -> tuple[str, int | None]:
        outcome = OUTCOMES[(score > 0) - (score < 0)]
        return outcome, WIN - abs(score) if score and self._with_distances else None

    def _line(self, position: Position) -> tuple[ChallengeAction, ...]:
        actions: list[ChallengeAction] = []
        seen: set[Position] = set()
        while position.winner is None and position not in seen:
            if position.is_base:
                seen.add(position)
            action, _ = max(self.scores(position), key=lambda pair: pair[1])
            actions.append(action)
            position = position.apply(action)
        return tuple(actions)


@cache
def _searcher(ranks: int, compiled: bool) -> Searcher:
    tables = open_tables(ranks)
    if compiled and ranks > UNPACKED_RANKS:
        if tables.measure is not None:  # too large to unpack, and lines are wanted
            return _searcher(ranks, False)
        return Searcher(tables, compiled=True, outcomes_only=True)
    return Searcher(tables, compiled=compiled)


def solve(
    position: Position,
    *,
    line: bool = False,
    method: str = "auto",
    max_nodes: int | None = None,
    max_memory: int = DEFAULT_MEMORY,
    max_seconds: float | None = DEFAULT_SECONDS,
    memory: Memory | None = None,
) -> Solution:
    """The exact value of a position and of its moves; with `line`, a whole game with best play.

    `method`: "table", "search", or "auto", which searches only if the deck has no table. A search
    proves outcomes, not distances, and does not touch the tables. It stops when
    the outcome is proved; where a limit comes first (lead nodes, bytes, seconds; None: no limit) or
    Ctrl-C is pressed, the outcome is "undecided". How far it gets with so many nodes is always the
    same. Searches that are given the same `memory`, a `solver.single.claims.Memory` of the deck, share
    what they prove (`max_memory` is not used then): after a few deals the others are quick.

    Raises MissingTable for a deck without tables, TableError for a broken one, GameError if the
    game is over, MemoryError if `max_memory` is too little to begin with.
    """
    if method not in METHODS:
        raise ValueError(f"the method {method!r} is unknown, expected {', '.join(METHODS)}")
    if method == "auto":
        method = "table" if find_table(position.ranks, "outcome") else "search"
    if method == "table":
        return _searcher(position.ranks, False).solve(position, line)
    return _search(position, max_nodes, max_memory, max_seconds, memory)


def _search(
    position: Position,
    max_nodes: int | None,
    max_memory: int,
    max_seconds: float | None,
    memory: Memory | None,
) -> Solution:
    from solver.single.claims import NO_LIMIT, Memory
    from solver.single.search import Search

    if memory is None:
        memory = Memory(position.ranks, max_memory)
    search = Search(position, memory)
    before = memory.nodes
    nodes = NO_LIMIT if max_nodes is None else before + max_nodes
    started = now = time.perf_counter()
    done, most = before, NO_LIMIT
    stopped = None
    try:
        while search.advance(nodes, most):
            if memory.nodes >= nodes:
                stopped = "nodes"
            elif max_seconds is not None:
                last, now = now, time.perf_counter()
                left = started + max_seconds - now
                if left <= 0:
                    stopped = "time"
                # There is time for so many nodes more, at the pace of the last moment.
                most = int(left * (memory.nodes - done) / max(now - last, 1e-9))
                done = memory.nodes
            if stopped:
                break
        else:
            if not search.outcome:
                stopped = "memory" if memory.full else "tricks"
    except KeyboardInterrupt:
        stopped = "interrupt"
    moves = [
        Move(action, search.outcomes.get(action, "undecided"), None)
        for action in position.legal_actions()
    ]
    moves.sort(key=lambda move: ("win", "draw", "undecided", "loss").index(move.outcome))
    outcome = search.outcome or "undecided"
    best = tuple(move.action for move in moves if move.outcome == outcome != "undecided")
    score = {"win": 1, "loss": -1}.get(outcome, 0)
    seconds = time.perf_counter() - started
    effort = Effort(memory.nodes - before, memory.used, None if search.outcome else stopped)
    return Solution(
        position, outcome, None, tuple(moves), best, None, score, "search", seconds, effort
    )


def solve_many(positions: Iterable[Position], *, line: bool = False) -> Iterator[Solution]:
    """`solve` by tables for many positions, compiled: half a second to start, then thousands a
    second.

    With the standard deck it takes some 10 seconds and half a gigabyte to start, and with a table
    of progress, which is too large to unpack, it is as fast as `solve`.
    """
    for position in positions:
        yield _searcher(position.ranks, True).solve(position, line)
