"""Deals of Challenge: both hands are mirror images, so a deal is two sets of ranks.

A deal is written as the dealer's cards in his trump suit and in his second suit: `KQJ.JT9`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

from engine.cards import RANKS, SUITS, Card, card_order, deck_cards, lowest_rank
from engine.notation import parse_suits
from engine.position import Position


@dataclass(frozen=True, slots=True)
class Deal:
    """What the dealer has kept of the half deck turned up."""

    ranks: int
    trump: frozenset[int]
    """Rank values that the dealer holds in his trump suit."""
    second: frozenset[int]
    """Rank values that he holds in his second suit."""

    @classmethod
    def parse(cls, text: str, ranks: int) -> Deal:
        """The deal written `text`, of a deck of `ranks` ranks. Raises NotationError."""
        trump, second = (
            frozenset(14 - RANKS.index(rank) for rank in group)
            for group in parse_suits(text, SUITS[:2], ranks)
        )
        return cls(ranks, trump, second)

    def __str__(self) -> str:
        return ".".join(
            "".join(RANKS[14 - rank] for rank in sorted(held, reverse=True)) or "-"
            for held in (self.trump, self.second)
        )

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
    deck = sorted(deck_cards(ranks), key=card_order)
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
