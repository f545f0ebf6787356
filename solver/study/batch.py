"""Many deals solved: which deals, in which order, and what is recorded of each."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from engine.deals import Deal, all_deals, random_deal
from engine.errors import GameError
from engine.text import counted
from solver.complete.table import MissingTable
from solver.solution import Outcome, Solution
from solver.solver import Solver
from solver.tables import open_tables

COLUMNS = (
    "deal",
    "dealer_trump",
    "dealer_second",
    "trumps_held",
    "weight",
    "outcome",
    "distance",
    "winning_leads",
    "source",
)
"""What is recorded of a deal. The outcome and the distance are those of `solver.Solution`, for the
dealer, who leads; winning leads are those that keep a win, the quickest first
where distances are known."""

LINE_TRICKS = "line_tricks"
"""A column on demand: the tricks of `Solution.line`, counted like distances; None for a draw. With
progress it is what the winner needs who follows it, and no distance."""

TIMES = "seconds"
"""The column that is not the same in every run."""

Record = dict[str, Any]
"""A deal: every one of `COLUMNS`, `LINE_TRICKS` if asked for, `TIMES` if it was measured."""

Solve = Callable[[Sequence[Deal]], Iterator[Record]]
"""Gives the records of deals, in their order."""

BLOCK = 1 << 14
"""Deals handed to a `Solve` at once: bounds memory, and keeps very many workers busy."""


class RecordError(GameError):
    """What should be records is none, or they are not those of this batch."""


class Batch:
    """All deals of a deck, or `count` random ones from a seed. Their records can be had once."""

    def __init__(self, ranks: int, count: int | None = None, seed: int = 0) -> None:
        self.ranks = ranks
        self.count = 4**ranks if count is None else count
        self.seed = None if count is None else seed
        """None for all deals."""
        rng = random.Random(seed)
        self._deals = (
            all_deals(ranks)
            if count is None
            else (random_deal(ranks, rng) for _ in range(self.count))
        )
        self._answers: dict[Deal, Record] = {}
        """What is known of deals that may come up again."""

    def keep(self, records: Iterable[Record], solve: Solve) -> Iterator[Record]:
        """The first records, from an earlier run. Nothing in them is trusted: all are solved again.

        Raises RecordError if they are not those of these deals, were altered, or come from other
        tables.
        """
        number = 0
        rows = iter(records)
        while block := list(islice(rows, BLOCK)):
            deals: list[Deal] = []
            for record in block:
                number += 1
                deal = next(self._deals, None)
                if deal is None:
                    raise RecordError(
                        f"it has more than the {counted(self.count, 'record')} asked for"
                    )
                if not describe(deal).items() <= record.items():
                    raise RecordError(
                        f"record {number} is of the deal {record['deal']}, "
                        f"weight {record['weight']}, "
                        f"expected {deal}, weight {deal.weight}: "
                        "its deck, seed or choice was another"
                    )
                deals.append(deal)
            known = dict(zip(reversed(deals), reversed(block), strict=True))  # the first of a deal
            pairs = zip(block, self._answers_to(deals, solve, known), strict=True)
            for place, (record, again) in enumerate(pairs, number - len(block) + 1):
                for column in [name for name in again if name != TIMES]:
                    if record[column] != again[column]:
                        raise RecordError(
                            f"record {place} has the {column} {record[column]!r}, "
                            f"expected {again[column]!r}: it was altered, or its tables were others"
                        )
                if record.get(TIMES) != again.get(TIMES):
                    raise RecordError(f"record {place} repeats a deal with other {TIMES}")
                yield record

    def records(self, solve: Solve) -> Iterator[Record]:
        """The records that follow those kept. A deal that comes up again is not solved again."""
        while block := list(islice(self._deals, BLOCK)):
            yield from self._answers_to(block, solve)

    def _answers_to(
        self, block: Sequence[Deal], solve: Solve, kept: Mapping[Deal, Record] | None = None
    ) -> Iterator[Record]:
        """The records of some deals; `kept`: where times of earlier runs are."""
        answers = self._answers if self.seed is not None else {}
        found = solve([deal for deal in dict.fromkeys(block) if deal not in answers])
        for deal in block:
            if deal not in answers:
                answers[deal] = next(found)
                if kept is not None:
                    answers[deal].pop(TIMES, None)
                    answers[deal] |= {TIMES: kept[deal][TIMES]} if TIMES in kept[deal] else {}
            yield answers[deal]


def solve_deal(deal: Deal, line: bool = False) -> Record:
    """The record of a deal, computed here; with `line`, its `LINE_TRICKS`.

    Raises MissingTable, also for a line where the deck has no progress.
    """
    solution = _own.solver(deal.ranks, line).solve(deal, line=line)
    winning = [str(move.action) for move in solution.moves if move.outcome == "win"]
    return {
        **describe(deal),
        "outcome": solution.outcome.value,
        "distance": solution.distance,
        "winning_leads": " ".join(winning),
        "source": solution.source,
        **({LINE_TRICKS: _line_tricks(solution)} if line else {}),
        TIMES: round(solution.seconds, 6),
    }


def _line_tricks(solution: Solution) -> int | None:
    """The tricks of a line, without the lead of an only card; None for a draw."""
    if solution.outcome == Outcome.DRAW:
        return None
    position, tricks = solution.position, 0
    for action in solution.line or ():
        tricks += position.is_base and len(position.hands[position.turn - 1]) > 1
        position = position.apply(action)
    return tricks


def load(ranks: int, line: bool = False) -> None:
    """Load what `solve_deal` needs for a deck. Raises MissingTable."""
    _own.solver(ranks, line).load(ranks)


def describe(deal: Deal) -> Record:
    """What a record says of a deal before it is solved."""
    trump, second = str(deal).split()[1].split(".")
    return {
        "deal": str(deal),
        "dealer_trump": trump,
        "dealer_second": second,
        "trumps_held": len(deal.trump),
        "weight": deal.weight,
    }


class _Own(threading.local):
    """Solvers by ranks, for each thread; all share the tables, which are unpacked once."""

    def __init__(self) -> None:
        self.solvers: dict[tuple[int, bool], Solver] = {}

    def solver(self, ranks: int, line: bool) -> Solver:
        if (ranks, line) not in self.solvers:
            deck = open_tables().deck(ranks)
            if line and deck.measure is None:
                raise MissingTable(f"there is no table of progress for decks of {ranks} ranks")
            if line and deck.packed:
                deck.packed.prepare()
            # Without lines progress is left out: it need not be unpacked, and records are the same.
            outcomes_only = deck.distance is None and not line
            self.solvers = {
                (ranks, line): Solver(method="table", compiled=True, outcomes_only=outcomes_only)
            }
        return self.solvers[ranks, line]


_own = _Own()
