"""What a player of Kozel has seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.cards import Card
from engine.games import fields
from engine.games.kozel_tricks import PHASES, RANKS, Cards, Group, Shown, Trick, seat
from engine.observation import Observation, Pen, card_rows
from engine.text import counted


@dataclass(frozen=True, slots=True)
class KozelObservation(Observation):
    """Fields as in `KozelFields`; groups that the player has not seen have no cards but a size."""

    player: int
    """Who looks; 0 for a spectator."""
    hands: tuple[Cards | None, ...]
    """None for a hand that he does not see."""
    sizes: tuple[int, ...]
    stock: Cards | int
    """The cards, for a spectator; else how many they are."""
    turned: Card
    tricks: tuple[Trick, ...]
    shown: tuple[Shown, ...]
    trick: Trick
    turn: int
    phase: str

    @property
    def stock_size(self) -> int:
        """How many cards are in the stock."""
        return self.stock if isinstance(self.stock, int) else len(self.stock)

    def __str__(self) -> str:
        return fields.write(
            **fields.format_seen_hands(self.player, self.hands, self.sizes),
            stock=self.stock if isinstance(self.stock, int) else fields.join(self.stock, ","),
            turned=self.turned,
            tricks=fields.join(self.tricks, ";"),
            shown=fields.join(self.shown, ";"),
            trick=self.trick,
            turn=self.turn,
            phase=self.phase,
        )

    def picture(self, pen: Pen) -> Iterator[str]:
        """Trumps and stock, a line for each player, the tricks, hands shown."""
        stock = counted(self.stock_size, "card")
        yield f"Trumps: {pen.card(self.turned)} turned up, {stock} in the stock"
        yield "Players 1 and 3 play against 2 and 4"
        dealer = seat((*self.tricks, self.trick)[0].leader - 1)
        for player, hand in enumerate(self.hands, start=1):
            name = pen.player(player, player == self.turn, player == dealer)
            yield f"{name}  {pen.hand(hand, self.sizes[player - 1])}"
        for number, trick in enumerate(self.tricks, start=1):
            yield f"Trick {number}, led by {_picture(trick, pen)}"
        for shown in self.shown:
            cards = pen.cards(shown.cards)
            yield f"Shown before trick {shown.number + 1} by player {shown.player}: {cards}"
        if self.trick.groups:
            yield f"On the table, led by {_picture(self.trick, pen)}"

    def numbers(self) -> list[int]:
        """Columns: in his hand; turned up; the number of the trick in which it was played, from 1,
        by which seat, from 1, and whether face up; the tricks before which it was shown, the bits
        of a number, by which seat, from 1.

        Rest: for each trick its leader, from 1, and the number of cards; for each seat the hand
        size and whether it is its turn; 1 for the phase; the size of the stock.
        """
        marks: list[tuple[Iterable[Card], int, int]] = [
            (self.hands[self.player - 1] or (), 0, 1),
            ([self.turned], 1, 1),
        ]
        leads = [0, 0] * (RANKS + 1)
        for number, trick in enumerate((*self.tricks, self.trick), start=1):
            leads[2 * number - 2 : 2 * number] = self._seat(trick.leader) + 1, trick.size
            for player, group in trick.by_player():
                numbers = number, self._seat(player) + 1, int(group.up)
                marks += [(group.cards, 2 + i, value) for i, value in enumerate(numbers)]
        for card in {card for shown in self.shown for card in shown.cards}:
            showings = [shown for shown in self.shown if card in shown.cards]
            marks.append(([card], 5, sum(1 << (shown.number - 1) for shown in showings)))
            marks.append(([card], 6, self._seat(showings[0].player) + 1))
        rest = []
        for i in range(len(self.sizes)):
            player = seat(self.player + i)
            rest += [self.sizes[player - 1], int(self.turn == player)]
        rest += [int(self.phase == phase) for phase in PHASES]
        return [*card_rows(RANKS, 7, marks), *leads, *rest, self.stock_size]

    def _seat(self, player: int) -> int:
        """His place, counted clockwise from that of who looks."""
        return seat(player - self.player + 1) - 1


def _picture(trick: Trick, pen: Pen) -> str:
    return f"player {trick.leader}: {', '.join(_drawn(group, pen) for group in trick.groups)}"


def _drawn(group: Group, pen: Pen) -> str:
    cards = pen.cards(group.cards)
    return cards if group.up else f"({group.unseen or cards})"
