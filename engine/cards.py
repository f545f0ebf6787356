"""Cards, suits, ranks and decks: the vocabulary of all games."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from engine.errors import GameError
from engine.text import counted, meant, number_in, quoted

SUITS = "SHDC"
SUIT_SYMBOLS = "♠♥♦♣"
SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")
RANKS = "AKQJT98765432"
"""High to low; the rank written `RANKS[i]` has the value 14 - i."""

DECKS = {"easy": 6, "standard": 8, "advanced": 10}
"""Named decks of Challenge -> number of ranks in each suit, counted from the ace."""
MAX_RANKS = 10
"""The largest deck of Challenge."""
_DECK_RANKS = range(1, MAX_RANKS + 1)


class Card(NamedTuple):
    """One card; `str` writes it rank then suit, `9D`."""

    suit: int
    """Index in `SUITS`."""
    rank: int
    """2..14, the ace is 14."""

    def __str__(self) -> str:
        return RANKS[14 - self.rank] + SUITS[self.suit]


Hand = frozenset[Card]

PICKUP = "pickup"
"""The action of a player who plays no card but takes up cards from the table."""


def beats(card: Card, top: Card, trump: int) -> bool:
    """Whether `card` beats `top` for a player whose own trump suit is `trump`."""
    if card.suit == top.suit:
        return card.rank > top.rank
    return card.suit == trump


def parse_deck(text: str | int) -> int:
    """The number of ranks of a deck of Challenge, given by name or number. Raises GameError."""
    name = text.strip().lower() if isinstance(text, str) else ""
    ranks = DECKS.get(name) or number_in(text, _DECK_RANKS)
    if ranks is None:
        raise GameError(
            f"unknown deck {quoted(text)}{meant(name, DECKS)}, "
            f"expected {', '.join(DECKS)} or a number of ranks from 1 to {MAX_RANKS}"
        )
    return ranks


def deck_name(ranks: int) -> str:
    """A deck in a sentence."""
    names = {number: f"the {name} deck" for name, number in DECKS.items()}
    return names.get(ranks, f"the deck of {counted(ranks, 'rank')}")


def cheapest(cards: Iterable[Card], trumps: Collection[int]) -> Card | str:
    """The card to spend first: plain suits before trumps, low before high; `PICKUP` if none."""
    return min(cards, key=lambda card: (card.suit in trumps, card.rank), default=PICKUP)


@cache
def deck_cards(ranks: int) -> Hand:
    """The deck of the top `ranks` ranks in four suits."""
    return frozenset(Card(s, r) for s in range(4) for r in range(lowest_rank(ranks), 15))


def lowest_rank(ranks: int) -> int:
    """The value of the lowest rank in a deck of `ranks` ranks."""
    return 15 - ranks


_PLACES = {
    card: place
    for place, card in enumerate(
        sorted(deck_cards(len(RANKS)), key=lambda card: (card.suit, -card.rank))
    )
}


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards in the order in which they are written: suits as in `SUITS`, high to low."""
    return tuple(sorted(cards, key=_PLACES.__getitem__))


def deal(cards: Sequence[Card], players: int, dealer: int) -> tuple[tuple[Card, ...], ...]:
    """The hands when the cards are dealt one by one, clockwise from the dealer's left."""
    return tuple(in_order(cards[(seat - dealer) % players :: players]) for seat in range(players))
