"""Challenge before the deal: the dealer names two suits, the other player one of the other two.

The text form is the deal, which nobody has seen yet, and the suits named so far: the dealer's
trumps, his second suit.

    6 KQJ.JT9 SH
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from engine.cards import SUIT_NAMES, SUITS
from engine.deals import Deal, random_deal
from engine.errors import GameError, NotationError
from engine.game import State
from engine.notation import clean
from engine.observation import Observation, Pen
from engine.position import Position, flags
from engine.text import quoted

NOTHING = "-"


@dataclass(frozen=True, slots=True, repr=False)
class SuitChoice(State):
    """The cards lie face down, and somebody has to name a suit; player 1 is the dealer."""

    deal: Deal
    suits: str = ""
    """The letters of the suits named so far, two at most."""

    @classmethod
    def parse(cls, text: str) -> SuitChoice:
        """The state written `text`. Raises GameError."""
        deal, _, suits = clean(text).strip().rpartition(" ")
        suits = "" if suits == NOTHING else suits
        if not deal or suits not in ("", *map("".join, (*SUITS, *permutations(SUITS, 2)))):
            raise NotationError(
                f"{quoted(text)} is wrong, expected a deal and the dealer's suits so far, "
                f"such as 6 KQJ.JT9 SH, or {NOTHING}"
            )
        return cls(Deal.parse(deal), suits)

    def __repr__(self) -> str:
        return f"SuitChoice.parse({str(self)!r})"

    @property
    def current_player(self) -> int:
        return 1 if len(self.suits) < 2 else 2

    def legal_actions(self) -> tuple[str, ...]:
        """The suits that are left, by name."""
        return tuple(
            name for name, suit in zip(SUIT_NAMES, SUITS, strict=True) if suit not in self.suits
        )

    def apply(self, action: Any) -> SuitChoice | Position:
        if action not in self.legal_actions():
            action = self._named(action)
        suits = self.suits + SUITS[SUIT_NAMES.index(action)]
        if len(suits) <= 2:
            return replace(self, suits=suits)
        return self.deal.position(suits + next(suit for suit in SUITS if suit not in suits))

    def returns(self) -> tuple[float, ...]:
        raise GameError("the game is not over, nobody has played his last card")

    def observation(self, player: int) -> SeenChoice:
        """The suits named; the deal is for spectators."""
        return SeenChoice(self.deal.ranks, None if player else self.deal, self.suits, player)

    def sample(self, player: int, rng: random.Random) -> SuitChoice:
        """Any deal, as likely as it comes up."""
        return replace(self, deal=random_deal(self.deal.ranks, rng))

    def rule_of_thumb(self) -> str:
        """The first suit: which it is changes the look of the game, not its value."""
        return self.legal_actions()[0]

    def action_number(self, action: Any) -> int:
        """The four suits come after those of `Position.action_number`."""
        return 4 * self.deal.ranks + 1 + SUIT_NAMES.index(action)

    def task(self, pen: Pen) -> str:
        return f"choose your {self._kind}"

    def phrase(self, action: Any, pen: Pen, public: bool) -> str:
        return f"chooses {action} as {self._kind}"

    @property
    def _kind(self) -> str:
        """What the next suit is for."""
        return "second suit" if len(self.suits) == 1 else "trumps"


@dataclass(frozen=True, slots=True)
class SeenChoice(Observation):
    """What the players see while they choose."""

    ranks: int
    deal: Deal | None
    """Only for a spectator."""
    suits: str
    player: int

    def __str__(self) -> str:
        return f"{self.deal or f'{self.ranks} ?'} {self.suits or NOTHING}"

    def picture(self, pen: Pen) -> Iterator[str]:
        """The dealer's suits, as far as he has named them; to a spectator the deal."""
        turn = 1 if len(self.suits) < 2 else 2
        named = ", ".join(
            f"{kind} {pen.suit(SUITS.index(suit))}"
            for kind, suit in zip(("trumps", "second suit"), self.suits, strict=False)
        )
        yield f"{pen.player(1, turn == 1, dealer=True)}  {named or 'no suits yet'}"
        yield f"{pen.player(2, turn == 2)}  no suits yet"
        if self.deal:
            yield f"The dealer will keep of his trumps and his second suit: {self.deal}"

    def numbers(self) -> list[int]:
        """As of a position, with no cards anywhere."""
        trump, second = [*map(SUITS.index, self.suits), None, None][:2]
        trumps = (trump, None) if self.player == 1 else (None, trump)
        turn = 1 if len(self.suits) < 2 else 2
        suits = (*flags(trumps[0]), *flags(trumps[1]), *flags(second))
        return [*[0] * (16 * self.ranks), *suits, int(turn == self.player)]
