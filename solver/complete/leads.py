"""What comes of every move, from the tables of a deck: compiled, for thousands of positions.

The twin of `solver.complete.value`. Whether a move wins or loses is asked of `proves`, which takes
its facts from the tables themselves; how fast, by asking again with smaller and larger bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.complete.deck import DeckTables
from solver.complete.value import WIN
from solver.core.jit import njit
from solver.core.trick import (
    DISTANCES,
    NO_BOUND,
    OUTCOMES,
    PROGRESS,
    TABLES,
    Context,
    below_highest,
    measure_of,
    new_generation,
    proves,
    settled,
    swap_trumps,
)

PICKUP = 40
"""Where the score of picking up is written; that of playing a card stands at the card's number."""


@njit(cache=True, nogil=True)
def beats_of(b: int, card: int, c: Any) -> tuple[int, int]:
    """The cards of `b` that beat a lead: in its suit, and by trumps. The lowest of each matter."""
    in_suit = b & -(card << 1) if card & below_highest(b, c) else 0
    return in_suit, 0 if card & c.other else b & c.other


@njit(cache=True, nogil=True)
def wins_with(a: int, b: int, card: int, leads: bool, c: Any) -> bool:
    """Whether the player to move, the prover, is known to win with a move.

    He holds `a`, the other holds `b`. `card`: a lead or a beat; 0 if he picks up.
    """
    if card == 0:
        return settled(c.full ^ b, False, c)
    rest = a ^ card
    if rest == 0:
        return True
    if not leads:
        return proves(rest, b, True, c)
    if not settled(rest, True, c):
        return False
    for beats in beats_of(b, card, c):
        if beats:
            kept = b ^ beats & -beats
            if kept == 0 or not proves(rest, kept, False, c):
                return False
    return True


@njit(cache=True, nogil=True)
def loses_with(a: int, b: int, card: int, leads: bool, c: Any) -> bool:
    """Whether the other player is known to win against a move; arguments as in `wins_with`."""
    if card == 0:
        return settled(swap_trumps(b, c.ranks), True, c)
    if a == card:
        return False
    rest = swap_trumps(a ^ card, c.ranks)
    if not leads:
        return proves(swap_trumps(b, c.ranks), rest, False, c)
    if settled(c.full ^ rest, False, c):
        return True
    for beats in beats_of(b, card, c):
        if beats:
            kept = b ^ beats & -beats
            if kept == 0 or proves(swap_trumps(kept, c.ranks), rest, True, c):
                return True
    return False


@njit(cache=True, nogil=True)
def holds(a: int, b: int, card: int, leads: bool, wins: bool, bound: int, c: Any) -> bool:
    """`wins_with` or `loses_with`, counting only wins within a bound."""
    if c.bound != bound:
        c.bound = bound
        new_generation(c)
    return wins_with(a, b, card, leads, c) if wins else loses_with(a, b, card, leads, c)


@njit(cache=True, nogil=True)
def least_bound(a: int, b: int, card: int, leads: bool, wins: bool, guess: int, c: Any) -> int:
    """The least bound within which a move that wins (loses) does so.

    `guess`: where to look first.
    """
    low, high = -1, 255 if c.source == DISTANCES else NO_BOUND  # fails there, holds there
    if leads and card and wins:  # he may be made to lead again
        low = measure_of(a ^ card, True, c) - 1
        guess = low + 1
    elif leads and card:
        rest = c.full ^ swap_trumps(a ^ card, c.ranks)
        if settled(rest, False, c):
            high = measure_of(rest, False, c)
            guess = high - 1
    step = 1
    while high - low > 1:
        if guess <= low or guess >= high:
            guess = (low + high) // 2
        if holds(a, b, card, leads, wins, guess, c):
            high = guess
            guess -= step
        else:
            low = guess
            guess += step
        step *= 2
    return high


@njit(cache=True, nogil=True)
def judge(a: int, b: int, top: int, empty: bool, contexts: Any, out: np.ndarray) -> int:
    """Write the score of every legal move to `out`; returns the set of the cards that are legal.

    Arguments and scores are those of `TrickValues.move_scores`; without a measure scores are 1, 0
    and -1. `contexts`: a `Context.array`, which says where facts come from.
    """
    c = contexts[0]
    legal = a
    if top:
        suit = c.own
        while suit & top == 0:
            suit <<= c.ranks
        legal = a & suit & -(top << 1)
        if top & c.own == 0:
            legal |= a & c.own
    source = c.source
    guess = 8
    bit = -1 if top else 0
    while bit < 4 * c.ranks:
        card = 0 if bit < 0 else 1 << bit
        if card == 0 or legal & card:
            c.source = PROGRESS if source == PROGRESS else OUTCOMES
            if c.bound != NO_BOUND:
                c.bound = NO_BOUND
                new_generation(c)
            wins = wins_with(a, b, card, top == 0, c)
            score = 1 if wins else -1 if loses_with(a, b, card, top == 0, c) else 0
            if score and source != OUTCOMES:
                c.source = source
                d = 1
                if a == card:
                    d = 0 if empty else 1
                elif card == 0:
                    hand = c.full ^ b if wins else swap_trumps(b, c.ranks)
                    d = measure_of(hand, not wins, c) + 1
                else:
                    guess = least_bound(a, b, card, top == 0, wins, guess, c)
                    d = guess + 1
                score *= WIN - d
            out[PICKUP if card == 0 else bit] = score
        bit += 1
    c.source = source
    return legal


class CompiledValues:
    """Values of moves from the unpacked tables of a deck. Owned by one thread."""

    def __init__(self, tables: DeckTables) -> None:
        measure = tables.measure
        self._context = Context(tables.ranks, TABLES)
        if measure is not None and measure.kind == "progress":
            self._context.use_progress(tables.unpacked("progress"))
        else:
            self._context.use_table(
                tables.unpacked("outcome"),
                None if measure is None else tables.unpacked("distance"),
            )
        self._out = np.zeros(PICKUP + 1, np.int64)

    def move_scores(
        self, a: int, b: int, top: int, empty: bool, most: int = WIN
    ) -> dict[int | None, int]:
        """As `TrickValues.move_scores`; only signs where the deck has outcomes alone."""
        legal = judge(a, b, top, empty, self._context.array, self._out)
        found = self._out.tolist()
        scores: dict[int | None, int] = {None: found[PICKUP]} if top else {}
        while legal:
            card = legal & -legal
            legal ^= card
            scores[card] = found[card.bit_length() - 1]
        return scores
