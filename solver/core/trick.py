"""The trick search: can a player force a win within the current trick, given facts about empty
tables?

Everything is seen from one player, the *prover*: hands are bit sets as in `solver.core.bitboard`,
with his trump suit first. What is known about base positions is asked with the hand that the prover
will hold there, so nothing is turned round inside a search.

`proves` is a boolean AND-OR search. It treats what is not known as not proved, so it is sound at
any time, whatever is missing. By the theorems *lowest of a run* and *lowest beat* (docs/theory.md)
only the lowest card of a run is led, and at most two beats are tried: the lowest higher card of the
suit led and the lowest own trump.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import from_dtype, types
from numba.extending import overload

from solver.core import bitboard
from solver.core.bitboard import Deck
from solver.core.jit import njit
from solver.core.lowlevel import COMPILED, bit_count, has_bit, load, load_byte, product, store

# What counts of the tables of a deck (field `source` of a context).
OUTCOMES = 0
"""Every win of the outcome table."""
DISTANCES = 1
"""Those with a distance of at most `bound`."""
PROGRESS = 2
"""Every win of the progress table, where they have odd stamps, losses even ones, draws 0, with a
place in the order of proofs, `stamp * 64 + cards of the leader`, of at most `bound`."""
NO_BOUND = (1 << 14) - 1
"""No distance and no place in the order of proofs is larger."""


def record_type(*fields: str) -> np.dtype[Any]:
    """The type of a record of 64-bit words: numbers, and addresses of arrays."""
    return np.dtype((np.record, [(name, np.int64) for name in fields]))


CONTEXT = record_type(
    *Deck._fields,
    "nodes",  # lead nodes searched
    "memo",  # address: the transposition table, entries of two words
    "memo_mask",  # number of its entries - 1
    "generation",  # << 41; entries of other generations do not count
    "leader",  # addresses: the bit tables "prover leads", "prover responds", …
    "responder",
    "outcomes",  # … or addresses: the content of an outcome table, of one with distances or stamps
    "measure",
    "source",  # what counts of them: OUTCOMES, DISTANCES or PROGRESS
    "bound",
    "every_lead",  # -1 to try all leads, not only the lowest of each run, …
    "two_ways_first",  # … or those first that can be beaten in two ways; 0 but in benchmarks
    # A build:
    "publish_leader",  # addresses: the bit tables where it enters what is new
    "publish_responder",
    "reach_leader",  # addresses: bit tables of what is worth a test; 0: everything is
    "reach_responder",
    "tests",  # positions tested, and proved
    "proved",
)
"""What a search knows, counts and uses. It is passed down as a record, which costs one word."""

TABLES = record_type("from_tables", *(CONTEXT.names or ()))
"""The same for a search that takes what is known from tables of a deck, not from bit tables."""

HALVES = record_type("from_halves", *(CONTEXT.names or ()))
"""The same for bit tables by `table_index`, which hold one of each two hands that differ by
exchanging the plain suits."""

MEMO_SIZE = 4096
"""Entries of the transposition table. It is small on purpose: transpositions matter within one test
only, and the table must stay in the first-level cache."""

# Odd 64-bit constants, as signed words.
MULTIPLIER = 0x9E3779B97F4A7C15 - (1 << 64)
MULTIPLIER2 = 0xC2B2AE3D27D4EB4F - (1 << 64)
_GENERATION = 1 << 41
_SIDE = 1 << 40
_RESULT = 1 << 41

RECORD: Any = from_dtype(CONTEXT)
TABLES_RECORD: Any = from_dtype(TABLES)
HALVES_RECORD: Any = from_dtype(HALVES)
_I64, _FLAG = types.int64, types.boolean


class Context:
    """Working memory of searches: a record, and the arrays whose addresses it holds.

    `fields`: CONTEXT for searches over bit tables, HALVES for those over bit tables of half the
    size, TABLES for those over tables of a deck.
    Belongs to one thread at a time. `array` has the record as its only element, for kernels that
    are called from Python (that is quicker than with a record); `record` is the same memory.
    """

    def __init__(self, ranks: int, fields: np.dtype[Any] = CONTEXT) -> None:
        self._fields = fields
        self.array: Any = np.zeros(1, fields)
        if not COMPILED:  # plain Python is quicker with a plain object
            self.array = [SimpleNamespace(**dict.fromkeys(fields.names or (), 0))]
        self.record: Any = self.array[0]
        self._kept: dict[str, np.ndarray] = {}
        for name, value in Deck.of(ranks)._asdict().items():
            setattr(self.record, name, value)
        self.point(memo=np.zeros(2 * MEMO_SIZE, np.int64))
        self.record.memo_mask = MEMO_SIZE - 1

    def point(self, **arrays: np.ndarray) -> None:
        """Put the addresses of contiguous arrays into the record, and keep the arrays alive."""
        for name, array in arrays.items():
            setattr(self.record, name, array.ctypes.data)
        self._kept |= arrays

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self._kept.values())

    def use_bit_tables(self, leader: np.ndarray, responder: np.ndarray) -> None:
        """Take what is known from bit tables over the prover's hand (64 bits a word).

        With fields HALVES, over its table index.
        """
        assert self._fields in (CONTEXT, HALVES)
        self.point(leader=leader, responder=responder)
        new_generation(self.record)

    def use_table(self, outcomes: np.ndarray, distances: np.ndarray | None = None) -> None:
        """Take what is known from the content of an outcome table (uint8), with fields TABLES.

        With `distances` by table index (uint8), only wins within a bound count, which is 0 until
        `within` sets it.
        """
        assert self._fields == TABLES
        self.point(outcomes=outcomes)
        self.record.source = OUTCOMES
        if distances is not None:
            self.point(measure=distances)
            self.record.source = DISTANCES
        new_generation(self.record)

    def use_progress(self, stamps: np.ndarray) -> None:
        """Take what is known from the content of a progress table (uint8).

        With fields TABLES; only wins within a bound count, which is 0 until `within` sets it.
        """
        assert self._fields == TABLES
        self.point(measure=stamps)
        self.record.source = PROGRESS
        new_generation(self.record)

    def within(self, bound: int) -> None:
        """Count only wins of at most this measure."""
        self.record.bound = bound
        new_generation(self.record)


@njit(cache=True)
def new_generation(c: Any) -> None:
    """Forget what is in the transposition table."""
    c.generation = c.generation + _GENERATION & (1 << 63) - 1
    if c.generation == 0:  # the numbers begin again, so no entry may be left that has one
        for word in range(2 * (c.memo_mask + 1)):
            store(c.memo, word, 0)


below_highest: Any = njit(cache=True)(bitboard.below_highest)
run_lows: Any = njit(cache=True)(bitboard.run_lows)
swap_trumps: Any = njit(cache=True)(bitboard.swap_trumps)
swap_plain: Any = njit(cache=True)(bitboard.swap_plain)
table_index: Any = njit(cache=True)(bitboard.table_index)
outcome_bits: Any = njit(cache=True)(bitboard.outcome_bits)


@njit(cache=True, inline="always")
def ways_to_beat(responder: int, leading: bool, c: Any) -> tuple[int, int, int, int]:
    """The responder's trump suit and his trumps; the leads that a higher card of their suit can
    beat, and all that he can beat. `leading`: the prover leads, the other responds.
    """
    own = c.other if leading else c.own
    trumps = responder & own
    in_suit = below_highest(responder, c)
    return own, trumps, in_suit, in_suit | ~own if trumps else in_suit


@njit(cache=True)
def lowest_beats(card: int, responder: int, own: int, trumps: int, in_suit: int) -> tuple[int, int]:
    """What may beat `card`: the lowest higher card of its suit, the lowest trump; 0 for none.

    `own`, `trumps`, `in_suit` are those of `ways_to_beat`.
    """
    higher = responder & -(card << 1) if card & in_suit else 0
    by_trump = 0 if card & own else trumps
    return higher & -higher, by_trump & -by_trump


@njit(cache=True)
def before_pickup(a: int, b: int, leading: bool, c: Any) -> int:
    """The prover's hand at a lead node before the led card is picked up, which leaves his hand or
    comes to it: this hand ^ the card is what he will hold.
    """
    return a if leading else c.full ^ b


@njit(cache=True)
def _measure(index: int, hand: int, c: Any) -> int:
    measure = load_byte(c.measure, index)
    return measure << 6 | bit_count(hand) if c.source == PROGRESS else measure


@njit(cache=True)
def measure_of(hand: int, leading: bool, c: Any) -> int:
    """The measure of a base position that is won or lost; arguments as `settled` has them."""
    hand = hand if leading else swap_trumps(c.full ^ hand, c.ranks)
    return _measure(table_index(hand, c.ranks), hand, c)


@njit(cache=True)
def in_table(hand: int, leading: bool, c: Any) -> bool:
    """`settled`, from the content of tables, which are over the leader's hand seen from him."""
    hand = hand if leading else swap_trumps(c.full ^ hand, c.ranks)
    index = table_index(hand, c.ranks)
    if c.source == PROGRESS:
        stamp = load_byte(c.measure, index)
        won = stamp != 0 and (stamp & 1 != 0) == leading
        return won and (stamp << 6 | bit_count(hand)) <= c.bound
    win, draw, bit = outcome_bits(index, c.ranks)
    won = load_byte(c.outcomes, win) >> bit & 1 != 0
    if not leading:
        won = not won and load_byte(c.outcomes, draw) >> bit & 1 == 0
    return won and (c.source == OUTCOMES or _measure(index, hand, c) <= c.bound)


def settled(hand: int, leading: bool, c: Any) -> bool:
    """Whether the prover, who will hold `hand`, is known to win a base position.

    `leading`: he leads there, otherwise the other does.
    """
    table = c.leader if leading else c.responder
    if not table:
        return in_table(hand, leading, c)
    return has_bit(table, table_index(hand, c.ranks) if hasattr(c, "from_halves") else hand)


@overload(settled)
def _settled(hand: int, leading: bool, c: Any) -> Any:
    """Compiled, the type of the record chooses: a build would be 10 % slower if it had to ask."""

    def from_bit_tables(hand: int, leading: bool, c: Any) -> Any:
        return has_bit(c.leader if leading else c.responder, hand)

    def from_halves(hand: int, leading: bool, c: Any) -> Any:
        return has_bit(c.leader if leading else c.responder, table_index(hand, c.ranks))

    def from_tables(hand: int, leading: bool, c: Any) -> Any:
        return in_table(hand, leading, c)

    others = {TABLES_RECORD: from_tables, HALVES_RECORD: from_halves}
    return others.get(c, from_bit_tables)


@njit(
    [_FLAG(_I64, _I64, _FLAG, record) for record in (RECORD, HALVES_RECORD, TABLES_RECORD)],
    cache=True,
)
def proves(a: int, b: int, leading: bool, c: Any) -> bool:
    """Whether the prover, holding `a`, is proved to win the lead node at which the other holds `b`.

    `leading`: the prover is about to lead; otherwise the other is. All other cards are in the pile.
    Neither hand is empty. (What is written twice here could be shared, a tenth slower.)
    """
    c.nodes += 1
    leader, responder = (a, b) if leading else (b, a)
    if leader & leader - 1 == 0:  # his last card
        return leading
    own, trumps, in_suit, beatable = ways_to_beat(responder, leading, c)
    # First what needs no search: which leads does picking up settle?
    open_leads = 0
    leads = run_lows(leader, responder, c) | leader & c.every_lead
    if leading:
        while leads:
            card = leads & -leads
            leads ^= card
            if settled(a ^ card, True, c):
                if card & beatable == 0:
                    return True
                open_leads |= card
    else:
        held = c.full ^ b
        while leads:
            card = leads & -leads
            leads ^= card
            if not settled(held ^ card, False, c):
                if card & beatable == 0:
                    return False
                open_leads |= card
    if open_leads == 0 or responder & responder - 1 == 0:
        return not leading

    key = c.generation | b | leading * _SIDE
    slot = ((product(a, MULTIPLIER) ^ product(b, MULTIPLIER2)) >> 52 & c.memo_mask) * 2
    found = load(c.memo, slot)
    if found & ~_RESULT == a and load(c.memo, slot + 1) == key:
        return found & _RESULT != 0

    # The prover needs one lead that wins against every beat, or one beat against every lead: in
    # both cases first the leads that can be beaten in one way only.
    first = open_leads & (own | ~in_suit) if trumps else open_leads
    first ^= open_leads & c.two_ways_first
    result = not leading
    for leads in (first, open_leads ^ first):
        while leads and result != leading:
            card = leads & -leads
            leads ^= card
            rest = leader ^ card
            beaten = False  # some beat is good for the responder
            if card & in_suit:
                higher = responder & -(card << 1)
                kept = responder ^ (higher & -higher)
                if leading:  # `not leading`: a literal would break numba's cache
                    beaten = not proves(rest, kept, not leading, c)
                else:
                    beaten = proves(kept, rest, not leading, c)
            if trumps and not beaten and card & own == 0:
                kept = responder ^ (trumps & -trumps)
                if leading:
                    beaten = not proves(rest, kept, not leading, c)
                else:
                    beaten = proves(kept, rest, not leading, c)
            result = beaten != leading
    store(c.memo, slot, a | result * _RESULT)
    store(c.memo, slot + 1, key)
    return result
