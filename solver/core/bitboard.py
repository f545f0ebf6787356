"""Hands as bit sets, and where a hand stands in a table.

A hand is seen from one player: his own trump suit, the other's trump suit, the two plain suits.
Card `rank` of suit `s` is bit `s * n + rank`, with `n` ranks in the deck and rank 0 the lowest of
them:

    bit   4n-1 ... 3n | 3n-1 ... 2n |  2n-1 ... n   | n-1 ... 0
            plain Q   |   plain P   | other's trump | own trump

A base position is the leader's hand, seen from the leader. The two plain suits are alike, so only
positions with P >= Q (as numbers) are stored. A *slice* holds the 4**n positions with the same P
and Q, at their low 2n bits; slices follow one another in the order (0,0) (1,0) (1,1) (2,0) ... .
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.cards import Card, Hand


def view(trumps: tuple[int, int], player: int) -> tuple[int, int, int, int]:
    """The suits as `player` (1 or 2) sees them: his trump, the other's trump, the plain suits."""
    own, other = trumps if player == 1 else trumps[::-1]
    first, second = (s for s in range(4) if s not in trumps)
    return own, other, first, second


def card_bit(card: Card, suits: tuple[int, int, int, int], ranks: int) -> int:
    """The number of the bit of a card, for a player who sees the suits in this order."""
    return suits.index(card.suit) * ranks + card.rank - (15 - ranks)


def hand_bits(hand: Iterable[Card], suits: tuple[int, int, int, int], ranks: int) -> int:
    """A hand as a bit set."""
    return sum(1 << card_bit(card, suits, ranks) for card in hand)


def hand_cards(bits: int, suits: tuple[int, int, int, int], ranks: int) -> Hand:
    """The cards of a bit set; the inverse of `hand_bits`."""
    return frozenset(
        Card(suits[bit // ranks], bit % ranks + 15 - ranks)
        for bit in range(4 * ranks)
        if bits >> bit & 1
    )


def swap_trumps(x: Any, ranks: int) -> Any:
    """The same cards seen from the other player; `x` is an int or an integer array."""
    field = (1 << ranks) - 1
    both = field | field << ranks
    return (x ^ x & both) | (x & field) << ranks | (x >> ranks) & field


def slices(ranks: int) -> int:
    """The number of slices of a table."""
    return (1 << ranks) * ((1 << ranks) + 1) // 2
