"""Deals of Challenge: both hands are mirror images, so a deal is two sets of ranks.

A deal is written as its number of ranks, then the dealer's cards in his trump suit and in his
second suit: `8 KQJ.JT97`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

from engine.cards import (
    DECKS,
    MAX_RANKS,
    RANKS,
    SUITS,
    Card,
    deck_cards,
    in_order,
    lowest_rank,
    parse_deck,
)
from engine.errors import NotationError
from engine.notation import clean, parse_suits
from engine.position import Position
from engine.text import quoted

_NUMBERED = re.compile(r"\s*(\d+)\s+(?=[^\s.])")
"""A number of ranks before a deal; a number before a dot is a card: `10 . 9`."""


@dataclass(frozen=True, slots=True, repr=False)
class Deal:
    """What the dealer has kept of the half deck turned up."""

    ranks: int
    trump: frozenset[int]
    """Rank values that the dealer holds in his trump suit."""
    second: frozenset[int]
    """Rank values that he holds in his second suit."""

    @classmethod
    def parse(cls, text: str, ranks: int | None = None) -> Deal:
        """The deal written `text`, which may leave out its number of ranks.

        It is then a deal of `ranks` ranks, or of the easy deck. Raises GameError, also for a deal
        of another deck than this.
        """
        found = _NUMBERED.match(clean(text))
        written = parse_deck(found[1]) if found else ranks
        if ranks not in (None, written):
            raise NotationError(f"{quoted(text)} is a deal of {written} ranks, expected {ranks}")
        cards = clean(text)[found.end() :] if found else text
        trump, second = (
            frozenset(14 - RANKS.index(rank) for rank in group)
            for group in parse_suits(cards, SUITS[:2], written or MAX_RANKS)
        )
        if written is None:
            written, lowest = DECKS["easy"], min(trump | second, default=14)
            if lowest < lowest_rank(written):
                fits = 15 - lowest
                raise NotationError(
                    f"{quoted(text)} is not a deal of the easy deck "
                    f"({RANKS[fits - 1]} is not among its ranks), "
                    f"expected --deck {fits} or {cls(fits, trump, second)}"
                )
        return cls(written, trump, second)

    def __str__(self) -> str:
        cards = ".".join(
            "".join(RANKS[14 - rank] for rank in sorted(held, reverse=True)) or "-"
            for held in (self.trump, self.second)
        )
        return f"{self.ranks} {cards}"

    def __repr__(self) -> str:
        return f"Deal.parse({str(self)!r})"

    @property
    def weight(self) -> int:
        """The number of half decks that make this deal."""
        return comb(2 * self.ranks, len(self.trump) + len(self.second))

    def position(self, suits: str = SUITS) -> Position:
        """The position after the deal; player 1 is the dealer and leads.

        `suits` are the dealer's trump, his second suit, the other player's trump, his second suit.
        """
        trump1, second1, trump2, second2 = map(SUITS.index, suits)
        kept = _cards(trump1, self.trump) | _cards(second1, self.second)
        copied = _cards(trump2, self.trump) | _cards(second2, self.second)
        rest = deck_cards(self.ranks) - kept - copied
        hand1 = kept | {card for card in rest if card.suit in (trump2, second2)}
        return Position(
            self.ranks, (hand1, deck_cards(self.ranks) - hand1), (trump1, trump2), 1, None
        )


def _cards(suit: int, ranks: frozenset[int]) -> frozenset[Card]:
    return frozenset(Card(suit, rank) for rank in ranks)


def random_deal(ranks: int, rng: random.Random) -> Deal:
    """A deal made as at the table.

    Half the deck is turned up at random, and the dealer keeps the cards of his two suits.
    """
    deck = in_order(deck_cards(ranks))
    half = rng.sample(deck, 2 * ranks)
    trump, second = (frozenset(card.rank for card in half if card.suit == s) for s in (0, 1))
    return Deal(ranks, trump, second)


def all_deals(ranks: int) -> Iterator[Deal]:
    """Every deal of a deck once, 2^(2 ranks) in all.

    They come in the order of the binary number that has a digit for each card that the dealer may
    keep: the trumps from the ace down, then the second suit from the ace down. With the easy deck
    this is `-.-`, `-.9`, `-.T`, `-.T9`, and so on to `AKQJT9.AKQJT9`.
    """
    values = range(lowest_rank(ranks), 15)
    sets = [
        frozenset(value for i, value in enumerate(values) if bits >> i & 1)
        for bits in range(1 << ranks)
    ]
    for trump in sets:
        for second in sets:
            yield Deal(ranks, trump, second)
