"""Facts about base positions, kept so that one fact settles everything that it dominates.

A hand *dominates* another of the same shape if in every suit its cards are at least as high, card
by card (Raising, docs/theory.md). Each shape has its own facts; a fact is one bit in every
*column*, and there is one column for every hand of a suit with the shape's number of cards: the bit
is set in the columns of all hands that dominate the fact's. So whether some fact lies below a hand
is the bitwise and of four columns, one for each suit: 64 facts in four loads, 512 in four cache
lines.

    block:  next | width | least level | columns of T, U, P, Q, `width` words each | levels

A fact has a *level*, 0 to 255; a query sees the facts of at most a given level. Levels are kept by
bits, eight words for 64 facts, so that they, too, are compared for all 64 at a time. Facts that
hold downwards ("not proved") go in with complementary hands, for complements turn the order round.

Only shapes with p >= q have facts; where p = q, a fact goes in twice, with the plain suits
exchanged. Blocks are taken from one pool of a fixed size and stay. Facts that follow from others
stay as well, until `thin_out` drops them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from solver.core.shapes import Subsets
from solver.single.old_lowlevel import load, store
from solver.single.old_trick import CONTEXT_WORDS, U0, U1, U2, swap_fields, word

RANKS: int = word(CONTEXT_WORDS)
PLACES: int = word(CONTEXT_WORDS + 1)  # of each hand of a suit: its number of cards << 16 | place
SIZES: int = word(CONTEXT_WORDS + 2)  # number of hands of a suit with k cards
ABOVE_FIRST: int = word(CONTEXT_WORDS + 3)  # where the places of all hands that dominate a hand
ABOVE: int = word(CONTEXT_WORDS + 4)  # begin, and these places
COUNTS: int = word(CONTEXT_WORDS + 5)  # number of facts of each group, and its newest block
HEADS: int = word(CONTEXT_WORDS + 6)
POOL: int = word(CONTEXT_WORDS + 7)  # room for blocks, how much of it is used, and its size
POOL_USED: int = word(CONTEXT_WORDS + 8)
POOL_SIZE: int = word(CONTEXT_WORDS + 9)
FACTS: int = word(CONTEXT_WORDS + 10)  # number of facts entered, and of those that are there
KEPT: int = word(CONTEXT_WORDS + 11)
FACT_WORDS = CONTEXT_WORDS + 12

_U3: int = word(3)
_U6: int = word(6)
_U8: int = word(8)
_U16: int = word(16)
_PLACE: int = word(0xFFFF)
_U64: int = word(64)
_U512: int = word(512)
_HEADER: int = word(3)
_LEVEL: int = word(40)
HAND: int = word((1 << 40) - 1)


def make_pool(context: np.ndarray, words: int) -> np.ndarray:
    """Make room for facts and enter it into the context; the caller keeps the array alive."""
    pool = np.zeros(words, np.uint64)
    context[POOL] = pool.ctypes.data
    context[POOL_USED] = 1  # block 0 is no block
    context[POOL_SIZE] = words
    return pool


def dominating(ranks: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of all hands of a suit that dominate a hand, itself first; those of hand number h
    are first[h] to first[h + 1] - 1 in the second array."""
    subsets = Subsets.of(ranks)
    cards = [[r for r in range(ranks) if hand >> r & 1] for hand in range(1 << ranks)]
    above: list[int] = []
    first = np.zeros((1 << ranks) + 1, np.uint64)
    for hand, low in enumerate(cards):
        k = len(low)
        hands = subsets.bits[subsets.first[k] : subsets.first[k + 1]]
        for i, higher in enumerate(hands):
            if all(a <= b for a, b in zip(low, cards[int(higher)], strict=True)):
                above.append(i)
        first[hand + 1] = len(above)
    return first, np.array(above, np.uint64)


def make_groups(context: np.ndarray, ranks: int, stores: int) -> list[np.ndarray]:
    """Make what so many stores of facts need beside their pool, as `make_pool` does."""
    subsets = Subsets.of(ranks)
    sizes = np.diff(subsets.first)
    place = np.zeros(1 << ranks, np.uint64)
    for k in range(ranks + 1):
        hands = subsets.bits[subsets.first[k] : subsets.first[k + 1]]
        place[hands] = np.arange(sizes[k], dtype=np.uint64) | np.uint64(k << 16)
    above_first, above = dominating(ranks)
    groups = stores * (ranks + 1) ** 4
    arrays = {
        PLACES: place,
        SIZES: sizes.astype(np.uint64),
        ABOVE_FIRST: above_first,
        ABOVE: above,
        COUNTS: np.zeros(groups, np.uint64),
        HEADS: np.zeros(groups, np.uint64),
    }
    for slot, array in arrays.items():
        context[slot] = array.ctypes.data
    context[RANKS] = ranks
    return list(arrays.values())


@njit("UniTuple(uint64, 4)(uint64, uint64)", inline="always", cache=True)
def suits_of(hand: int, context: int) -> tuple[int, ...]:
    """The suits t, u, p, q of a hand, the plain ones in the order that is kept: p >= q cards."""
    ranks = load(context, RANKS)
    field = (U1 << ranks) - U1
    places = load(context, PLACES)
    p = (hand >> (ranks + ranks)) & field
    q = hand >> (ranks + ranks + ranks)
    if load(places, p) >> _U16 < load(places, q) >> _U16:
        p, q = q, p
    return hand & field, (hand >> ranks) & field, p, q


@njit("UniTuple(uint64, 9)(uint64, uint64, uint64)", cache=True)
def _columns(hand: int, kind: int, context: int) -> tuple[int, ...]:
    """The group of a hand; the hands of its suits, plain ones with p >= q; where the columns of the
    second, third and fourth suit begin, and where they end."""
    places = load(context, PLACES)
    sizes = load(context, SIZES)
    t, u, p, q = suits_of(hand, context)
    kt = load(places, t) >> _U16
    ku = load(places, u) >> _U16
    kp = load(places, p) >> _U16
    kq = load(places, q) >> _U16
    m = load(context, RANKS) + U1
    group = (((kind * m + kt) * m + ku) * m + kp) * m + kq
    first_u = load(sizes, kt)
    first_p = first_u + load(sizes, ku)
    first_q = first_p + load(sizes, kp)
    return group, t, u, p, q, first_u, first_p, first_q, first_q + load(sizes, kq)


@njit("uint64(uint64, uint64, uint64)", cache=True)
def _visible(levels: int, limit: int, pool: int) -> int:
    """Of the 64 facts that have their levels at `levels`, those of a level of at most `limit`."""
    less = U0
    equal = ~U0
    for bit in range(7, -1, -1):
        column = load(pool, levels + word(bit))
        if (limit >> word(bit)) & U1:
            less |= equal & ~column
            equal &= column
        else:
            equal &= ~column
    return less | equal


@njit("boolean(uint64, uint64, uint64, uint64)", cache=True)
def known(hand: int, kind: int, limit: int, context: int) -> bool:
    """Whether `hand` dominates a fact of store `kind` with a level of at most `limit`."""
    group, t, u, p, q, first_u, first_p, first_q, end = _columns(hand, kind, context)
    block = load(load(context, HEADS), group)
    if block == U0:
        return False
    places = load(context, PLACES)
    t = load(places, t) & _PLACE
    u = first_u + (load(places, u) & _PLACE)
    p = first_p + (load(places, p) & _PLACE)
    q = first_q + (load(places, q) & _PLACE)
    pool = load(context, POOL)
    while block:
        width = load(pool, block + U1)
        if load(pool, block + U2) <= limit:
            base = block + _HEADER
            levels = base + end * width
            for i in range(width):
                at = base + word(i)
                below = load(pool, at + t * width) & load(pool, at + u * width)
                below &= load(pool, at + p * width) & load(pool, at + q * width)
                if below and below & _visible(levels + (word(i) << _U3), limit, pool):
                    return True
        block = load(pool, block)
    return False


@njit("boolean(uint64, uint64, uint64, uint64)", cache=True)
def _add_once(hand: int, kind: int, level: int, context: int) -> bool:
    group, t, u, p, q, first_u, first_p, first_q, end = _columns(hand, kind, context)
    pool = load(context, POOL)
    counts = load(context, COUNTS)
    heads = load(context, HEADS)
    count = load(counts, group)
    # The first block of a group has room for 64 facts, each of the others for 512.
    fact = count if count < _U64 else (count - _U64) % _U512
    if fact == U0:
        width = U1 if count == U0 else _U8
        block = load(context, POOL_USED)
        used = block + _HEADER + (end + _U8) * width
        if used > load(context, POOL_SIZE):
            return False
        store(context, POOL_USED, used)
        store(pool, block, load(heads, group))
        store(pool, block + U1, width)
        store(pool, block + U2, level)
        store(heads, group, block)
    block = load(heads, group)
    width = load(pool, block + U1)
    base = block + _HEADER
    if level < load(pool, block + U2):
        store(pool, block + U2, level)
    bit = U1 << (fact & word(63))
    for i in range(8):
        if (level >> word(i)) & U1:
            at = base + end * width + (fact >> _U6 << _U3) + word(i)
            store(pool, at, load(pool, at) | bit)
    base += fact >> _U6
    above = load(context, ABOVE)
    above_first = load(context, ABOVE_FIRST)
    for cards, first in ((t, U0), (u, first_u), (p, first_p), (q, first_q)):
        for i in range(load(above_first, cards), load(above_first, cards + U1)):
            at = base + (first + load(above, word(i))) * width
            store(pool, at, load(pool, at) | bit)
    store(counts, group, count + U1)
    store(context, FACTS, load(context, FACTS) + U1)
    store(context, KEPT, load(context, KEPT) + U1)
    return True


@njit("boolean(uint64, uint64)", cache=True)
def _equal_plain(hand: int, context: int) -> bool:
    """Whether the plain suits have equally many cards."""
    ranks = load(context, RANKS)
    places = load(context, PLACES)
    p = load(places, (hand >> (ranks + ranks)) & ((U1 << ranks) - U1))
    return bool(p >> _U16 == load(places, hand >> (ranks + ranks + ranks)) >> _U16)


@njit("boolean(uint64, uint64, uint64, uint64)", cache=True)
def add(hand: int, kind: int, level: int, context: int) -> bool:
    """Enter a fact and its twin; False if the pool is full, which may leave the twin out."""
    ranks = load(context, RANKS)
    twin = swap_fields(hand, ranks + ranks, ranks + ranks + ranks, ranks)
    if not _add_once(hand, kind, level, context):
        return False
    if twin != hand and _equal_plain(hand, context):
        return bool(_add_once(twin, kind, level, context))
    return True


@njit("int64(uint64, uint64, uint64[::1], int64[::1], uint64[::1], uint64)", cache=True)
def _entries(
    kind: int,
    limit: int,
    suits: np.ndarray,
    first: np.ndarray,
    found: np.ndarray,
    context: int,
) -> int:
    ranks = load(context, RANKS)
    m = ranks + U1
    sizes = load(context, SIZES)
    pool = load(context, POOL)
    held = np.zeros(4, np.uint64)  # cards of each suit
    number = 0
    for group in range(kind * m * m * m * m, (kind + U1) * m * m * m * m):
        rest = word(group)
        for suit in range(4):
            held[3 - suit] = rest % m
            rest //= m
        end = U0
        for suit in range(4):
            end += load(sizes, held[suit])
        block = load(load(context, HEADS), word(group))
        count = load(load(context, COUNTS), word(group))
        while block:
            width = load(pool, block + U1)
            base = block + _HEADER
            before = U0 if width == U1 else _U64 + (count - _U64 - U1) // _U512 * _U512
            for fact in range(count - before):
                at = word(fact) >> _U6
                bit = word(fact) & word(63)
                levels = base + end * width + (at << _U3)
                if (_visible(levels, limit, pool) >> bit) & U1 == U0:
                    continue
                if number < len(found):
                    level = U0
                    for i in range(8):
                        level |= ((load(pool, levels + word(i)) >> bit) & U1) << word(i)
                    entry = level << _LEVEL
                    column = U0
                    for suit in range(4):
                        place = U0  # its own hand is the first that dominates it
                        while (load(pool, base + (column + place) * width + at) >> bit) & U1 == U0:
                            place += U1
                        cards = suits[first[held[suit]] + np.int64(place)]
                        entry |= cards << (ranks * word(suit))
                        column += load(sizes, held[suit])
                    found[number] = entry
                number += 1
            count = before
            block = load(pool, block)
    return number


def entries(context: np.ndarray, kind: int, limit: int) -> np.ndarray:
    """The facts of a store with a level of at most `limit`, twins as well: level << 40 | hand."""
    subsets = Subsets.of(int(context[RANKS]))
    suits = subsets.bits.astype(np.uint64)
    address = word(context.ctypes.data)
    found = np.empty(0, np.uint64)
    for _ in range(2):  # first only count them
        number = _entries(word(kind), word(limit), suits, subsets.first, found, address)
        if len(found) < number:
            found = np.empty(number, np.uint64)
    return found


@njit("void(uint64, uint64)", cache=True)
def _clear(stores: int, context: int) -> None:
    m = load(context, RANKS) + U1
    for group in range(stores * m * m * m * m):
        store(load(context, COUNTS), word(group), U0)
        store(load(context, HEADS), word(group), U0)
    for at in range(load(context, POOL_USED)):
        store(load(context, POOL), word(at), U0)
    store(context, POOL_USED, U1)
    store(context, KEPT, U0)


@njit("void(uint64[::1], uint64, uint64)", cache=True)
def _refill(facts: np.ndarray, kind: int, context: int) -> None:
    entered = load(context, FACTS)
    for fact in facts:
        if not known(fact & HAND, kind, fact >> _LEVEL, context):
            _add_once(fact & HAND, kind, fact >> _LEVEL, context)
    store(context, FACTS, entered)


def thin_out(context: np.ndarray, stores: int, kept: int) -> None:
    """Drop all facts that follow from others, and all of the stores from number `kept` on.

    What is known from the first `kept` stores stays the same. Takes 8 bytes for each of their
    facts. Sound also where it is interrupted, but then facts are lost.
    """
    address = word(context.ctypes.data)
    listed = [entries(context, kind, 255) for kind in range(kept)]
    _clear(word(stores), address)
    for kind, facts in enumerate(listed):
        facts.sort()  # the number of a fact is larger than those of facts from which it follows
        _refill(facts, word(kind), address)
