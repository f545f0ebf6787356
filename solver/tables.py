"""Complete solutions of decks, probed by position or by arrays of hands.

    tables = open_tables()
    tables.outcome(Position.parse("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 -"))

Neither numpy nor a compiler is loaded to probe a position. Everything here may be shared by
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from engine.cards import MAX_RANKS
from engine.errors import GameError
from engine.position import Position
from engine.problem import Problem, position_of
from solver.complete.deck import DeckTables
from solver.complete.table import KINDS, MissingTable, find_in, find_table
from solver.complete.unpacked import open_table
from solver.complete.value import WIN, TrickValues
from solver.core.bitboard import (
    leader_bits,
    table_index,
    trick_bits,
)
from solver.solution import Outcome

if TYPE_CHECKING:
    pass

T = TypeVar("T")
R = TypeVar("R")


class Tables:
    """The complete solutions of all decks that have tables.

    `folder`: where the files are; None for those of the package and of the user's data folder. They
    are opened when they are first needed. Raises TableError for a broken one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._decks: dict[int, DeckTables] = {}
        self._lock = Lock()

    def _find(self, ranks: int, kind: str) -> Path | None:
        if self._folder is None:
            return find_table(ranks, kind)
        return find_in(self._folder, ranks, kind)

    def __contains__(self, ranks: int) -> bool:
        """Whether there is a table for decks of so many ranks."""
        return ranks in self._decks or self._find(ranks, "outcome") is not None

    @property
    def decks(self) -> tuple[int, ...]:
        """The numbers of ranks for which there are tables."""
        return tuple(ranks for ranks in range(1, MAX_RANKS + 1) if ranks in self)

    def deck(self, ranks: int) -> DeckTables:
        """The solution of the deck of so many ranks. Raises MissingTable, TableError."""
        with self._lock:
            if ranks not in self._decks:
                paths = {kind: self._find(ranks, kind) for kind in KINDS}
                if paths["outcome"] is None:
                    have = ", ".join(map(str, self.decks)) or "none"
                    raise MissingTable(
                        f"there is no table for decks of {ranks} ranks, only for {have}"
                    )
                outcome, *others = (path and open_table(path) for path in paths.values())
                self._decks[ranks] = DeckTables(ranks, outcome, *others)  # type: ignore[arg-type]
            return self._decks[ranks]

    def outcome(self, problem: Problem) -> Outcome:
        """Who wins, for the player to move. Raises MissingTable; GameError if the game is over."""
        position = _unfinished(problem)
        tables = self.deck(position.ranks)
        if tables.packed and not tables.packed.ready:  # an outcome is not worth unpacking it
            tables = tables.without("progress")
        score = _score(position, tables, 1)
        return Outcome.of(score)

    def distance(self, problem: Problem) -> int | None:
        """Tricks to the end (`Solution.distance`), None for a draw. Otherwise as `outcome`.

        Raises MissingTable where the deck has no distances, too.
        """
        return self._measure(problem, "distance")

    def progress(self, problem: Problem) -> int | None:
        """A number that falls with every trick of a proper win; None for a draw.

        Raises MissingTable where the deck has no table of progress.
        """
        return self._measure(problem, "progress")

    def _measure(self, problem: Problem, kind: str) -> int | None:
        position = _unfinished(problem)
        tables = self.deck(position.ranks)
        if getattr(tables, kind) is None:
            raise MissingTable(f"there is no table of {kind} for decks of {position.ranks} ranks")
        score = _score(position, tables.without("distance") if kind == "progress" else tables, WIN)
        return WIN - abs(score) if score else None

    def get_outcome(self, problem: Problem, default: T | None = None) -> Outcome | T | None:
        """`outcome`, or `default` where there is no table."""
        return _or_default(self.outcome, problem, default)

    def get_distance(self, problem: Problem, default: T | None = None) -> int | T | None:
        """`distance`, or `default` where there is no table."""
        return _or_default(self.distance, problem, default)

    def get_progress(self, problem: Problem, default: T | None = None) -> int | T | None:
        """`progress`, or `default` where there is no table."""
        return _or_default(self.progress, problem, default)

    def release(self) -> None:
        """Free the memory of all that is unpacked; it is unpacked again when it is needed."""
        with self._lock:
            for deck in self._decks.values():
                deck.release()


def _or_default(probe: Callable[[Problem], R], problem: Problem, default: T) -> R | T:
    try:
        return probe(problem)
    except MissingTable:
        return default


def _unfinished(problem: Problem) -> Position:
    position = position_of(problem)
    if position.winner is not None:
        raise GameError(f"the game is over: player {position.winner} has won")
    return position


def _score(position: Position, tables: DeckTables, most: int) -> int:
    """The score of a position, from its entry or, inside a trick, from those of its moves."""
    if position.is_base:
        return tables[table_index(leader_bits(position), position.ranks)]
    return max(
        TrickValues(position.ranks, tables).move_scores(*trick_bits(position), most).values()
    )


_shared = Tables()


def open_tables() -> Tables:
    """The tables of the package and of the user's data folder: one object for the whole process."""
    return _shared
