"""Positions by shape, and the work on one shape: test, spread what follows, publish.

The *shape* of a hand is how many cards it has of each suit. Raising a card keeps the shape, so the
positions of a shape, ordered by "at least as good", form a lattice of their own, a product of one
lattice for each suit. A block holds one byte, a *stamp*, for each position of a shape: when it was
proved, 0 if it is undecided. Within a suit the hands of k cards are numbered in the order of their
bit sets, so a position of the block is a mixed-radix number of four digits (own trump, other's
trump, P, Q). Only shapes with p >= q have blocks, and in those with p = q only positions with P >=
Q are used: the plain suits are alike.

Several threads can work on blocks at once: each task writes to its own block, and to the bit tables
atomically. Every thread has its own context and scratch.
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np

from solver.core.jit import njit
from solver.core.lowlevel import atomic_add, atomic_or, has_bit
from solver.core.shapes import Subsets, block_shapes, block_sizes
from solver.core.trick import (
    MEMO_SIZE,
    in_table,
    new_generation,
    proves,
    swap_plain,
    swap_trumps,
)

FAILED = 254
"""Stamp, within a task, of positions that cannot be proved now."""
UNUSED = 255
"""Stamp of bytes that are no position, or stand for one that is stored elsewhere."""
LAST_STAMP = 253

STACK = 4096
"""Room for a flood: a chain in the lattice (at most 100 positions with ten ranks) with 20
neighbours each."""


class Plan(NamedTuple):
    """What makes a build fast. The solution is the same without it, as benchmarks show."""

    spread: bool = True
    """A success decides all that is at least as good (as bad)."""
    rule_out: bool = True
    """A failure rules out all that is at most as good, for the moment."""
    scattered: bool = True
    """The positions of a shape are tested in scattered order."""
    wins_first: bool = True
    """A round tests all wins, then all losses, not both for each hand size."""
    small_hands_first: bool = True
    only_reachable: bool = True
    """A build of distances tests only positions that can reach a new fact."""
    memo_size: int = MEMO_SIZE
    """Entries of the transposition table, a power of two."""
    lowest_of_run: bool = True
    """Of a run only the lowest card is led."""
    one_way_first: bool = True
    """Leads that can be beaten in one way only come first."""


class Layout:
    """Where the blocks of a deck lie in the array of all stamps."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.subsets = Subsets.of(ranks)
        self.shapes = np.array(block_shapes(ranks), np.int64)
        self.sizes = np.array(block_sizes(ranks), np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        cards = self.shapes.sum(axis=1)
        largest_first = np.argsort(-self.sizes, kind="stable")
        self.by_cards = [largest_first[cards[largest_first] == h] for h in range(4 * ranks + 1)]
        """The numbers of the shapes with h cards, large blocks first."""
        first = self.subsets.first
        self._hands = np.diff(first)  # of a suit, with k cards
        self._count = np.bitwise_count(np.arange(1 << ranks)).astype(np.int64)
        self._place = np.empty(1 << ranks, np.int64)  # of a hand of a suit among those
        self._place[self.subsets.bits] = (
            np.arange(1 << ranks) - first[self._count[self.subsets.bits]]
        )
        self._start = np.zeros((ranks + 1,) * 4, np.int64)  # of the block of a shape
        self._start[tuple(self.shapes.T)] = self.starts[:-1]

    def empty_stamps(self, zeros: np.ndarray | None = None) -> np.ndarray:
        """Stamps with every position undecided; `zeros`: an array that shall hold them."""
        stamps = np.zeros(self.starts[-1], np.uint8) if zeros is None else zeros
        count = [comb(self.ranks, k) for k in range(self.ranks + 1)]
        for (t, u, p, q), start, end in zip(
            self.shapes, self.starts[:-1], self.starts[1:], strict=True
        ):
            if t + u + p + q in (0, 4 * self.ranks):
                stamps[start:end] = UNUSED
            elif p == q:
                planes = stamps[start:end].reshape(-1, count[p], count[q])
                planes[:, *np.triu_indices(count[p], 1)] = UNUSED
        return stamps

    def slice_places(self, p_bits: int, q_bits: int) -> np.ndarray:
        """Where the positions of a slice, in order, have their stamps (`solver.core.bitboard`)."""
        place, count, hands = self._place, self._count, self._hands
        p, q = count[p_bits], count[q_bits]
        p_place, q_place = place[p_bits], place[q_bits]
        if p < q or (p == q and p_place < q_place):
            p, q, p_place, q_place = q, p, q_place, p_place
        t, u = count[None, :], count[:, None]
        number = place[None, :] * hands[u] + place[:, None]
        number = (number * hands[p] + p_place) * hands[q] + q_place
        places: np.ndarray = (self._start[t, u, p, q] + number).ravel()
        return places


@njit(cache=True, nogil=True)
def flood(
    block: np.ndarray,
    counts: tuple[int, ...],
    firsts: tuple[int, ...],
    twins: bool,
    digits: int,
    mark: int,
    trumps: np.ndarray,
    links: np.ndarray,
    stack: np.ndarray,
) -> int:
    """Stamp with `mark` all that can be reached over `links` through undecided positions.

    Starts at the position with these `digits`, a byte each; returns how many were stamped.
    `trumps` are the links of the own trumps, from the first of the block.
    """
    cu, cp, cq = counts[1:]
    stack[0] = digits
    top = 1
    done = 0
    while top > 0:
        top -= 1
        digits = stack[top]
        it = digits >> 24
        iu = digits >> 16 & 255
        ip = digits >> 8 & 255
        iq = digits & 255
        index = ((it * cu + iu) * cp + ip) * cq + iq
        here = it
        for m in range(trumps.shape[1]):
            there = trumps[here, m]
            if there < 0:
                break
            target = index + (there - here) * cu * cp * cq
            if block[target] == 0:
                block[target] = mark
                done += 1
                stack[top] = digits + ((there - here) << 24)
                top += 1
        for suit in range(1, 4):
            if suit == 1:
                row, here, shift, scale = firsts[1] + iu, iu, 16, cp * cq
            elif suit == 2:
                row, here, shift, scale = firsts[2] + ip, ip, 8, cq
            else:
                row, here, shift, scale = firsts[3] + iq, iq, 0, 1
            for m in range(links.shape[1]):
                there = links[row, m]
                if there < 0:
                    break
                target = index + (there - here) * scale
                reached = digits + ((there - here) << shift)
                if twins and suit >= 2:
                    jp = reached >> 8 & 255
                    jq = reached & 255
                    if jp < jq:
                        target += (jq - jp) * (cq - 1)
                        reached += (jq - jp) * 255
                if block[target] == 0:
                    block[target] = mark
                    done += 1
                    stack[top] = reached
                    top += 1
    return done


@njit(cache=True, nogil=True)
def part_links(links: np.ndarray, first: int, low: int, high: int) -> np.ndarray:
    """The links among hands number `low` to `high` - 1 of those with as many cards, from `low`.

    `first`: the row of hand number 0.
    """
    part = np.full((high - low, links.shape[1]), -1, np.int64)
    for row in range(high - low):
        kept = 0
        for there in links[first + low + row]:
            if low <= there < high:
                part[row, kept] = there - low
                kept += 1
    return part


@njit(cache=True, nogil=True)
def hand_at(it: int, iu: int, ip: int, iq: int, subsets: Subsets, ranks: int) -> int:
    """The leader's hand made of the hands of each suit with these numbers in `subsets.bits`."""
    plain = subsets.bits[ip] | subsets.bits[iq] << ranks
    return subsets.bits[it] | (subsets.bits[iu] | plain << ranks) << ranks


@njit(cache=True, nogil=True)
def gather(
    ranks: int,
    losses: bool,
    block: np.ndarray,
    firsts: tuple[int, ...],
    counts: tuple[int, ...],
    subsets: Subsets,
    c: Any,
    candidates: np.ndarray,
) -> int:
    """List the undecided positions that are worth a test, stamp the others FAILED; how many.

    Worth a test is what can reach a new fact, and what is known to be won if outcomes are known.
    """
    reach = c.reach_responder if losses else c.reach_leader
    found = 0
    index = 0
    for it in range(firsts[0], firsts[0] + counts[0]):
        for iu in range(firsts[1], firsts[1] + counts[1]):
            for ip in range(firsts[2], firsts[2] + counts[2]):
                for iq in range(firsts[3], firsts[3] + counts[3]):
                    if block[index] == 0:
                        worth = True
                        if reach or c.outcomes:
                            x = hand_at(it, iu, ip, iq, subsets, ranks)
                            if losses:
                                x = c.full ^ swap_trumps(x, ranks)
                            worth = not reach or has_bit(reach, x)
                            if worth and c.outcomes:
                                worth = in_table(x, not losses, c)
                        if worth:
                            candidates[found] = index
                            found += 1
                        else:
                            block[index] = FAILED
                    index += 1
    return found


@njit(cache=True, nogil=True)
def scattering_step(count: int) -> int:
    """A step that visits 0 to count - 1 in scattered order: near the golden section, coprime."""
    step = max(1, int(count * 0.6180339887))
    while True:
        a, b = count, step
        while b:
            a, b = b, a % b
        if a == 1:
            return step
        step += 1


@njit(cache=True, nogil=True)
def test_block(
    ranks: int,
    losses: bool,
    shape: tuple[int, int, int, int],
    block: np.ndarray,
    stamp: int,
    subsets: Subsets,
    c: Any,
    candidates: np.ndarray,
    stack: np.ndarray,
    plan: Plan,
    low: int,
    high: int,
) -> int:
    """Prove what can be proved now of the undecided positions of a block, and return how many.

    `block` may be a part of one: the positions with own trumps number `low` to `high` - 1 of the
    shape.

    Tests wins of the leader, or losses. A success decides all that is at least as good (as bad), a
    failure rules out for now all that is at most as good. Tests go in scattered order, for
    neighbours tell least about one another.
    """
    first = subsets.first
    firsts = (first[shape[0]] + low, first[shape[1]], first[shape[2]], first[shape[3]])
    counts = (
        high - low,
        first[shape[1] + 1] - firsts[1],
        first[shape[2] + 1] - firsts[2],
        first[shape[3] + 1] - firsts[3],
    )
    undecided = gather(ranks, losses, block, firsts, counts, subsets, c, candidates)
    new_generation(c)
    twins = shape[2] == shape[3]
    better = subsets.down if losses else subsets.up  # towards what a success proves
    worse = subsets.up if losses else subsets.down
    better_trumps = part_links(better, first[shape[0]], low, high)
    worse_trumps = part_links(worse, first[shape[0]], low, high)
    tests = 0
    proved = 0
    new = 0
    number = 0
    step = scattering_step(undecided) if plan.scattered else 1
    for _ in range(undecided):
        number += step
        if number >= undecided:
            number -= undecided
        index = candidates[number]
        if block[index] != 0:
            continue
        iq = index % counts[3]
        rest = index // counts[3]
        ip = rest % counts[2]
        rest //= counts[2]
        iu = rest % counts[1]
        it = rest // counts[1]
        x = hand_at(firsts[0] + it, firsts[1] + iu, firsts[2] + ip, firsts[3] + iq, subsets, ranks)
        tests += 1
        if losses:
            x = c.full ^ swap_trumps(x, ranks)
        success = proves(x, c.full ^ x, not losses, c)
        digits = it << 24 | iu << 16 | ip << 8 | iq
        if success:
            block[index] = stamp
            proved += 1
            new += 1
            if plan.spread:
                new += flood(
                    block, counts, firsts, twins, digits, stamp, better_trumps, better, stack
                )
        else:
            block[index] = FAILED
            if plan.rule_out:
                flood(block, counts, firsts, twins, digits, FAILED, worse_trumps, worse, stack)
    for index in range(block.size):
        if block[index] == FAILED:
            block[index] = 0
    c.tests += tests
    c.proved += proved
    return new


@njit(cache=True, nogil=True)
def publish_block(
    ranks: int,
    losses: bool,
    shape: tuple[int, int, int, int],
    block: np.ndarray,
    stamp: int,
    subsets: Subsets,
    table: int,
    full: int,
) -> None:
    """Enter the positions of a block that have `stamp` into the bit table at address `table`.

    Each goes in with its twin, the one with the plain suits exchanged.
    """
    first = subsets.first
    index = 0
    for it in range(first[shape[0]], first[shape[0] + 1]):
        for iu in range(first[shape[1]], first[shape[1] + 1]):
            for ip in range(first[shape[2]], first[shape[2] + 1]):
                for iq in range(first[shape[3]], first[shape[3] + 1]):
                    if block[index] == stamp:
                        x = hand_at(it, iu, ip, iq, subsets, ranks)
                        if losses:  # this table is over the responder's hand, seen from him
                            x = full ^ swap_trumps(x, ranks)
                        for hand in (x, swap_plain(x, ranks)):
                            atomic_or(table, hand >> 6, 1 << (hand & 63))
                    index += 1


@njit(cache=True, nogil=True)
def work(
    ranks: int,
    losses: bool,
    todo: np.ndarray,
    layout: tuple[np.ndarray, np.ndarray],
    undecided: np.ndarray,
    stamps: np.ndarray,
    stamp: int,
    subsets: Subsets,
    contexts: np.ndarray,
    counter: int,
    scratch: tuple[np.ndarray, np.ndarray],
    plan: Plan,
) -> int:
    """Test the blocks `todo`, as one of several threads that share `counter`.

    Returns the number of positions proved.

    `layout`: shapes and starts of all blocks; `undecided`: their numbers of undecided positions,
    kept up to date; `scratch`: room for the candidates of the largest block, and for a flood.
    """
    shapes, starts = layout
    candidates, stack = scratch
    c = contexts[0]
    table = c.publish_responder if losses else c.publish_leader
    total = 0
    while True:
        i = atomic_add(counter, 0, 1)
        if i >= todo.size:
            return total
        s = todo[i]
        if undecided[s] == 0:
            continue
        shape = (shapes[s, 0], shapes[s, 1], shapes[s, 2], shapes[s, 3])
        block = stamps[starts[s] : starts[s + 1]]
        own = subsets.first[shape[0] + 1] - subsets.first[shape[0]]
        new = test_block(
            ranks, losses, shape, block, stamp, subsets, c, candidates, stack, plan, 0, own
        )
        if new:
            publish_block(ranks, losses, shape, block, stamp, subsets, table, c.full)
            undecided[s] -= new
            total += new
