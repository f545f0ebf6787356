"""Hands as bit sets, and where a hand stands in a table.

A hand is seen from one player: his own trump suit, the other's trump suit, the two plain suits.
Card `rank` of suit `s` is bit `s * n + rank`, with `n` ranks in the deck and rank 0 the lowest of
them:

    bit   4n-1 ... 3n | 3n-1 ... 2n |  2n-1 ... n   | n-1 ... 0
            plain Q   |   plain P   | other's trump | own trump

A base position is the leader's hand, seen from the leader. The two plain suits are alike, so only
positions with P >= Q (as numbers) are stored. A *slice* holds the 4**n positions with the same P
and Q, at their low 2n bits; slices follow one another in the order (0,0) (1,0) (1,1) (2,0) ... .

The functions of a hand and a `Deck` use only what means the same to Python and to numba; the
kernels compile them (`solver.core.trick`). A hand has at most 40 bits, so signed words hold it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.cards import Card, Hand, lowest_rank
from engine.position import Position

if TYPE_CHECKING:
    import numpy as np


class Deck(NamedTuple):
    """What the kernels must know of a deck: sets of cards, but for `ranks`."""

    ranks: int
    full: int
    """All cards."""
    own: int
    """The trumps of the player whose view it is, and of the other."""
    other: int
    not_top: int
    """All cards but the aces."""
    not_low1: int
    """All cards but the lowest one, two, four of each suit."""
    not_low2: int
    not_low4: int

    @classmethod
    def of(cls, ranks: int) -> Deck:
        """The deck with so many ranks."""

        def every(suit: int) -> int:
            return sum(suit << ranks * s for s in range(4))

        suit = (1 << ranks) - 1
        lows = (every(low & suit) for low in (1, 3, 15))
        full = every(suit)
        aces = every(1 << ranks - 1)
        return cls(ranks, full, suit, suit << ranks, full ^ aces, *(full ^ low for low in lows))


def view(trumps: tuple[int, int], player: int) -> tuple[int, int, int, int]:
    """The suits as `player` (1 or 2) sees them: his trump, the other's trump, the plain suits."""
    own, other = trumps if player == 1 else trumps[::-1]
    first, second = (s for s in range(4) if s not in trumps)
    return own, other, first, second


@lru_cache(maxsize=256)
def card_bits(suits: tuple[int, int, int, int], ranks: int) -> Mapping[Card, int]:
    """The bit of every card, for a player who sees the suits in this order."""
    lowest = lowest_rank(ranks)
    return {
        Card(suit, lowest + rank): 1 << number * ranks + rank
        for number, suit in enumerate(suits)
        for rank in range(ranks)
    }


def hand_bits(hand: Iterable[Card], suits: tuple[int, int, int, int], ranks: int) -> int:
    """A hand as a bit set."""
    return sum(map(card_bits(suits, ranks).__getitem__, hand))


def hand_cards(bits: int, suits: tuple[int, int, int, int], ranks: int) -> Hand:
    """The cards of a bit set; the inverse of `hand_bits`."""
    return frozenset(
        Card(suits[bit // ranks], bit % ranks + 15 - ranks)
        for bit in range(4 * ranks)
        if bits >> bit & 1
    )


def leader_bits(position: Position) -> int:
    """The hand of the player to move, seen from him: a base position as a bit set."""
    suits = view(position.trumps, position.turn)
    return hand_bits(position.hands[position.turn - 1], suits, position.ranks)


def trick_bits(position: Position) -> tuple[int, int, int, bool]:
    """A position seen from the player to move: his hand, the other's, the card that he faces (0 if
    he is to lead), and whether the table is empty."""
    suits = view(position.trumps, position.turn)
    mine, others = position.hands if position.turn == 1 else position.hands[::-1]
    top = hand_bits([position.top] if position.top else [], suits, position.ranks)
    ranks = position.ranks
    return hand_bits(mine, suits, ranks), hand_bits(others, suits, ranks), top, position.is_base


def below_highest(hand: int, deck: Any) -> int:
    """The cards of each suit that lie below the highest card of `hand` in that suit."""
    x = (hand & deck.not_low1) >> 1
    x |= (x & deck.not_low1) >> 1
    x |= (x & deck.not_low2) >> 2
    x |= (x & deck.not_low4) >> 4
    return x | (x & deck.not_low1) >> 1  # the last step matters for decks of ten ranks only


def run_lows(hand: int, other: int, deck: Any) -> int:
    """The lowest card of each run of `hand`: the cards of one suit with no card of `other` between
    them.

    A card is above another of its run iff going down from it the first card that somebody holds is
    `hand`'s own. A carry that starts above each card of the hand finds these: it ripples through
    the cards that nobody holds.
    """
    above = (hand & deck.not_top) << 1
    empty = deck.not_top & ~(hand | other)
    entering = above & empty
    reached = above | ((empty + entering) ^ empty ^ entering)
    return hand & ~reached


def swap_trumps(x: Any, ranks: int) -> Any:
    """The same cards seen from the other player; `x` is an int or an integer array."""
    suit = (1 << ranks) - 1
    both = suit | suit << ranks
    return (x ^ x & both) | (x & suit) << ranks | (x >> ranks) & suit


def swap_plain(x: Any, ranks: int) -> Any:
    """The cards with the plain suits exchanged, worth the same; `x` as in `swap_trumps`."""
    two, suit = 2 * ranks, (1 << ranks) - 1
    p, q = x >> two & suit, x >> two + ranks
    return (x & (1 << two) - 1) | q << two | p << two + ranks


def slices(ranks: int) -> int:
    """The number of slices of a table."""
    return (1 << ranks) * ((1 << ranks) + 1) // 2


def table_index(x: int, ranks: int) -> int:
    """Where the base position with leader's hand `x` stands in a table."""
    two = 2 * ranks
    p = x >> two & (1 << ranks) - 1
    q = x >> two + ranks
    if p < q:
        p, q = q, p
    return (p * (p + 1) // 2 + q) << two | x & (1 << two) - 1


def outcome_bits(index: int, ranks: int) -> tuple[int, int, int]:
    """Where the content of an outcome table has the base position of a table index: the bytes with
    the bits "the leader wins" and "draw", and the number of both bits in their bytes.
    """
    positions = 1 << 2 * ranks  # of a slice
    field = (positions + 7) // 8  # bytes of each of its two bit fields
    place = index & positions - 1
    win = (index >> 2 * ranks) * 2 * field + place // 8
    return win, win + field, place & 7


def plain_suits(number: int) -> tuple[int, int]:
    """The two plain suits, P >= Q, of the positions in slice `number`."""
    p = (isqrt(8 * number + 1) - 1) >> 1
    return p, number - (p * (p + 1) >> 1)


def table_indices(hands: np.ndarray, ranks: int) -> np.ndarray:
    """`table_index` of an int64 array of any shape."""
    import numpy as np

    two = 2 * ranks
    p, q = (hands >> two) & ((1 << ranks) - 1), hands >> (two + ranks)
    high, low = np.maximum(p, q), np.minimum(p, q)
    indices: np.ndarray = ((high * (high + 1) >> 1) + low) << two | hands & ((1 << two) - 1)
    return indices
