"""The trick search: can a player force a win within the current trick, given facts about empty
tables?

Everything is seen from one player, the *prover*. A hand is a set of bits, `suit * n + rank`, with
the suits in the order prover's trump, other's trump, plain, plain and rank 0 the lowest card of the
deck:

    bit   4n-1 ... 3n | 3n-1 ... 2n | 2n-1 ... n | n-1 ... 0
             plain    |    plain    | other's T  | prover's T

Two bit tables over the prover's hand hold what is proved about base positions: `LEADER` (the prover
is to lead and wins) and `RESPONDER` (the other is to lead and the prover wins). Both are indexed
with the hand that the prover will hold, so nothing is ever turned round inside a search.

`proves` is a boolean AND-OR search. It treats what is not in the tables as not proved, so it is
sound at any time, whatever the tables lack. By the theorems *lowest of a run* and *lowest beat*
(docs/theory.md) only the lowest card of a run is led, and at most two beats are tried: the lowest
higher card of the suit led and the lowest own trump.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solver.single.old_lowlevel import has_bit, load, store

word: Any = np.uint64  # what numba must be told is unsigned is an int to type checkers

# Layout of the context, an array of 64-bit words whose address is passed down the search.
LEADER: int = word(0)  # address of the bit table "prover leads and wins"
RESPONDER: int = word(1)  # address of the bit table "the other leads and the prover wins"
MEMO: int = word(2)  # address of the transposition table, MEMO_SIZE entries of two words
TAG: int = word(3)  # generation << 41: entries of other generations do not count
NODES: int = word(4)  # number of lead nodes searched
FULL: int = word(5)  # the whole deck
OWN: int = word(6)  # the prover's trump suit
OTHER: int = word(7)  # the other's trump suit
NOT_TOP: int = word(8)  # all cards but the aces
NOT_LOW1: int = word(9)  # all cards but the lowest one, two, four of each suit
NOT_LOW2: int = word(10)
NOT_LOW4: int = word(11)
PUBLISH_LEADER: int = word(12)  # addresses of the tables in which a build enters what is new
PUBLISH_RESPONDER: int = word(13)
TESTS: int = word(14)  # number of positions tested in a build, and of those proved
PROVED: int = word(15)
REACH_LEADER: int = word(16)  # addresses of bit tables of what is worth a test; 0: everything
REACH_RESPONDER: int = word(17)
CONTEXT_WORDS = 18


MEMO_SIZE = 4096
"""Entries of the transposition table. It is small on purpose: transpositions matter within one test
only, and the table must stay in the first-level cache."""

U0: int = word(0)
U1: int = word(1)
U2: int = word(2)
U4: int = word(4)
_SHIFT_RESULT: int = word(41)
_SHIFT_SIDE: int = word(40)
MULTIPLIER: int = word(0x9E3779B97F4A7C15)
MULTIPLIER2: int = word(0xC2B2AE3D27D4EB4F)
_SHIFT_HASH: int = word(52)


def make_context(ranks: int) -> np.ndarray:
    """A context for decks of `ranks` ranks; the addresses are the caller's to fill in."""
    field = (1 << ranks) - 1
    suits = [field << (ranks * s) for s in range(4)]
    lows = [sum(((1 << min(k, ranks)) - 1) << (ranks * s) for s in range(4)) for k in (1, 2, 4)]
    full = sum(suits)
    context = np.zeros(CONTEXT_WORDS, np.uint64)
    context[FULL] = full
    context[OWN] = suits[0]
    context[OTHER] = suits[1]
    context[NOT_TOP] = full ^ sum(1 << (ranks * s + ranks - 1) for s in range(4))
    context[NOT_LOW1] = full ^ lows[0]
    context[NOT_LOW2] = full ^ lows[1]
    context[NOT_LOW4] = full ^ lows[2]
    return context


@njit("uint64(uint64, uint64)", cache=True)
def below_highest(hand: int, context: int) -> int:
    """The cards of each suit that lie below the highest card of `hand` in that suit."""
    low1 = load(context, NOT_LOW1)
    x = (hand & low1) >> U1
    x |= (x & low1) >> U1
    x |= (x & load(context, NOT_LOW2)) >> U2
    x |= (x & load(context, NOT_LOW4)) >> U4
    return x | (x & low1) >> U1  # the last step matters for decks of ten ranks only


@njit("uint64(uint64, uint64, uint64)", cache=True)
def run_lows(hand: int, other: int, context: int) -> int:
    """The lowest card of each run of `hand`: the cards of one suit with no card of `other` between
    them.

    A card is above another of its run iff going down from it the first card that somebody holds is
    `hand`'s own. A carry that starts above each card of the hand finds these: it ripples through
    the cards that nobody holds.
    """
    inner = load(context, NOT_TOP)
    above = (hand & inner) << U1
    empty = inner & ~(hand | other)
    entering = above & empty
    reached = above | ((empty + entering) ^ empty ^ entering)
    return hand & ~reached


@njit("UniTuple(uint64, 4)(uint64, boolean, uint64)", inline="always", cache=True)
def ways_to_beat(responder: int, leading: bool, context: int) -> tuple[int, int, int, int]:
    """The responder's trump suit and his trumps; the leads that a higher card of their suit can
    beat, and all that he can beat. `leading`: the prover leads, the other responds.
    """
    own = load(context, OTHER if leading else OWN)
    trumps = responder & own
    in_suit = below_highest(responder, context)
    return own, trumps, in_suit, in_suit | ~own if trumps else in_suit


@njit("boolean(uint64, uint64, boolean, uint64)", cache=True)
def proves(a: int, b: int, leading: bool, context: int) -> bool:
    """Whether the prover, holding `a`, is proved to win the lead node at which the other holds `b`.

    `leading`: the prover is about to lead; otherwise the other is. All other cards are in the pile.
    Neither hand is empty.
    """
    store(context, NODES, load(context, NODES) + U1)
    leader = a if leading else b
    responder = b if leading else a
    if leader & (leader - U1) == U0:  # his last card
        return leading
    own, trumps, in_suit, beatable = ways_to_beat(responder, leading, context)
    # First what needs no search: which leads does picking up settle?
    open_leads = U0
    if leading:
        table = load(context, LEADER)
        leads = run_lows(a, b, context)
        while leads:
            card = leads & (~leads + U1)
            leads ^= card
            if has_bit(table, a ^ card):
                if card & beatable == U0:
                    return True
                open_leads |= card
        if open_leads == U0 or responder & (responder - U1) == U0:
            return False
    else:
        table = load(context, RESPONDER)
        kept = load(context, FULL) ^ b
        leads = run_lows(b, a, context)
        while leads:
            card = leads & (~leads + U1)
            leads ^= card
            if not has_bit(table, kept | card):
                if card & beatable == U0:
                    return False
                open_leads |= card
        if open_leads == U0 or responder & (responder - U1) == U0:
            return True

    tag = load(context, TAG) | b | (U1 << _SHIFT_SIDE if leading else U0)
    slot = ((a * MULTIPLIER ^ b * MULTIPLIER2) >> _SHIFT_HASH) << U1
    memo = load(context, MEMO)
    if load(memo, slot) & ~(U1 << _SHIFT_RESULT) == a and load(memo, slot + U1) == tag:
        return load(memo, slot) >> _SHIFT_RESULT != U0

    # The prover needs one lead that wins against every beat, or one beat against every lead: in
    # both cases first the leads that can be beaten in one way only.
    one_way = open_leads
    if trumps:
        one_way = open_leads & (own | ~in_suit)
    result = not leading
    for step in range(2):
        leads = one_way if step == 0 else open_leads ^ one_way
        while leads and result != leading:
            card = leads & (~leads + U1)
            leads ^= card
            rest = leader ^ card
            beaten = False  # some beat is good for the responder
            if card & in_suit:
                higher = responder & ~((card << U1) - U1)
                beat = higher & (~higher + U1)
                if leading:
                    beaten = not proves(rest, b ^ beat, not leading, context)
                else:
                    beaten = proves(a ^ beat, rest, not leading, context)
            if not beaten and trumps and card & own == U0:
                beat = trumps & (~trumps + U1)
                if leading:
                    beaten = not proves(rest, b ^ beat, not leading, context)
                else:
                    beaten = proves(a ^ beat, rest, not leading, context)
            result = beaten != leading
    store(memo, slot, a | (U1 << _SHIFT_RESULT if result else U0))
    store(memo, slot + U1, tag)
    return result


@njit(cache=True, nogil=True)
def swap_fields(x: int, low: int, high: int, width: int) -> int:
    """`x` with the fields of `width` bits at `low` and `high` exchanged."""
    field = (U1 << width) - U1
    a = (x >> low) & field
    b = (x >> high) & field
    return (x & ~(field << low | field << high)) | a << high | b << low
