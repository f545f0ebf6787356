"""Complete values of the decks of 1 to 5 ranks, computed elsewhere by exhaustion, without theorems.

`data/oracle/ranksN.npz` holds for every hand of the leader, as a bit set seen from him (see
`solver.core.bitboard`), `value` (1 win, -1 loss, 0 draw) and `distance` (0 for draws and hands of
one card).
"""

from functools import cache
from pathlib import Path

import numpy as np

RANKS = range(1, 6)


@cache
def outcomes(ranks):
    """1, -1 or 0 for every base position, in the order of the hands 1, 2, … ."""
    return _load(ranks)["value"][1:-1].astype(np.int16)


@cache
def distances(ranks):
    """The distance of every base position, -1 for a draw."""
    found = _load(ranks)["distance"][1:-1].astype(np.int16)
    return np.where(outcomes(ranks) == 0, -1, found)


def base_hands(ranks):
    """The hands of all base positions, in order."""
    return np.arange(1, (1 << 4 * ranks) - 1)


def _load(ranks):
    return np.load(Path(__file__).parents[1] / "data" / "oracle" / f"ranks{ranks}.npz")
