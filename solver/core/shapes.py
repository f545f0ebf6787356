"""Hands of a suit, and the shapes of hands.

The *shape* of a hand is how many cards it has of each suit.
"""

from __future__ import annotations

from itertools import combinations
from math import comb, prod
from typing import NamedTuple

import numpy as np


class Subsets(NamedTuple):
    """The hands of one suit: those with k cards are number first[k] to first[k + 1] - 1.

    `bits`: the bit set of each. `up`, `down`: the places, counted from first[k], of those that
    differ by exchanging one card for the next higher (lower) rank; the rest of a row is -1.
    """

    first: np.ndarray
    bits: np.ndarray
    up: np.ndarray
    down: np.ndarray

    @classmethod
    def of(cls, ranks: int) -> Subsets:
        """The hands of a suit of `ranks` cards."""
        groups = [
            sorted(sum(1 << r for r in chosen) for chosen in combinations(range(ranks), k))
            for k in range(ranks + 1)
        ]
        place = {bits: i for group in groups for i, bits in enumerate(group)}
        every = [bits for group in groups for bits in group]
        up = np.full((len(every), ranks // 2 + 1), -1, np.int64)
        down = up.copy()
        for row, bits in enumerate(every):
            pairs = [(1 << r, bits >> r & 3) for r in range(ranks - 1)]
            ups = [place[bits + low] for low, two in pairs if two == 1]
            downs = [place[bits - low] for low, two in pairs if two == 2]
            up[row, : len(ups)] = ups
            down[row, : len(downs)] = downs
        first = np.cumsum([0] + [len(group) for group in groups])
        return cls(first.astype(np.int64), np.array(every, np.int64), up, down)


def block_shapes(ranks: int) -> list[tuple[int, int, int, int]]:
    """The shapes that have blocks."""
    each = range(ranks + 1)
    return [(t, u, p, q) for t in each for u in each for p in each for q in range(p + 1)]


def block_sizes(ranks: int) -> list[int]:
    """The size of the block of each shape, in bytes."""
    return [prod(comb(ranks, k) for k in shape) for shape in block_shapes(ranks)]
