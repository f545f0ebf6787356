"""Facts about base positions, kept so that one fact settles everything that it dominates.

A hand *dominates* another of the same shape if in every suit its cards are at least as high, card
by card (Raising, docs/theory.md). Each shape has its own facts. A fact is one bit in every
*column*, and there is one column for every hand of a suit with the shape's number of cards: the bit
is set in the columns of all hands that dominate the fact's. So whether some fact lies below a hand
is the bitwise "and" of four columns, one for each suit: 64 facts in four loads, 512 in four cache
lines.

    block:  next | width | least level | columns of T, U, P, Q, `width` words each | levels

A fact has a *level*, 0 to 255; a query sees the facts of at most a given level. Levels are kept by
bits, eight words for 64 facts, so that they, too, are compared for all 64 at a time. Facts that
hold downwards ("not proved") go in with complementary hands, because complements reverse the order.

Only shapes with p >= q have facts; where p = q, a fact goes in twice, with the plain suits
exchanged. Blocks are taken from one pool of a fixed size and stay. Facts that follow from others
stay as well, until `thin_out` drops them.

The functions that change facts must not run in two threads at once on the same record.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from solver.core.bitboard import Deck
from solver.core.jit import njit
from solver.core.lowlevel import load, store
from solver.core.shapes import Subsets
from solver.core.trick import Context, record_type, swap_plain

SEARCH = record_type(
    *Deck._fields,
    # Facts:
    "places",  # address: for each hand of a suit, its number of cards << 16 | its place among them
    "sizes",  # address: number of hands of a suit with k cards
    "above_first",  # address: where in `above` the hands that dominate a hand of a suit begin
    "above",  # address: their places
    "counts",  # address: number of facts of each group (store and shape)
    "heads",  # address: the newest block of each group
    "pool",  # address: room for blocks
    "pool_used",  # words of it that are used
    "pool_size",  # words of it
    "facts",  # number of facts entered so far
    "kept",  # number of those that are there
    # The search (`solver.single.claims`):
    "nodes",  # lead nodes searched
    "tests",  # base positions searched
    "limit",  # number of nodes at which to stop
    "stopped",  # why the search has stopped; then results mean nothing
    "memo",  # address of the transposition table, and the number of its entries - 1
    "memo_mask",
    "cache",  # address of the cache of `status`
    "guess",  # address of `guess_tables`
)
"""What a search from one position knows, counts and uses."""

RECORD: Any = from_dtype(SEARCH)
_I64, _FLAG = types.int64, types.boolean

MOST_LEVEL = 255
_FIRST_BLOCK = 64
"""Facts in the first block of a group; …"""
_BLOCK = 512
"""… in each other one."""
_HEADER = 3
_PLACE = 0xFFFF
_LEVEL = 40
HAND = (1 << _LEVEL) - 1


def dominating(ranks: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of all hands of a suit that dominate a hand, itself first; those of hand number h
    are first[h] to first[h + 1] - 1 in the second array."""
    subsets = Subsets.of(ranks)
    cards = [[r for r in range(ranks) if hand >> r & 1] for hand in range(1 << ranks)]
    above: list[int] = []
    first = np.zeros((1 << ranks) + 1, np.int64)
    for hand, low in enumerate(cards):
        k = len(low)
        hands = subsets.bits[subsets.first[k] : subsets.first[k + 1]]
        for i, higher in enumerate(hands):
            if all(a <= b for a, b in zip(low, cards[higher], strict=True)):
                above.append(i)
        first[hand + 1] = len(above)
    return first, np.array(above, np.int64)


def make_groups(context: Context, ranks: int, stores: int) -> None:
    """Give a context what so many stores of facts need beside their pool."""
    subsets = Subsets.of(ranks)
    sizes = np.diff(subsets.first)
    place = np.zeros(1 << ranks, np.int64)
    for k in range(ranks + 1):
        hands = subsets.bits[subsets.first[k] : subsets.first[k + 1]]
        place[hands] = np.arange(sizes[k]) | k << 16
    above_first, above = dominating(ranks)
    groups = stores * (ranks + 1) ** 4
    context.point(
        places=place,
        sizes=sizes,
        above_first=above_first,
        above=above,
        counts=np.zeros(groups, np.int64),
        heads=np.zeros(groups, np.int64),
    )


def make_pool(context: Context, words: int) -> None:
    """Give a context room for facts."""
    context.point(pool=np.zeros(words, np.int64))
    context.record.pool_used = 1  # block 0 is no block
    context.record.pool_size = words


@njit(cache=True)
def _columns(hand: int, kind: int, c: Any) -> tuple[int, ...]:
    """The group of a hand; the hands of its suits, the plain ones with p >= q; where the columns of
    the second, third and fourth suit begin, and where they end."""
    suit = (1 << c.ranks) - 1
    t, u = hand & suit, hand >> c.ranks & suit
    p, q = hand >> 2 * c.ranks & suit, hand >> 3 * c.ranks
    if load(c.places, p) >> 16 < load(c.places, q) >> 16:
        p, q = q, p
    group = kind
    end = 0
    firsts = (0, 0, 0, 0)
    for held in (t, u, p, q):
        cards = load(c.places, held) >> 16
        group = group * (c.ranks + 1) + cards
        end += load(c.sizes, cards)
        firsts = (firsts[1], firsts[2], firsts[3], end)
    return group, t, u, p, q, firsts[0], firsts[1], firsts[2], end


@njit(_I64(_I64, _I64, _I64), cache=True)
def _visible(levels: int, limit: int, pool: int) -> int:
    """Of the 64 facts that have their levels at `levels`, those of a level of at most `limit`."""
    less, equal = 0, -1
    for bit in range(7, -1, -1):
        column = load(pool, levels + bit)
        if limit >> bit & 1:
            less |= equal & ~column
            equal &= column
        else:
            equal &= ~column
    return less | equal


@njit(_FLAG(_I64, _I64, _I64, RECORD), cache=True)
def known(hand: int, kind: int, limit: int, c: Any) -> bool:
    """Whether `hand` dominates a fact of store `kind` with a level of at most `limit`."""
    group, t, u, p, q, first_u, first_p, first_q, end = _columns(hand, kind, c)
    block = load(c.heads, group)
    if block == 0:
        return False
    t = load(c.places, t) & _PLACE
    u = first_u + (load(c.places, u) & _PLACE)
    p = first_p + (load(c.places, p) & _PLACE)
    q = first_q + (load(c.places, q) & _PLACE)
    pool = c.pool
    while block:
        width = load(pool, block + 1)
        if load(pool, block + 2) <= limit:
            base = block + _HEADER
            levels = base + end * width
            for i in range(width):
                at = base + i
                below = load(pool, at + t * width) & load(pool, at + u * width)
                below &= load(pool, at + p * width) & load(pool, at + q * width)
                if below and below & _visible(levels + 8 * i, limit, pool):
                    return True
        block = load(pool, block)
    return False


@njit(_FLAG(_I64, _I64, _I64, RECORD), cache=True)
def _add_once(hand: int, kind: int, level: int, c: Any) -> bool:
    """Enter a fact without its twin; False if the pool is full."""
    group, t, u, p, q, first_u, first_p, first_q, end = _columns(hand, kind, c)
    pool = c.pool
    count = load(c.counts, group)
    fact = count if count < _FIRST_BLOCK else (count - _FIRST_BLOCK) % _BLOCK
    if fact == 0:
        width = (_FIRST_BLOCK if count == 0 else _BLOCK) // 64
        block = c.pool_used
        used = block + _HEADER + (end + 8) * width
        if used > c.pool_size:
            return False
        c.pool_used = used
        store(pool, block, load(c.heads, group))
        store(pool, block + 1, width)
        store(pool, block + 2, level)
        store(c.heads, group, block)
    block = load(c.heads, group)
    width = load(pool, block + 1)
    if level < load(pool, block + 2):
        store(pool, block + 2, level)
    bit = 1 << (fact & 63)
    base = block + _HEADER + fact // 64
    levels = block + _HEADER + end * width + fact // 64 * 8
    for i in range(8):
        if level >> i & 1:
            store(pool, levels + i, load(pool, levels + i) | bit)
    for cards, first in ((t, 0), (u, first_u), (p, first_p), (q, first_q)):
        for i in range(load(c.above_first, cards), load(c.above_first, cards + 1)):
            at = base + (first + load(c.above, i)) * width
            store(pool, at, load(pool, at) | bit)
    store(c.counts, group, count + 1)
    c.facts += 1
    c.kept += 1
    return True


@njit(_FLAG(_I64, _I64, _I64, RECORD), cache=True)
def add(hand: int, kind: int, level: int, c: Any) -> bool:
    """Enter a fact and its twin; False if the pool is full, which may leave the twin out."""
    if not _add_once(hand, kind, level, c):
        return False
    twin = swap_plain(hand, c.ranks)
    p, q = twin >> 3 * c.ranks, hand >> 3 * c.ranks
    if twin != hand and load(c.places, p) >> 16 == load(c.places, q) >> 16:
        return _add_once(twin, kind, level, c)
    return True


@njit(_I64(_I64, _I64, _I64[::1], _I64[::1], _I64[::1], RECORD), cache=True, nogil=True)
def _entries(
    kind: int, limit: int, suits: np.ndarray, first: np.ndarray, found: np.ndarray, c: Any
) -> int:
    """`entries`, into `found` as far as there is room; how many there are."""
    groups = (c.ranks + 1) ** 4
    held = np.zeros(4, np.int64)  # cards of each suit
    pool = c.pool
    number = 0
    for group in range(kind * groups, (kind + 1) * groups):
        rest = group
        end = 0
        for suit in (3, 2, 1, 0):
            held[suit] = rest % (c.ranks + 1)
            rest //= c.ranks + 1
            end += load(c.sizes, held[suit])
        block = load(c.heads, group)
        count = load(c.counts, group)
        while block:
            width = load(pool, block + 1)
            base = block + _HEADER
            before = 0  # facts in older blocks
            if width > _FIRST_BLOCK // 64:
                before = _FIRST_BLOCK + (count - _FIRST_BLOCK - 1) // _BLOCK * _BLOCK
            for fact in range(count - before):
                at, bit = fact // 64, fact & 63
                levels = base + end * width + 8 * at
                if _visible(levels, limit, pool) >> bit & 1 == 0:
                    continue
                if number < len(found):
                    level = 0
                    for i in range(8):
                        level |= (load(pool, levels + i) >> bit & 1) << i
                    entry = level << _LEVEL
                    column = 0
                    for suit in range(4):
                        place = 0  # its own hand is the first that dominates it
                        while load(pool, base + (column + place) * width + at) >> bit & 1 == 0:
                            place += 1
                        entry |= suits[first[held[suit]] + place] << c.ranks * suit
                        column += load(c.sizes, held[suit])
                    found[number] = entry
                number += 1
            count = before
            block = load(pool, block)
    return number


def entries(c: Any, kind: int, limit: int) -> np.ndarray:
    """The facts of a store with a level of at most `limit`, twins as well: level << 40 | hand."""
    subsets = Subsets.of(int(c.ranks))
    found = np.empty(0, np.int64)
    for _ in range(2):  # first only count them
        number = _entries(kind, limit, subsets.bits, subsets.first, found, c)
        if len(found) < number:
            found = np.empty(number, np.int64)
    return found


@njit(types.void(_I64, RECORD), cache=True, nogil=True)
def _clear(stores: int, c: Any) -> None:
    """Drop all facts of the first stores, which must be all there are."""
    for group in range(stores * (c.ranks + 1) ** 4):
        store(c.counts, group, 0)
        store(c.heads, group, 0)
    for at in range(c.pool_used):
        store(c.pool, at, 0)
    c.pool_used = 1
    c.kept = 0


@njit(types.void(_I64[::1], _I64, RECORD), cache=True, nogil=True)
def _refill(facts: np.ndarray, kind: int, c: Any) -> None:
    """Enter facts again that do not follow from those that are there."""
    entered = c.facts
    for fact in facts:
        if not known(fact & HAND, kind, fact >> _LEVEL, c):
            _add_once(fact & HAND, kind, fact >> _LEVEL, c)
    c.facts = entered


def thin_out(c: Any, stores: int, kept: int) -> None:
    """Drop all facts that follow from others, and all of the stores from number `kept` on.

    What is known from the first `kept` stores stays the same. Takes 8 bytes for each of their
    facts. Sound also where it is interrupted, but then facts are lost.
    """
    listed = [entries(c, kind, MOST_LEVEL) for kind in range(kept)]
    _clear(stores, c)
    for kind, facts in enumerate(listed):
        facts.sort()  # the number of a fact is larger than those of facts from which it follows
        _refill(facts, kind, c)
