"""`solve`: who wins a position, in how many tricks, with which moves.

Where the deck has tables they are probed: at once in plain Python, or, when many positions are
asked for, compiled. For other decks, or if asked to, `solve` searches (`solver.single`).
"""

from __future__ import annotations

import math
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from engine.errors import GameError
from engine.position import ChallengeAction, Position
from engine.problem import Problem, position_of
from engine.text import meant, number_in, quoted
from solver.complete.deck import UNPACKED_RANKS, DeckTables
from solver.complete.unpacked import UnpackError
from solver.complete.value import WIN, TrickValues
from solver.core.bitboard import card_bits, trick_bits, view
from solver.single.estimate import Estimate, estimate, estimate_moves
from solver.solution import Effort, Move, Outcome, Solution
from solver.tables import Tables, open_tables

if TYPE_CHECKING:
    from solver.single.claims import Memory
    from solver.single.run import Run, Watch

Method = Literal["auto", "table", "search"]
METHODS: tuple[Method, ...] = get_args(Method)
DEFAULT_SECONDS = 60.0
DEFAULT_MEMORY = 1 << 30
MOST_NODES = 10**18
MOST_MEMORY = 1 << 50
FOREVER = 1e10
"""Seconds that are as good as no limit."""

PATIENCE = 0.2
"""Seconds of plain Python after which a solver compiles, which takes as long; …"""
LARGE_PATIENCE = 5.0
"""… with tables that are large to unpack."""


class _Values(Protocol):
    """Scores of moves: `TrickValues`, or its compiled twin."""

    def move_scores(
        self, a: int, b: int, top: int, empty: bool, most: int
    ) -> dict[int | None, int]: ...


class Solver:
    """Solves positions of any deck, and owns all that this takes.

    `tables`: where solutions are looked up (default: `open_tables()`). `method`: "table", "search",
    or "auto", which searches only if the deck has no table. `compiled`: whether to probe tables by
    compiled code, by default as soon as plain Python has taken as long as that takes to load. With
    `outcomes_only` the measures of tables (distances or progress) are left out, and with them best
    moves and lines, for speed. Packed progress is used once it is unpacked; who asks for a line, or
    any position with `unpack`, has it unpacked. Where that fails there is a warning, once, and
    answers are outcomes only.

    A search proves outcomes, not distances, and does not touch the tables. It stops when the
    outcome is proved; where a limit comes first (lead nodes, bytes, seconds; nodes and seconds may
    be None or infinite: no limit) or Ctrl-C is pressed, the outcome is "undecided". Searches share
    what they prove, those of one deck at a time: in `memory`, a `solver.single.claims.Memory`, if
    it is given, else in one of `max_memory` bytes, which is given up when it is full. `watch` is
    told once a second how far a search is, if that is asked for in the main thread.

    A solver may be shared by threads and answers one position at a time; one for each thread is
    faster. Raises GameError for limits that make no sense.
    """

    def __init__(
        self,
        *,
        tables: Tables | None = None,
        method: Method = "auto",
        compiled: bool | None = None,
        outcomes_only: bool = False,
        unpack: bool = False,
        max_nodes: int | None = None,
        max_memory: int = DEFAULT_MEMORY,
        max_seconds: float | None = DEFAULT_SECONDS,
        memory: Memory | None = None,
        watch: Watch | None = None,
    ) -> None:
        if method not in METHODS:
            raise GameError(
                f"unknown method {quoted(method)}{meant(method, METHODS)}, "
                f"expected one of: {', '.join(METHODS)}"
            )
        _check_limits(max_nodes, max_memory, max_seconds)
        self.tables = open_tables() if tables is None else tables
        self.method: Method = method
        self.compiled = compiled
        self.outcomes_only = outcomes_only
        self.unpack = unpack
        self.max_nodes = None if max_nodes == math.inf else max_nodes
        self.max_memory = max_memory
        self.watch = watch
        self.max_seconds = None if max_seconds is None or max_seconds > FOREVER else max_seconds
        self._memory = memory
        self._given_memory = memory is not None
        self._probes: dict[tuple[int, bool, bool], _Probe] = {}
        self._spent = 0.0
        self._lock = threading.RLock()

    def solve(self, problem: Problem, *, line: bool = False) -> Solution:
        """The exact value of a position and of its moves; with `line`, a game with best play.

        `problem`: a Position, a Deal, or the text of either. Raises GameError for a wrong text, or
        if the game is over; MissingTable for a deck without tables, if it is not to be searched;
        TableError for a broken table; MemoryError if `max_memory` is too little to begin with.
        """
        position = position_of(problem)
        if position.winner is not None:
            raise GameError(f"the game is over: player {position.winner} has won")
        with self._lock:
            if not self.looks_up(position.ranks):
                return self._search(position)
            measured = self._measures(position.ranks, line)
            compiled = self._compiles(position.ranks, measured, line)
            solution = self._probe(position.ranks, compiled, measured).solve(position, line)
            self._spent += solution.seconds
            return solution

    def solve_many(self, problems: Iterable[Problem], *, line: bool = False) -> Iterator[Solution]:
        """`solve` for each of many problems, as they come."""
        return (self.solve(problem, line=line) for problem in problems)

    def _measures(self, ranks: int, line: bool) -> bool:
        """Whether to use distances or progress; unpacks progress that is asked for."""
        if self.outcomes_only:
            return False
        packed = self.tables.deck(ranks).packed
        if packed is None or packed.ready:
            return True
        if packed.failed or not (line or self.unpack):
            return False
        try:
            packed.prepare()
        except UnpackError as error:
            warnings.warn(f"{error}; going on without", stacklevel=3)
            return False
        return True

    def _compiles(self, ranks: int, measured: bool, line: bool) -> bool:
        if self.compiled is not None:
            return self.compiled
        if measured and self.tables.deck(ranks).packed:
            return line or self._spent >= PATIENCE  # there is nothing to load
        return self._spent >= (PATIENCE if ranks <= UNPACKED_RANKS else LARGE_PATIENCE)

    def looks_up(self, ranks: int) -> bool:
        """Whether positions of a deck are looked up in a table, not searched."""
        if self.method == "auto":
            return ranks in self.tables
        return self.method == "table"

    def load(self, ranks: int) -> None:
        """Load what it takes to look up positions of a deck, compiled. Raises MissingTable."""
        with self._lock:
            self._probe(ranks, True, self._measures(ranks, False))

    def _probe(self, ranks: int, compiled: bool, measured: bool) -> _Probe:
        key = ranks, compiled, measured
        if key not in self._probes:
            tables = self.tables.deck(ranks)
            if not measured:
                tables = tables.without("distance", "progress")
            self._probes[key] = _Probe(tables, compiled)
        return self._probes[key]

    def proved(self, problem: Problem) -> dict[ChallengeAction, Outcome]:
        """What a search proves of the moves, and nothing else: no move is estimated.

        Whatever the method is. Raises as `solve` does.
        """
        position = position_of(problem)
        with self._lock:
            run = self._run(position)
        return {action: Outcome(found) for action, found in run.search.outcomes.items()}

    def _search(self, position: Position) -> Solution:
        started = time.perf_counter()
        return solution_of(self._run(position), started)

    def _run(self, position: Position) -> Run:
        """A search that has ended."""
        from solver.single.claims import Memory
        from solver.single.run import Run
        from solver.single.search import Search

        if self._memory is None or (
            self._memory.ranks != position.ranks and not self._given_memory
        ):
            self._memory = None  # the old one goes before the new one comes
            self._memory = Memory(position.ranks, self.max_memory)
        search = Search(position, self._memory)
        run = Run(search, self._memory, self.max_nodes, self.max_seconds)
        run(self.watch)
        if run.stopped == "memory" and not search.outcome and not self._given_memory:
            self._memory = None
        return run


def _check_limits(max_nodes: float | None, max_memory: int, max_seconds: float | None) -> None:
    """Raise GameError for limits that make no sense."""
    if max_nodes not in (None, math.inf) and not number_in(max_nodes, range(1, MOST_NODES + 1)):
        raise GameError(f"a limit of {quoted(max_nodes)} nodes given, expected 1 to {MOST_NODES:,}")
    if not number_in(max_memory, range(1, MOST_MEMORY + 1)):
        raise GameError(f"a memory of {quoted(max_memory)} bytes given, expected 1 to 2^50")
    if max_seconds is not None and not max_seconds > 0:
        raise GameError(f"a limit of {quoted(max_seconds)} seconds given, expected more than 0")


class _Probe:
    """Solutions from the tables of one deck; owned by one thread at a time."""

    def __init__(self, tables: DeckTables, compiled: bool) -> None:
        if tables.ranks > UNPACKED_RANKS and tables.measure and not tables.packed:
            compiled = False  # too large for memory
        self._ranks = tables.ranks
        measure = tables.measure
        self._measure = None if measure is None else measure.kind
        self._values: _Values
        if compiled:
            from solver.complete.leads import CompiledValues

            self._values = CompiledValues(tables)
        else:
            self._values = TrickValues(tables.ranks, tables)

    def solve(self, position: Position, line: bool) -> Solution:
        started = time.perf_counter()
        scored = sorted(self._scores(position), key=lambda pair: -pair[1])
        results = {score: self._result(score) for _, score in scored}
        moves = tuple([Move(action, *results[score]) for action, score in scored])
        can_play = self._measure or scored[0][1] == 0  # a draw only has to be kept
        return Solution(
            position,
            moves[0].outcome,
            moves[0].distance,
            moves,
            tuple(action for action, score in scored if score == scored[0][1]),
            self._measure,
            self._line(position) if line and can_play else None,
            "table",
            time.perf_counter() - started,
        )

    def _scores(self, position: Position) -> list[tuple[ChallengeAction, int]]:
        """The score of every legal move; only its sign if just outcomes are known."""
        ranks = self._ranks
        scores = self._values.move_scores(*trick_bits(position), WIN if self._measure else 1)
        bits = card_bits(view(position.trumps, position.turn), ranks)
        actions = position.legal_actions()
        # Picking up has no bit.
        scored = [(action, scores[bits.get(action)]) for action in actions]  # type: ignore[arg-type]
        if not self._measure:
            scored = [(action, (score > 0) - (score < 0)) for action, score in scored]
        return scored

    def _result(self, score: int) -> tuple[Outcome, int | None, None, int | None]:
        """What a move has but its action."""
        number = WIN - abs(score) if score else None
        distance = number if self._measure == "distance" else None
        return Outcome.of(score), distance, None, number if self._measure == "progress" else None

    def _line(self, position: Position) -> tuple[ChallengeAction, ...]:
        actions: list[ChallengeAction] = []
        seen: set[Position] = set()
        while position.winner is None and position not in seen:
            if position.is_base:
                seen.add(position)
            action, _ = max(self._scores(position), key=lambda pair: pair[1])
            actions.append(action)
            position = position.apply(action)
        return tuple(actions)


def solution_of(run: Run, started: float) -> Solution:
    """What a search that has ended has found, since `started` (`time.perf_counter`).

    Its memory must not have been used by another one since then.
    """
    search, position = run.search, run.search.position
    outcome = Outcome(search.outcome or Outcome.UNDECIDED)
    moves, guess = _moves(position, outcome, dict(search.outcomes))
    best = tuple(move.action for move in moves if move.outcome == outcome != Outcome.UNDECIDED)
    seconds = time.perf_counter() - started
    effort = Effort(run.nodes, run.memory.used, None if search.outcome else run.stopped)
    return Solution(
        position, outcome, None, tuple(moves), best, None, None, "search", seconds, effort, guess
    )


def _moves(
    position: Position, outcome: Outcome, proved: Mapping[ChallengeAction, str]
) -> tuple[list[Move], Estimate | None]:
    """The moves after a search, best first, and an estimate of the position if it needs one."""
    found = {action: Outcome(each) for action, each in proved.items()}
    actions = position.legal_actions()
    estimates = {} if len(found) == len(actions) else estimate_moves(position)
    moves = [
        Move(action, found[action], None)
        if action in found
        else Move(action, Outcome.UNDECIDED, None, estimates[action])
        for action in actions
    ]
    order = (Outcome.WIN, Outcome.DRAW, Outcome.UNDECIDED, Outcome.LOSS)
    moves.sort(
        key=lambda move: (
            order.index(move.outcome),
            -move.estimate.score if move.estimate else 0,
        )
    )
    return moves, estimate(position) if outcome == Outcome.UNDECIDED else None


class _Own(threading.local):
    """A solver for each thread."""

    def __init__(self) -> None:
        self.one = Solver()
        self.many = Solver(method="table", compiled=True)


_own = _Own()


def solve(
    problem: Problem,
    *,
    line: bool = False,
    method: Method = "auto",
    max_nodes: int | None = None,
    max_memory: int = DEFAULT_MEMORY,
    max_seconds: float | None = DEFAULT_SECONDS,
) -> Solution:
    """The exact value of a position and of its moves; see `Solver` for all that can be asked.

    A search begins with an empty memory, so how far it gets with so many nodes is always the same.
    Each thread has a solver of its own.
    """
    position = position_of(problem)
    if method != "search" and position.ranks in _own.one.tables:
        solver = _own.one
    else:
        solver = Solver(
            method=method, max_nodes=max_nodes, max_memory=max_memory, max_seconds=max_seconds
        )
    return solver.solve(position, line=line)


def solve_many(problems: Iterable[Problem], *, line: bool = False) -> Iterator[Solution]:
    """`solve` by tables for many problems, compiled; each thread has a solver of its own.

    It takes half a second to start, with the standard deck some seconds and half a gigabyte. With a
    table of progress for the standard deck, which is too large to unpack, it is as fast as `solve`.
    """
    return _own.many.solve_many(problems, line=line)
