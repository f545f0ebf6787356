"""Many deals or positions answered: which, in which order, and what is recorded of each."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from engine.deals import Deal, all_deals, random_deal
from engine.errors import GameError
from engine.position import Position
from engine.problem import Line, read_problem
from engine.text import counted, one_line, quoted
from solver.complete.table import MissingTable
from solver.solution import Outcome, Solution
from solver.solver import DEFAULT_MEMORY, DEFAULT_SECONDS, Method, Solver
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

ESTIMATES = ("estimate_win", "estimate_draw", "estimate_loss")
SEARCHED = ("nodes", "stopped", "limit", "reproducible", *ESTIMATES)
"""More columns, where decks may be searched. Of a search: its lead nodes; if it has decided
nothing, what stopped it, at which limit, and an estimate of the outcome. Whether the record is the
same in every run: not if time was limited."""

LISTED = ("line_number", "input", "position")
"""More columns, in front, of lines that were read: where, what they say, and the position if one is
asked about. Then the columns of deals are empty, and outcome and moves are those of its player."""

ERROR = "error"
"""The last column of lines that were read: what is wrong with this one; all others are empty."""

LINE_TRICKS = "line_tricks"
"""A column on demand: the tricks of `Solution.line`, counted like distances; None for a draw. With
progress it is what the winner needs who follows it, and no distance."""

TIMES = "seconds"
"""The column that is not the same in every run."""

Record = dict[str, Any]
"""A deal or a line: a value for every column of its batch, `TIMES` only if it was measured."""

Solve = Callable[[Sequence[Deal | Position]], Iterator[Record]]
"""Gives what is recorded of problems, in their order."""

BLOCK = 1 << 14
"""Problems handed to a `Solve` at once: bounds memory, and keeps very many workers busy."""


class RecordError(GameError):
    """What should be records is none, or they are not those of this batch."""


@dataclass(frozen=True, slots=True)
class How:
    """How problems are answered, and so which columns their records have.

    `ranks`: the deck, None for lines that may be of several. The limits are those of `Solver`, for
    each search, which begins with an empty memory: what is recorded depends on nothing else.
    """

    ranks: int | None
    method: Method = "auto"
    line: bool = False
    """Whether `LINE_TRICKS` are recorded."""
    listed: bool = False
    """Whether lines are answered; a wrong problem is then recorded as an error."""
    max_nodes: int | None = None
    max_memory: int = DEFAULT_MEMORY
    max_seconds: float | None = DEFAULT_SECONDS

    def looks_up(self, ranks: int) -> bool:
        """Whether a deck is looked up in tables, not searched."""
        return self.method == "table" or (self.method == "auto" and ranks in open_tables())

    @property
    def searches(self) -> bool:
        """Whether there may be searches."""
        if self.ranks is None:
            return self.method != "table"
        return not self.looks_up(self.ranks)

    @property
    def limits(self) -> dict[str, float]:
        """What may stop a search -> the limit."""
        limits = {"nodes": self.max_nodes, "memory": self.max_memory, "time": self.max_seconds}
        return {
            name: as_written(limit)
            for name, limit in limits.items()
            if limit is not None and limit < math.inf
        }

    def columns(self, timings: bool = False) -> tuple[str, ...]:
        """The columns of a file, with `TIMES` if they are measured."""
        return (
            *LISTED * self.listed,
            *COLUMNS,
            *[LINE_TRICKS] * self.line,
            *SEARCHED * self.searches,
            *[TIMES] * timings,
            *[ERROR] * self.listed,
        )

    def improves(self, record: Record) -> bool:
        """Whether a search that was stopped at a limit may go further by now."""
        if record["outcome"] != Outcome.UNDECIDED or record["limit"] is None:
            return False
        return self.limits.get(record["stopped"], math.inf) > float(record["limit"])

    def trusts(self, record: Record, question: Question) -> bool:
        """Whether a record of a search is taken as it is."""
        problem = question.problem
        return (
            record["source"] == "search"
            and problem is not None
            and not self.looks_up(problem.ranks)
        )


def as_written(value: float) -> float:
    """A number as it is written: as a whole one if it is."""
    return int(value) if math.isfinite(value) and float(value).is_integer() else value


class Question(NamedTuple):
    """What a record answers."""

    problem: Deal | Position | None
    """None if it cannot be read."""
    asked: Record
    """What the record says of the question itself."""


class Batch:
    """All deals of a deck, or `count` random ones from a seed. Their records can be had once."""

    def __init__(self, ranks: int, count: int | None = None, seed: int = 0) -> None:
        self.ranks: int | None = ranks
        self.count: int | None = 4**ranks if count is None else count
        """None if it is not known."""
        self.seed = None if count is None else seed
        """None for all deals."""
        self.listed = False
        """Whether lines are answered."""
        rng = random.Random(seed)
        deals = (
            all_deals(ranks)
            if count is None
            else (random_deal(ranks, rng) for _ in range(self.count))
        )
        self._questions = (Question(deal, describe(deal)) for deal in deals)
        self._answers: dict[Deal | Position, Record] = {}
        """What is known of deals that may come up again."""

    @classmethod
    def of_lines(cls, lines: Iterable[Line], ranks: int | None, count: int | None = None) -> Batch:
        """The deals and positions that lines say, `count` if that is known; `ranks`: the deck."""
        batch = cls(ranks or 1)
        batch.ranks, batch.count, batch.listed = ranks, count, True
        batch._questions = (_question(line, ranks) for line in lines)
        return batch

    @property
    def every(self) -> bool:
        """Whether these are all deals of the deck."""
        return self.seed is None and not self.listed

    def keep(
        self, records: Iterable[Record], solve: Solve, how: How | None = None
    ) -> Iterator[Record]:
        """The first records, from an earlier run.

        What was looked up is not trusted, but looked up again. What was searched is kept, unless
        the limits of `how` may get further by now: then it is searched again. Raises RecordError if
        they are not the records of these questions, were altered, or come from other tables.
        """
        place = 0
        rows = iter(records)
        while block := list(islice(rows, BLOCK)):
            questions = list(islice(self._questions, len(block)))
            for record, question in zip(block, questions, strict=False):
                place += 1
                _check_asked(place, record, question)
            if len(questions) < len(block):
                raise RecordError(f"it has more than the {counted(place, 'record')} asked for")
            answers = self._answers if self.seed is not None else {}
            known: dict[Deal | Position, Record] = {}
            stale, trusted = [], []
            for record, question in zip(block, questions, strict=True):
                stale.append(how is not None and how.improves(record))
                trusted.append(not stale[-1] and how is not None and how.trusts(record, question))
                if question.problem is not None and not stale[-1]:
                    known.setdefault(question.problem, record)
                    if trusted[-1]:
                        answer = {name: record[name] for name in record if name not in LISTED}
                        answers.setdefault(question.problem, answer)
            pairs = zip(block, self._answers_to(questions, solve, answers, known), strict=True)
            for number, (record, again) in enumerate(pairs, place - len(block) + 1):
                if stale[number - place - 1]:
                    yield again
                    continue
                _check_answer(number, record, again, trusted[number - place - 1])
                yield record

    def records(self, solve: Solve) -> Iterator[Record]:
        """The records that follow those kept. A deal that comes up again is not solved again."""
        while block := list(islice(self._questions, BLOCK)):
            answers = self._answers if self.seed is not None else {}
            yield from self._answers_to(block, solve, answers)

    def _answers_to(
        self,
        block: Sequence[Question],
        solve: Solve,
        answers: dict[Deal | Position, Record],
        kept: Mapping[Deal | Position, Record] | None = None,
    ) -> Iterator[Record]:
        """The records of some questions; `kept`: where times of earlier runs are."""
        problems = [problem for problem, _ in block if problem is not None]
        found = solve([problem for problem in dict.fromkeys(problems) if problem not in answers])
        for problem, asked in block:
            if problem is None:
                yield _NOTHING | asked
                continue
            if problem not in answers:
                answers[problem] = next(found)
                if kept is not None and problem in kept:
                    answers[problem].pop(TIMES, None)
                    if TIMES in kept[problem]:
                        answers[problem][TIMES] = kept[problem][TIMES]
            yield _NOTHING | asked | answers[problem] if self.listed else answers[problem]


_NOTHING: Record = dict.fromkeys((*LISTED, *COLUMNS, LINE_TRICKS, *SEARCHED, TIMES, ERROR))
_NOTHING["winning_leads"] = ""


def _question(line: Line, ranks: int | None) -> Question:
    where = {"line_number": line.number, "input": one_line(line.text)}
    try:
        if line.error:
            raise line.error
        problem = read_problem(line.text, ranks)
    except GameError as error:
        return Question(None, where | {ERROR: one_line(str(error))})
    return Question(problem, where | describe(problem))


def _check_asked(place: int, record: Record, question: Question) -> None:
    """Raise RecordError if a record is of another question."""
    asked = question.asked
    if asked.items() <= record.items():
        return
    if "line_number" in asked:
        raise RecordError(
            f"record {place} is of line {record['line_number']}, {quoted(record['input'] or '')}, "
            f"expected line {asked['line_number']}, {quoted(asked['input'])}: the lines were others"
        )
    raise RecordError(
        f"record {place} is of the deal {record['deal']}, weight {record['weight']}, "
        f"expected {question.problem}, weight {asked['weight']}: "
        "its deck, seed or choice was another"
    )


def _check_answer(place: int, record: Record, again: Record, trusted: bool) -> None:
    """Raise RecordError if a record differs from what was found again."""
    if trusted and Outcome.UNDECIDED in (record["outcome"], again["outcome"]):
        return  # one of them searched on
    for column in record:
        if column in again and column != TIMES and record[column] != again[column]:
            if trusted:
                raise RecordError(f"record {place} contradicts an earlier one of the same problem")
            raise RecordError(
                f"record {place} has the {column} {record[column]!r}, "
                f"expected {again[column]!r}: it was altered, or its tables were others"
            )
    if record.get(TIMES) != again.get(TIMES):
        raise RecordError(f"record {place} repeats a deal with other {TIMES}")


def solve_problem(problem: Deal | Position, how: How | None = None) -> Record:
    """What is recorded of a problem, computed here; `how`: by default in tables.

    Raises MissingTable, also for a line where the deck has no progress, and what `Solver.solve`
    raises; of lines, only TableError for a table that is broken.
    """
    ranks = problem.ranks
    how = how or How(ranks, "table")
    try:
        solution = _own.solver(ranks, how).solve(problem, line=how.line and how.looks_up(ranks))
    except (GameError, MemoryError, MissingTable) as error:
        if not how.listed:
            raise
        return {**describe(problem), ERROR: one_line(str(error))}
    if solution.effort and solution.effort.stopped == "interrupt":
        raise KeyboardInterrupt
    winning = [str(move.action) for move in solution.moves if move.outcome == "win"]
    return {
        **describe(problem),
        "outcome": solution.outcome.value,
        "distance": solution.distance,
        "winning_leads": " ".join(winning),
        "source": solution.source,
        **({LINE_TRICKS: _line_tricks(solution)} if how.line else {}),
        **(_effort(solution, how) if how.searches else {}),
        TIMES: round(solution.seconds, 6),
    }


def _effort(solution: Solution, how: How) -> Record:
    """What is recorded of a search; of what was looked up, next to nothing."""
    record: Record = dict.fromkeys(SEARCHED)
    record["reproducible"] = True
    if solution.effort:
        stopped = solution.effort.stopped
        limit = how.limits.get(stopped or "")
        record["reproducible"] = "time" not in how.limits
        record |= {"nodes": solution.effort.nodes, "stopped": stopped, "limit": limit}
    if solution.estimate:
        found = solution.estimate.to_dict()
        record |= {f"estimate_{outcome}": chance for outcome, chance in found.items()}
    return record


def _line_tricks(solution: Solution) -> int | None:
    """The tricks of a line, without the lead of an only card; None for a draw."""
    if solution.outcome == Outcome.DRAW or solution.line is None:
        return None
    position, tricks = solution.position, 0
    for action in solution.line:
        tricks += position.is_base and len(position.hands[position.turn - 1]) > 1
        position = position.apply(action)
    return tricks


def load(how: How) -> None:
    """Load what `solve_problem` needs, where it is one deck.

    Raises MissingTable, MemoryError if the limit is too little to begin with.
    """
    if how.ranks and how.looks_up(how.ranks):
        _own.solver(how.ranks, how).load(how.ranks)
    elif how.ranks:
        from solver.single.claims import Memory

        Memory(how.ranks, how.max_memory)


def describe(problem: Deal | Position) -> Record:
    """What a record says of a deal, or of a position of a list, before it is solved."""
    if isinstance(problem, Position):
        return {"position": str(problem)}
    trump, second = str(problem).split()[1].split(".")
    return {
        "deal": str(problem),
        "dealer_trump": trump,
        "dealer_second": second,
        "trumps_held": len(problem.trump),
        "weight": problem.weight,
    }


class _Own(threading.local):
    """Solvers by ranks, for each thread; all share the tables, which are unpacked once."""

    def __init__(self) -> None:
        self.solvers: dict[tuple[int, bool], Solver] = {}

    def solver(self, ranks: int, how: How) -> Solver:
        if not how.looks_up(ranks):
            return Solver(  # a new one, so that its memory is empty
                method="search",
                max_nodes=how.max_nodes,
                max_memory=how.max_memory,
                max_seconds=how.max_seconds,
            )
        line = how.line
        if (ranks, line) not in self.solvers:
            deck = open_tables().deck(ranks)
            if line and deck.measure is None:
                raise MissingTable(f"there is no table of progress for decks of {ranks} ranks")
            if line and deck.packed:
                deck.packed.prepare()
            # Without lines progress is left out: it need not be unpacked, and records are the same.
            outcomes_only = deck.distance is None and not line
            if how.ranks is not None:
                self.solvers.clear()
            self.solvers[ranks, line] = Solver(
                method="table", compiled=True, outcomes_only=outcomes_only
            )
        return self.solvers[ranks, line]


_own = _Own()
