"""Which positions are worth testing again: those that can reach a new fact within a trick.

During a trick every hand only shrinks, by one card a play. So a search in which the prover, holding
X, is to lead looks up "prover leads and wins" only for hands Y inside X, an odd number of cards
smaller, and "prover responds and wins" only for hands H around X (he picked up), an even number
larger; when the other is to lead, parities are the other way round. So a position from which no
fact of the last round can be reached fails as it failed before. With 6 ranks this saves 44 % of all
tests and 39 % of all nodes of a build with distances.
"""

from __future__ import annotations

import numpy as np

_CLEAR = [np.uint64(sum(1 << i for i in range(64) if not i >> bit & 1)) for bit in range(6)]
"""Words in which those bits are set whose number has bit 0, 1, … clear."""


def reaching(
    leader: np.ndarray, responder: np.ndarray, ranks: int
) -> tuple[np.ndarray, np.ndarray]:
    """The hands of the prover from which a new fact can be reached: where he leads, where he
    responds.

    Takes and returns bit tables over the prover's hand, uint64 words (`solver.core.trick`).
    """
    cards = 4 * ranks
    even = _even_hands(cards)
    small_even, small_odd = (_spread(leader & of, cards, up=True) for of in (even, ~even))
    large_even, large_odd = (_spread(responder & of, cards, up=False) for of in (even, ~even))
    leads = (small_odd | large_even) & even | (small_even | large_odd) & ~even
    responds = (small_even | large_odd) & even | (small_odd | large_even) & ~even
    return leads, responds


def _even_hands(cards: int) -> np.ndarray:
    """The bit table of all hands with an even number of cards."""
    word = np.uint64(sum(1 << i for i in range(64) if i.bit_count() % 2 == 0))
    odd = np.bitwise_count(np.arange(max(1, 1 << cards >> 6))) & 1
    return np.where(odd, ~word, word)


def _spread(table: np.ndarray, cards: int, *, up: bool) -> np.ndarray:
    """Add to a bit table, in place, all hands around (up) or inside (not up) those in it."""
    for bit in range(min(6, cards)):
        shift = np.uint64(1 << bit)
        if up:
            table |= (table & _CLEAR[bit]) << shift
        else:
            table |= table >> shift & _CLEAR[bit]
    for bit in range(6, cards):
        halves = table.reshape(-1, 2, 1 << (bit - 6))
        if up:
            halves[:, 1] |= halves[:, 0]
        else:
            halves[:, 0] |= halves[:, 1]
    return table
