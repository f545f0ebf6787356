"""What a player of Svoyi Kozyri or Hund sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.cards import SUITS, Card, Hand, in_order
from engine.games import fields
from engine.observation import Observation, Pen, card_rows

PHASES = CHOOSE, START, LEAD, BEAT, SECOND = "choose", "start", "lead", "beat", "second"
"""What a player may have to do."""

Cards = tuple[Card, ...]

Trumps = tuple[tuple[int, ...], ...]
"""Each player's own trump suits, indices in `SUITS`; mostly one, none while they are not set."""


def format_trumps(trumps: Trumps) -> str:
    """The trump suits of each player, `C/D/-/-`."""
    return "/".join(fields.join((SUITS[suit] for suit in own), "") for own in trumps)


@dataclass(frozen=True, slots=True)
class PileObservation(Observation):
    """What a player sees; fields as in `PileState`."""

    ranks: int
    player: int
    """Who looks; 0 for a spectator."""
    hands: tuple[Cards | None, ...]
    """None for a hand that he does not see."""
    sizes: tuple[int, ...]
    known: tuple[Hand, ...]
    pile: tuple[Card | None, ...]
    """None for a card that he does not see."""
    trumps: Trumps
    dealer: int
    turn: int
    phase: str
    out: tuple[int, ...]

    def __str__(self) -> str:
        return fields.write(
            **fields.format_seen_hands(self.player, self.hands, self.sizes),
            known=fields.format_hands(self.known),
            pile=fields.join((card or "?" for card in self.pile), ","),
            trumps=format_trumps(self.trumps),
            dealer=self.dealer,
            turn=self.turn,
            phase=self.phase,
            out=fields.join(self.out, ","),
        )

    def picture(self, pen: Pen) -> Iterator[str]:
        """A line for each player with trumps, hand and known cards; the pile."""
        for seat, hand in enumerate(self.hands, start=1):
            own = "".join(pen.suits[suit] for suit in self.trumps[seat - 1])
            known = in_order(self.known[seat - 1])
            yield (
                f"{pen.player(seat, seat == self.turn, seat == self.dealer)}  "
                f"{f'trumps {own}' if own else 'no trumps':9}  "
                f"{pen.hand(hand, self.sizes[seat - 1])}"
                f"{f'   known: {pen.cards(known)}' if known else ''}"
            )
        seen = [card for card in reversed(self.pile) if card]
        unseen = len(self.pile) - len(seen)
        rest = f" and {unseen} more" if unseen else ""
        yield f"Pile, top first: {pen.cards(seen)}{rest}" if self.pile else "The pile is empty"

    def numbers(self) -> list[int]:
        """Columns: for each seat, whether the card is known to be in that hand; depth in the pile.

        An own card that all know is 2; the depth is counted from 1 for the top card. Rest: for each
        seat the hand size, 1 for its trump suit and 2 for a second one, whether it is its turn,
        whether it dealt, its place in the order of going out, from 1, or 0; 1 for the phase; the
        size of the pile.
        """
        players = len(self.hands)
        seats = [(self.player - 1 + i) % players for i in range(players)]
        marks: list[tuple[Iterable[Card], int, int]] = [
            (self.known[seat] if i else self.hands[seat] or (), i, 1)
            for i, seat in enumerate(seats)
        ]
        marks.append((self.known[seats[0]], 0, 2))
        marks += [([card], players, i) for i, card in enumerate(reversed(self.pile), 1) if card]
        numbers = card_rows(self.ranks, players + 1, marks)
        for seat in seats:
            suits = [0] * len(SUITS)
            for place, suit in enumerate(self.trumps[seat], 1):
                suits[suit] = place
            numbers += [self.sizes[seat], *suits]
            numbers += [int(self.turn == seat + 1), int(self.dealer == seat + 1)]
            numbers.append(self.out.index(seat + 1) + 1 if seat + 1 in self.out else 0)
        return [*numbers, *(int(self.phase == phase) for phase in PHASES), len(self.pile)]
