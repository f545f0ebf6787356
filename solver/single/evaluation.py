"""A guess at who wins a base position, learned from the complete solution of 6 ranks.

It orders the moves of `solver.single.claims` and decides nothing. The guess is a sum over suits of
what their hands promise the leader, in log odds. A suit is described by a few numbers that mean the
same in decks of any size, so that what is learned from one deck serves the larger ones. `python -m
benchmarks.evaluation` learns the weights again and prints how often the guesses are right.
"""

from __future__ import annotations

import numpy as np

FEATURES = 10
"""Numbers that tell the hand of a suit."""

WEIGHTS: tuple[tuple[float, ...], ...] = (
    (5.238, 13.2, 0.7504, 0.6857, 0.9887, 5.838, -2.217, -7.505, -3.434, -1.48),
    (-18.6, 19.06, 0.5148, 0.3628, -1.243, 2.376, 3.426, 17.49, 8.94, -16.07),
    (-10.42, 5.801, -0.02413, -0.2633, -0.1557, 1.959, -2.887, -0.4119, 1, 1.967),
    (14.24,),
)
"""One row for the leader's trumps, the other's trumps and a plain suit; then the constant."""


def suit_features(ranks: int) -> np.ndarray:
    """The features of every hand of a suit: shape (2**ranks, FEATURES).

    How many cards; how high they are against the other player's; whether the ace and the lowest
    card are among them; changes of holder from rank to rank; none and all; and the products of the
    first two.
    """
    bits = np.arange(1 << ranks)[:, None] >> np.arange(ranks) & 1
    count = bits.sum(1) / ranks
    lead = 2 * bits[:, ::-1].cumsum(1) - np.arange(1, ranks + 1)  # from each rank up, mine - his
    height = lead.sum(1) / ranks**2
    changes = (bits[:, 1:] != bits[:, :-1]).sum(1) / ranks
    columns = [count, height, bits[:, -1], bits[:, 0], changes, count == 0, count == 1]
    return np.stack([*columns, count**2, height**2, height * count], 1).astype(float)


def guess_tables(ranks: int) -> np.ndarray:
    """What each hand of a suit of the prover's adds to the guess that he wins, in 1/64 log odds.

    Shape (2, 3, 2**ranks), int64: where he leads, where the other leads; his trumps, the other's
    trumps, a plain suit. The sums carry a constant that keeps them positive.
    """
    own, other, plain, (constant,) = (np.array(row) for row in WEIGHTS)
    features = suit_features(ranks)
    leads = np.stack([features @ own, features @ other, features @ plain])
    leads[0] += constant
    responds = -leads[
        [1, 0, 2], ::-1
    ]  # the leader has the complement, and his trumps are the other's
    tables: np.ndarray = np.round(64 * np.stack([leads, responds]) + (1 << 20)).astype(np.int64)
    return tables
