"""What a solver answers: outcomes, moves, solutions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from engine.position import ChallengeAction, Position
from solver.single.estimate import Estimate


class Outcome(StrEnum):
    """What best play on both sides comes to, for one player; the values are those of the JSON."""

    WIN = "win"
    DRAW = "draw"
    """Endless play: neither player can force his last card out."""
    LOSS = "loss"
    UNDECIDED = "undecided"
    """A search has proved none of them."""

    @classmethod
    def of(cls, score: int) -> Outcome:
        """The outcome that has the sign of a score."""
        return cls.WIN if score > 0 else cls.LOSS if score < 0 else cls.DRAW


class Move(NamedTuple):
    """A legal move and what comes of it with best play, for the player who makes it."""

    action: ChallengeAction
    outcome: Outcome
    distance: int | None
    """Tricks to the end, counting the current one; None for a draw or where no distances are
    known."""
    estimate: Estimate | None = None
    """How likely each outcome is; only where it is undecided."""
    progress: int | None = None
    """A number that falls with every trick of a proper win (`Tables.progress`); None for a draw or
    where it is not known."""

    def to_dict(self) -> dict[str, Any]:
        """The move as JSON shows it."""
        found: dict[str, Any] = {
            "move": str(self.action),
            "outcome": str(self.outcome),
            "distance": self.distance,
        }
        if self.estimate:
            found["estimate"] = self.estimate.to_dict()
        if self.progress is not None:
            found["progress"] = self.progress
        return found


@dataclass(frozen=True, slots=True)
class Effort:
    """What a search has used, and why it ended without a result, if it did."""

    nodes: int
    """Lead nodes."""
    memory: int
    """Bytes, of all searches that share it."""
    stopped: str | None
    """"nodes", "memory", "time" (a limit was reached), "tricks" (no win within the greatest number
    of tricks that is tried), "interrupt" (Ctrl-C); None if the outcome is proved."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The exact value of a position, for the player to move."""

    position: Position
    outcome: Outcome
    distance: int | None
    """Tricks to the end when the winner hurries and the loser delays, counting the current one (the
    lead of an only card on an empty table counts 0); None for a draw or where no distances are
    known."""
    moves: tuple[Move, ...]
    """Every legal move, best first: a win, a draw, undecided ones by their estimates, a loss.
    Equally good ones are in written order, `pickup` last."""
    best: tuple[ChallengeAction, ...]
    """The moves to choose from. A winner's are the quickest where distances are known, else those
    that make most progress towards a win where progress is known; a loser's resist longest, or
    delay that progress most. Where neither is known, all that keep the outcome."""
    measure: str | None
    """What orders the best moves: "distance", "progress" or, if only outcomes are known, None."""
    line: tuple[ChallengeAction, ...] | None
    """A game with best play to its end, if it was asked for; for a draw, until an empty-table
    position comes up again."""
    source: str
    """"table" or "search"."""
    seconds: float
    effort: Effort | None = None
    """Of a search."""
    estimate: Estimate | None = None
    """How likely each outcome is for the player to move; only where it is undecided."""

    @property
    def to_move(self) -> int:
        """The player to move, 1 or 2."""
        return self.position.turn

    @property
    def winner(self) -> int | None:
        """The player who wins with best play; None for a draw, or if it is not known."""
        return {Outcome.WIN: self.to_move, Outcome.LOSS: 3 - self.to_move}.get(self.outcome)

    def to_dict(self) -> dict[str, Any]:
        """The solution as `challenge solve --json` prints it."""
        result: dict[str, Any] = {
            "position": str(self.position),
            "to_move": self.to_move,
            "outcome": str(self.outcome),
            "winner": self.winner,
            "distance": self.distance,
            "moves": [move.to_dict() for move in self.moves],
            "best": [str(action) for action in self.best],
        }
        if self.estimate is not None:
            result["estimate"] = self.estimate.to_dict()
        if self.line is not None:
            result["line"] = [str(action) for action in self.line]
        result.update(source=self.source, seconds=round(self.seconds, 6))
        return result | (asdict(self.effort) if self.effort else {})
