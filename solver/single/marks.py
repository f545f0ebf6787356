"""Marks: what is known of every claim about a base position of a small deck, a byte for each.

The mark of the claim that the prover, who will hold this hand, wins is WON, or LOST if the other
player is proved to win, or else the largest number of tricks within which it has failed (0: never
tried). A mark is spread at once to all that it settles by Raising (docs/theory.md): WON to all
hands that dominate, the others to all that are dominated. So a look-up is a single byte, where the
facts of `solver.single.facts` have to be searched; but every hand has a byte.

All marks of one shape stand together, those of hands that differ only in the prover's trumps in one
row, and a row is marked at once. Only shapes with p >= q have marks; where p = q, only one of each
two hands that differ by an exchange of the plain suits.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from solver.core.bitboard import slices
from solver.core.shapes import Subsets, block_shapes
from solver.single.facts import (
    ABOVE,
    ABOVE_FIRST,
    FACT_WORDS,
    FACTS,
    PLACES,
    RANKS,
    SIZES,
    dominating,
    suits_of,
)
from solver.single.old_lowlevel import load, load_byte, raise_bytes, store
from solver.single.old_trick import FULL, NOT_TOP, U0, U1, word

MARKS: int = word(FACT_WORDS)  # addresses of the marks where the prover leads, and where he
RESPONDS_MARKS: int = word(FACT_WORDS + 1)  # responds; 0 if there are none
BLOCKS: int = word(FACT_WORDS + 2)  # where the marks of each shape begin
BELOW_FIRST: int = word(FACT_WORDS + 3)  # as ABOVE_FIRST and ABOVE, for hands that are dominated
BELOW: int = word(FACT_WORDS + 4)
UP: int = word(FACT_WORDS + 5)  # for each hand of a suit, bytes that are 255 at the places of all
DOWN: int = word(FACT_WORDS + 6)  # hands that dominate it, or that it dominates, CHUNK or more
WIDTH: int = word(FACT_WORDS + 7)  # number of bytes for each hand in UP and DOWN
MARK_WORDS = FACT_WORDS + 8

WON: int = word(255)
LOST: int = word(254)
CHUNK: int = word(64)
"""Bytes that are marked at once."""

_U16: int = word(16)
_PLACE: int = word(0xFFFF)


def number_of_marks(ranks: int) -> int:
    """Bytes for the marks of one side to lead."""
    return slices(ranks) << 2 * ranks


def make_marks(context: np.ndarray, ranks: int) -> list[np.ndarray]:
    """Make the marks and enter them into a context that has groups (`solver.single.facts.make_groups`).

    The caller keeps the arrays alive; the first two are the marks themselves.
    """
    subsets = Subsets.of(ranks)
    sizes = np.diff(subsets.first)
    width = -(-int(sizes.max()) // int(CHUNK)) * int(CHUNK)
    up, down = (np.zeros((1 << ranks, width), np.uint8) for _ in "UD")
    first, above = dominating(ranks)
    for hand, places in enumerate(np.split(above, first[1:-1])):
        up[hand, places] = 255
    for k, size in enumerate(sizes):
        hands = subsets.bits[subsets.first[k] : subsets.first[k + 1]]
        down[hands, :size] = up[hands, :size].T
    blocks = np.zeros((ranks + 1,) * 4, np.uint64)
    number = 0
    for t, u, p, q in block_shapes(ranks):
        blocks[t, u, p, q] = number
        plain = sizes[p] * (sizes[p] + 1) // 2 if p == q else sizes[p] * sizes[q]
        number += int(sizes[t] * sizes[u] * plain)
    arrays: dict[int, np.ndarray] = {
        MARKS: np.zeros(number + width, np.uint8),  # the last row is marked at full width, too
        RESPONDS_MARKS: np.zeros(number + width, np.uint8),
        BLOCKS: blocks,
        BELOW_FIRST: np.cumsum([0, *np.count_nonzero(down, axis=1)]).astype(np.uint64),
        BELOW: np.nonzero(down)[1].astype(np.uint64),
        UP: up,
        DOWN: down,
    }
    for slot, array in arrays.items():
        context[slot] = array.ctypes.data
    context[WIDTH] = width
    return list(arrays.values())


@njit("UniTuple(uint64, 8)(uint64, uint64, uint64, uint64, uint64)", inline="always", cache=True)
def _places(t: int, u: int, p: int, q: int, context: int) -> tuple[int, ...]:
    """Of a hand with these suits (`suits_of`): where the marks of its shape begin; the places of
    the suits among the hands with as many cards; how many such hands t, u and q have, but 0 for q
    if it has as many cards as p."""
    places = load(context, PLACES)
    t = load(places, t)
    u = load(places, u)
    p = load(places, p)
    q = load(places, q)
    kt = t >> _U16
    ku = u >> _U16
    kp = p >> _U16
    kq = q >> _U16
    m = load(context, RANKS) + U1
    block = load(load(context, BLOCKS), ((kt * m + ku) * m + kp) * m + kq)
    sizes = load(context, SIZES)
    nq = U0 if kp == kq else load(sizes, kq)
    t, u, p, q = t & _PLACE, u & _PLACE, p & _PLACE, q & _PLACE
    return block, t, u, p, q, load(sizes, kt), load(sizes, ku), nq


@njit("uint64(uint64, uint64, uint64)", inline="always", cache=True)
def _plain_place(p: int, q: int, nq: int) -> int:
    """The place of two plain suits among all pairs of the shape; nq: see `_places`."""
    if nq:
        return p * nq + q
    if p < q:
        p, q = q, p
    return (p * (p + U1) >> U1) + q


@njit("uint64(uint64, uint64, uint64)", cache=True)
def mark_of(hand: int, responds: int, context: int) -> int:
    """The mark of the claim that the prover wins, who will hold `hand`.

    `responds`: 0 if he leads, 1 if the other does.
    """
    t, u, p, q = suits_of(hand, context)
    block, t, u, p, q, nt, nu, nq = _places(t, u, p, q, context)
    row = block + (_plain_place(p, q, nq) * nu + u) * nt
    found: int = load_byte(load(context, MARKS + responds), row + t)
    return found


@njit("void(uint64, uint64, uint64, uint64)", cache=True)
def mark(hand: int, responds: int, value: int, context: int) -> None:
    """Mark a claim and all that it settles, but where there is a larger mark.

    Where a hand has such a mark already, so has all that it settles, and is passed over.
    """
    won = value == WON
    most = WON if won else LOST
    first = load(context, ABOVE_FIRST if won else BELOW_FIRST)
    others = load(context, ABOVE if won else BELOW)
    width = load(context, WIDTH)
    hand_t, hand_u, hand_p, hand_q = suits_of(hand, context)
    bytes_t = load(context, UP if won else DOWN) + hand_t * width
    block, t, u, p, q, nt, nu, nq = _places(hand_t, hand_u, hand_p, hand_q, context)
    marks = load(context, MARKS + responds) + block
    for i in range(load(first, hand_p), load(first, hand_p + U1)):
        p = load(others, word(i))
        old = load_byte(marks, (_plain_place(p, q, nq) * nu + u) * nt + t)
        if nq and value <= old and old <= most:  # else (p, q) may be new as (q, p) just now
            continue
        for j in range(load(first, hand_q), load(first, hand_q + U1)):
            plain = _plain_place(p, load(others, word(j)), nq) * nu
            old = load_byte(marks, (plain + u) * nt + t)
            if value <= old and old <= most:
                continue
            for k in range(load(first, hand_u), load(first, hand_u + U1)):
                row = (plain + load(others, word(k))) * nt
                old = load_byte(marks, row + t)
                if value <= old and old <= most:
                    continue
                for part in range(U0, nt, CHUNK):
                    raise_bytes(marks + row + part, bytes_t + part, value)
    store(context, FACTS, load(context, FACTS) + U1)


@njit("void(uint8[::1])", cache=True)
def unmark_failures(marks: np.ndarray) -> None:
    """Leave only WON and LOST."""
    for i in range(len(marks)):
        if marks[i] < LOST:
            marks[i] = 0


@njit("int64(uint64, uint64, uint64, uint64[::1], uint64)", cache=True)
def _border(responds: int, least: int, most: int, found: np.ndarray, context: int) -> int:
    ranks = load(context, RANKS)
    inner = load(context, NOT_TOP)
    number = 0
    for hand in range(load(context, FULL) + U1):
        rest = hand >> (ranks + ranks)
        if rest & ((U1 << ranks) - U1) < rest >> ranks:
            continue  # its twin is looked at
        value = mark_of(hand, responds, context)
        if value < least or value > most:
            continue
        # Of all that would settle it, it is enough to look at what is nearest.
        movable = (hand >> U1) & ~hand if value == WON else hand & ~(hand >> U1)
        movable &= inner
        while movable:
            card = movable & (~movable + U1)
            movable ^= card
            value = mark_of(hand ^ card ^ card << U1, responds, context)
            if least <= value and value <= most:
                break
        else:
            if number < len(found):
                found[number] = hand
            number += 1
    return number


def border(context: np.ndarray, responds: int, least: int, most: int, room: int) -> np.ndarray:
    """The hands of claims with marks from `least` to `most` from which those of all others follow.

    `most`: WON (as `least` then), or less than LOST. Of each two hands that are alike, one. Raises
    MemoryError if there are more than `room`.
    """
    found = np.empty(room, np.uint64)  # takes no memory before it is used
    address = word(context.ctypes.data)
    number = _border(word(responds), word(least), word(most), found, address)
    if number > room:
        raise MemoryError(f"more than {room} claims")
    return found[:number].copy()
