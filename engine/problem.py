"""What a solver is asked about: a position, a deal, or the text of either."""

from __future__ import annotations

from typing import NamedTuple

from engine.deals import Deal
from engine.errors import GameError
from engine.notation import clean
from engine.position import Position

Problem = Position | Deal | str


class Line(NamedTuple):
    """A line that was read, without its comment."""

    number: int
    """From 1."""
    text: str
    error: GameError | None = None
    """What is wrong with it as text."""


def read_problem(text: str, ranks: int | None = None) -> Deal | Position:
    """The deal or the position written `text`.

    `ranks`: the deck of a deal that does not name its own; a position or a deal that names another
    is refused. Raises GameError.
    """
    fields = clean(text).split()
    dots = text.count(".")
    if dots > 1 or (dots == 0 and len(fields) == 6 and fields[0].isdigit()):
        position = Position.parse(text)
        if ranks not in (None, position.ranks):
            raise GameError(f"the position has {position.ranks} ranks, expected {ranks}")
        return position
    return Deal.parse(text, ranks)


def position_of(problem: Problem) -> Position:
    """The position that a problem asks about; of a deal, the first one. Raises GameError."""
    if isinstance(problem, str):
        problem = read_problem(problem)
    return problem.position() if isinstance(problem, Deal) else problem
