"""A build in steps and pieces: what one worker does, with two bit tables and no stamps.

A *step* tests blocks from facts that were proved before it. It is cut into *pieces* of bounded
size: some small blocks, or a part of a large one, the positions with some of the own trumps. What a
piece proves, its *news*, is a bit for each of its positions, compressed. What is proved in a step
depends only on what was proved before it, so neither pieces nor their order nor who does them
change the result.

A *replica* is the two bit tables of what is proved, with one of each two hands that differ by
exchanging the plain suits. It takes in news only between steps.
"""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from solver.complete.blocks import STACK, UNUSED, Layout, Plan, hand_at, test_block
from solver.core.bitboard import slices
from solver.core.jit import njit
from solver.core.lowlevel import atomic_or, has_bit
from solver.core.machine import cores
from solver.core.shapes import Subsets
from solver.core.trick import HALVES, Context, new_generation, swap_trumps, table_index

MOST_POSITIONS = 1 << 24
"""Positions of a piece, unless those of one hand of own trumps are more."""


def bytes_of_table(ranks: int) -> int:
    """The size of each of the two bit tables, whole words."""
    return 8 * -(-(slices(ranks) << 2 * ranks) // 64)


_WORTH_THREADS = 1 << 17
"""Bytes of news that one thread alone takes a while to take in."""


class Part(NamedTuple):
    """A part of a block: the positions with own trumps number `low` to `high` - 1 of the shape."""

    losses: bool
    block: int
    low: int
    high: int


Piece = tuple[Part, ...]


class Done(NamedTuple):
    """What came of a piece."""

    news: bytes
    """For each part, a bit for each position, padded to bytes; compressed."""
    new: tuple[int, ...]
    """Positions proved, of each part."""
    tests: int
    proved: int
    nodes: int
    seconds: float


@njit(cache=True, nogil=True)
def _fill(
    ranks: int,
    shape: tuple[int, int, int, int],
    block: np.ndarray,
    subsets: Subsets,
    c: Any,
    low: int,
    high: int,
) -> int:
    """Mark what is decided, or no position, UNUSED, the rest 0; how many these are."""
    first = subsets.first
    bits = subsets.bits
    own = first[shape[0]] + low
    others = first[shape[1]]
    cu = first[shape[1] + 1] - others
    cp = first[shape[2] + 1] - first[shape[2]]
    cq = first[shape[3] + 1] - first[shape[3]]
    open_ = 0
    # What lies together in the tables is looked up together.
    for ip in range(cp):
        for iq in range(cq):
            place = ip * cq + iq
            used = shape[2] != shape[3] or ip >= iq
            plain = hand_at(0, 0, first[shape[2]] + ip, first[shape[3]] + iq, subsets, ranks)
            leader = table_index(plain, ranks)
            responder = table_index(c.full ^ swap_trumps(plain, ranks), ranks)
            for iu in range(cu):
                u = bits[others + iu]
                for it in range(high - low):
                    index = (it * cu + iu) * cp * cq + place
                    block[index] = UNUSED
                    if used:
                        t = bits[own + it]
                        won = has_bit(c.leader, leader | u << ranks | t)
                        if not won and not has_bit(c.responder, responder ^ (t << ranks | u)):
                            block[index] = 0
                            open_ += 1
    return open_


@njit(cache=True, nogil=True)
def _publish(
    ranks: int,
    losses: bool,
    shape: tuple[int, int, int, int],
    bits: np.ndarray,
    subsets: Subsets,
    table: int,
    full: int,
    low: int,
) -> int:
    """Enter the news of a part into the bit table at address `table`; how many positions."""
    first = subsets.first
    cu = first[shape[1] + 1] - first[shape[1]]
    cp = first[shape[2] + 1] - first[shape[2]]
    cq = first[shape[3] + 1] - first[shape[3]]
    new = 0
    for byte in range(bits.size):
        if bits[byte] == 0:
            continue
        for bit in range(8):
            if bits[byte] >> bit & 1 == 0:
                continue
            index = byte * 8 + bit
            rest = index // cq
            iq = first[shape[3]] + index % cq
            ip = first[shape[2]] + rest % cp
            rest //= cp
            iu = first[shape[1]] + rest % cu
            it = first[shape[0]] + low + rest // cu
            x = hand_at(it, iu, ip, iq, subsets, ranks)
            if losses:  # this table is over the responder's hand, seen from him
                x = full ^ swap_trumps(x, ranks)
            place = table_index(x, ranks)
            atomic_or(table, place >> 6, 1 << (place & 63))
            new += 1
    return new


class Cutter:
    """How the steps of a build of `ranks` follow one another, and are cut into pieces.

    `room`: about how many undecided positions a piece may have (default: by the size of the deck).
    Immutable.
    """

    def __init__(self, ranks: int, distances: bool, room: int | None = None) -> None:
        self.ranks = ranks
        self.distances = distances
        self.layout = Layout(ranks)
        total = int(self.layout.starts[-1])
        self.room = room or min(MOST_POSITIONS, max(1 << 17, total >> 8))
        counts = np.diff(self.layout.subsets.first)
        self._own = counts[self.layout.shapes[:, 0]]  # hands of own trumps of each block

    def steps(self, round_: int) -> list[list[tuple[bool, np.ndarray]]]:
        """The steps of a round: what each tests, losses or wins of which blocks."""
        by_cards = self.layout.by_cards[1 : 4 * self.ranks]
        if not self.distances:
            return [[(losses, blocks)] for losses in (False, True) for blocks in by_cards]
        if round_ == 1:  # distance 0: the lead of an only card
            return [[(False, self.layout.by_cards[1])]]
        return [[(losses, np.concatenate(by_cards)) for losses in (False, True)]]

    def stamp(self, round_: int, losses: bool) -> int:
        """The stamp of what is proved."""
        return round_ if self.distances else 2 * round_ - 1 + losses

    def positions(self, part: Part) -> int:
        """The number of positions of a part, those that are none included."""
        size, own = int(self.layout.sizes[part.block]), int(self._own[part.block])
        return size // own * (part.high - part.low)

    def place(self, part: Part) -> slice:
        """Where a part has its stamps."""
        size, own = int(self.layout.sizes[part.block]), int(self._own[part.block])
        start = int(self.layout.starts[part.block])
        return slice(start + size // own * part.low, start + size // own * part.high)

    def split(self, news: bytes, piece: Piece) -> Iterator[tuple[Part, np.ndarray]]:
        """The bits of each part of a piece (uint8). Raises ValueError if these are not its news."""
        sizes = [(self.positions(part) + 7) // 8 for part in piece]
        try:
            unpacker = zlib.decompressobj()
            raw = unpacker.decompress(news, sum(sizes) + 1)
        except zlib.error:
            raise ValueError("news that cannot be decompressed") from None
        if len(raw) != sum(sizes):
            raise ValueError("news of another piece")
        start = 0
        for part, size in zip(piece, sizes, strict=True):
            yield part, np.frombuffer(raw, np.uint8, size, start)
            start += size

    def cut(self, step: list[tuple[bool, np.ndarray]], undecided: np.ndarray) -> list[Piece]:
        """The pieces of a step; `undecided`: positions of each block, before the step."""
        pieces: list[Piece] = []
        for losses, blocks in step:
            group: list[Part] = []
            held = size = 0
            for s in blocks[undecided[blocks] > 0].tolist():
                own, positions = int(self._own[s]), int(self.layout.sizes[s])
                parts = max(-(-int(undecided[s]) // self.room), -(-positions // MOST_POSITIONS))
                if parts > 1:
                    parts = min(parts, own)
                    ends = [own * k // parts for k in range(parts + 1)]
                    pieces += [(Part(losses, s, ends[k], ends[k + 1]),) for k in range(parts)]
                    continue
                full = held + undecided[s] > self.room or size + positions > MOST_POSITIONS
                if group and full:
                    pieces.append(tuple(group))
                    group, held, size = [], 0, 0
                group.append(Part(losses, s, 0, own))
                held += int(undecided[s])
                size += positions
            if group:
                pieces.append(tuple(group))
        return pieces


class Replica:
    """What is proved, as two bit tables, and the work on pieces.

    Any number of threads may call `do` at once, or `publish`, but not both at once.
    """

    def __init__(self, cutter: Cutter) -> None:
        self.cutter = cutter
        words = bytes_of_table(cutter.ranks) // 8
        self.leader = np.zeros(words, np.uint64)
        self.responder = np.zeros(words, np.uint64)
        self.step = 0
        """The number of steps, of the whole build, whose news are in."""
        self._local = threading.local()

    def do(self, piece: Piece) -> Done:
        """Prove what can be proved now of the positions of a piece."""
        started = time.monotonic()
        cutter, layout, ranks = self.cutter, self.cutter.layout, self.cutter.ranks
        if not hasattr(self._local, "context"):
            self._local.context = Context(ranks, HALVES)
            self._local.context.use_bit_tables(self.leader, self.responder)
            self._local.stack = np.empty(STACK, np.int64)
            self._local.room = 0
        context = self._local.context
        c = context.record
        c.tests = c.proved = c.nodes = 0
        room = max(map(cutter.positions, piece))
        if self._local.room < room:
            self._local.room = room
            self._local.block = np.empty(room, np.uint8)
            self._local.candidates = np.empty(room, np.uint32)
        block, candidates = self._local.block, self._local.candidates
        packed, new = [], []
        new_generation(c)
        for part in piece:
            t, u, p, q = layout.shapes[part.block].tolist()
            here = block[: cutter.positions(part)]
            shape, span = (t, u, p, q), (part.low, part.high)
            found = 0
            if _fill(ranks, shape, here, layout.subsets, c, *span):
                found = test_block(
                    ranks,
                    part.losses,
                    shape,
                    here,
                    1,
                    layout.subsets,
                    c,
                    candidates,
                    self._local.stack,
                    _PLAN,
                    *span,
                )
            new.append(int(found))
            packed.append(np.packbits(here == 1, bitorder="little").tobytes())
        news = zlib.compress(b"".join(packed), 1)
        seconds = time.monotonic() - started
        return Done(news, tuple(new), int(c.tests), int(c.proved), int(c.nodes), seconds)

    def publish(self, piece: Piece, news: bytes) -> list[int]:
        """Take in the news of a piece; how many positions of each part.

        Raises ValueError if these are not the news of that piece.
        """
        layout, ranks = self.cutter.layout, self.cutter.ranks
        full = (1 << 4 * ranks) - 1
        new = []
        for part, bits in self.cutter.split(news, piece):
            table = self.responder if part.losses else self.leader
            shape = tuple(layout.shapes[part.block].tolist())
            new.append(
                _publish(
                    ranks,
                    part.losses,
                    shape,
                    bits,
                    layout.subsets,
                    table.ctypes.data,
                    full,
                    part.low,
                )
            )
        return new

    def publish_all(self, pieces: Sequence[tuple[Piece, bytes]]) -> list[list[int]]:
        """Take in the news of several pieces, by several threads; what `publish` says of each."""
        if sum(len(news) for _, news in pieces) < _WORTH_THREADS:
            return [self.publish(piece, news) for piece, news in pieces]
        with ThreadPoolExecutor(cores()) as pool:
            return list(pool.map(self.publish, *zip(*pieces, strict=True)))


_PLAN = Plan()
