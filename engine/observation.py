"""What a player has seen of a game: an object with a text form, a picture and numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator

from engine.cards import RANKS, SUITS, Card, in_order
from engine.text import counted


class Observation(ABC):
    """What one player has seen, or everything for a spectator; an immutable value.

    It holds no card that he has not seen, and no reference to the state that it was made from.
    """

    __slots__ = ()

    @abstractmethod
    def __str__(self) -> str:
        """Exactly what was seen; for a spectator the text form of the state."""

    @abstractmethod
    def picture(self, pen: Pen) -> Iterator[str]:
        """Lines that show it to people."""

    @abstractmethod
    def numbers(self) -> list[int]:
        """The same for programs that learn, not for spectators: numbers from 0 to 255.

        In a game with the same options there are always as many: a row for each card of the deck
        (see `card_rows`), then the rest. Seats are counted clockwise from the player's own, 0.
        """


class Pen:
    """Draws cards and names in plain letters; a front end may have symbols and colours."""

    suits = SUITS
    gap = "."
    """Drawn in the place of a card that is not there."""

    def style(
        self, text: str, suit: int | None = None, bold: bool = False, dim: bool = False
    ) -> str:
        """`text` in the colour of a suit, bold or dim."""
        return text

    def width(self, text: str) -> int:
        """How many columns a text takes that this pen has drawn."""
        return len(text)

    def suit(self, suit: int) -> str:
        """Such as `D`."""
        return self.style(self.suits[suit], suit)

    def card(self, card: Card) -> str:
        """Such as `9D`."""
        return self.style(RANKS[14 - card.rank] + self.suits[card.suit], card.suit)

    def action(self, action: object) -> str:
        """A card, or another action as it is."""
        return self.card(action) if isinstance(action, Card) else str(action)

    def cards(self, actions: Iterable[Card | str]) -> str:
        """Cards and other actions, with spaces between them."""
        return " ".join(map(self.action, actions))

    def hand(self, hand: Collection[Card] | None, size: int) -> str:
        """The cards of a hand, or how many they are if it is None."""
        if not size:
            return "out"
        return counted(size, "card") if hand is None else self.cards(in_order(hand))

    def player(self, player: int, turn: bool, dealer: bool = False) -> str:
        """The name of a player, marked if it is his turn, and whether he has dealt."""
        name = self.style(f"{'>' if turn else ' '} Player {player}", bold=turn)
        return f"{name}{', dealer' if dealer else '        '}"

    def play(self, card: Card, beats: bool) -> str:
        """What somebody does who plays this card."""
        return f"{'beats with' if beats else 'leads'} {self.card(card)}"

    def pickup(self, count: int) -> str:
        """What somebody does who picks up so many cards."""
        return f"picks up {counted(count, 'card')}"

    def answer(self, top: Card, count: int, can_beat: bool) -> str:
        """What somebody is asked to do who faces this card and would pick up so many."""
        if can_beat:
            return f"beat {self.card(top)} or pick up {count}"
        return f"pick up {count}, you cannot beat {self.card(top)}"

    def columns(self, cells: Iterable[str], width: int) -> str:
        """Cells side by side, each `width` columns wide."""
        return "".join(cell + " " * (width - self.width(cell)) for cell in cells).rstrip()


def card_number(card: Card, ranks: int) -> int:
    """The place of a card in the deck of the top `ranks` ranks as it is written, from 0."""
    return card.suit * ranks + 14 - card.rank


def card_rows(
    ranks: int, columns: int, marks: Iterable[tuple[Iterable[Card], int, int]]
) -> list[int]:
    """A row of `columns` numbers for each card of a deck.

    `marks` are cards, a column, and the number to put there for these cards; all else is 0.
    """
    numbers = [0] * (4 * ranks * columns)
    for cards, column, number in marks:
        for card in cards:
            numbers[card_number(card, ranks) * columns + column] = number
    return numbers
