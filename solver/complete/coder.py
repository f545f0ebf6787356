"""Progress coded and decoded, one shape at a time: kernels, and the writer of packed tables.

What is coded, and into which bytes, is described in `solver.complete.packed`. Nothing here is
needed to probe a table that is unpacked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solver.complete.blocks import UNUSED, Layout
from solver.complete.packed import (
    BITS,
    BLOCK_CONTEXTS,
    STATE_WORDS,
    Facts,
    PackedFile,
    block_numbers,
    write_parts,
)
from solver.complete.table import MOST_ROUNDS, TableError
from solver.core.bitboard import plain_suits, slices
from solver.core.jit import njit
from solver.core.machine import cores

STEP_BITS = 6
"""So many high bits of a slot choose where the search for its symbol begins."""
_M = 1 << BITS
_LOW = 1 << 32  # the least state


class Model(NamedTuple):
    """Frequencies of symbols in every context: of T = 0, 1, … own trumps one after the other."""

    rounds: int
    sums: np.ndarray
    """Row `context`, column `symbol`: the sum of the frequencies of all lower symbols, uint32; the
    last column is `1 << BITS`, or 0 for a context that does not occur."""
    starts: np.ndarray
    """The symbol of the first slot of each of `1 << STEP_BITS` ranges of slots, uint8."""

    @classmethod
    def of(cls, rounds: int, frequencies: np.ndarray) -> Model:
        """The model with these frequencies, int64, a row a context."""
        sums = np.zeros((len(frequencies), frequencies.shape[1] + 1), np.uint32)
        np.cumsum(frequencies, axis=1, out=sums[:, 1:])
        firsts = np.arange(0, _M, _M >> STEP_BITS)
        starts = np.array([np.searchsorted(row, firsts, "right") - 1 for row in sums], np.uint8)
        return cls(rounds, sums, starts)


def context_count(ranks: int, rounds: int) -> int:
    """The number of contexts of a deck."""
    return (ranks + 1) * (2 * rounds + 2) * BLOCK_CONTEXTS


def values_of_stamps(rounds: int) -> np.ndarray:
    """The value of every stamp, uint8: 1 (lost in round 1) … rounds + 1 (drawn) … (won in round 1).

    0 for a byte that is no stamp.
    """
    values = np.zeros(256, np.uint8)
    values[0] = rounds + 1
    for r in range(1, rounds + 1):
        values[2 * r - 1] = 2 * rounds + 2 - r
        values[2 * r] = r
    return values


@njit(cache=True, nogil=True, inline="always")
def _see(row: Any, count: int, best: Any, alike: Any, second: Any) -> None:
    """Take a row of worse neighbours into account."""
    for i in range(count):
        v, b, s, a = row[i], best[i], second[i], alike[i]
        more, same = v > b, v == b
        second[i] = b if more else s if same or v < s else v
        alike[i] = np.uint8(1) if more else np.uint8(a + 1) if same else a
        best[i] = v if more else b


@njit(cache=True, nogil=True)
def walk(
    decodes: bool,
    rounds: int,
    after: int,
    block: np.ndarray,
    firsts: tuple[int, ...],
    counts: tuple[int, ...],
    twins: bool,
    down: np.ndarray,
    sums: np.ndarray,
    starts: np.ndarray,
    data: np.ndarray,
    steps: np.ndarray,
) -> int:
    """Go through the positions of a block in the order in which they are coded.

    `block`: their values, P outermost, then Q, U, T. Either decodes `data` (words, uint16) into it,
    where it is 0; the result is the number of words read, -1 if they cannot be what `encode` has
    written. Or describes what is there, but for what the first `after` rounds prove: in `steps`,
    uint32, `context << 8 | symbol` of each position; the result is their number, -1 if a position
    is worth less than a worse neighbour. `sums`, `starts`: the part of the model for this T.
    """
    ct, cu, cp, cq = counts
    best = np.zeros(ct, np.uint8)
    alike = np.zeros(ct, np.uint8)
    second = np.zeros(ct, np.uint8)
    most = 2 * rounds + 1
    done = 0
    place: Any = 0
    x: Any = np.uint64(0)
    if decodes:
        if data.size < STATE_WORDS:
            return -1
        for i in range(STATE_WORDS):
            x = x << np.uint64(16) | np.uint64(data[i])
        place = STATE_WORDS
        if x >> np.uint64(32) == np.uint64(0):
            return -1
    for ip in range(cp):
        for iq in range(ip + 1 if twins else cq):
            for iu in range(cu):
                here = ((ip * cq + iq) * cu + iu) * ct
                best[:] = 0
                alike[:] = 0
                second[:] = 0
                for m in range(down.shape[1]):
                    th = down[firsts[2] + ip, m]
                    if th < 0:
                        break
                    hi, lo = (th, iq) if not twins or th >= iq else (iq, th)
                    row = ((hi * cq + lo) * cu + iu) * ct
                    _see(block[row : row + ct], ct, best, alike, second)
                for m in range(down.shape[1]):
                    th = down[firsts[3] + iq, m]
                    if th < 0:
                        break
                    row = ((ip * cq + th) * cu + iu) * ct
                    _see(block[row : row + ct], ct, best, alike, second)
                for m in range(down.shape[1]):
                    th = down[firsts[1] + iu, m]
                    if th < 0:
                        break
                    row = ((ip * cq + iq) * cu + th) * ct
                    _see(block[row : row + ct], ct, best, alike, second)
                for it in range(ct):
                    b = np.int64(best[it])
                    a: Any = np.int64(alike[it])
                    s = np.int64(second[it])
                    for m in range(down.shape[1]):
                        th = down[firsts[0] + it, m]
                        if th < 0:
                            break
                        v = np.int64(block[here + th])
                        if v > b:
                            s = b
                            b = v
                            a = 1
                        elif v == b:
                            a += 1
                        elif v > s:
                            s = v
                    gap = 0 if s == 0 else 1 if b - s == 1 else 2
                    k = b * BLOCK_CONTEXTS + (0 if a < 2 else 15 if a > 6 else 3 * a - 3) + gap
                    low = b if b > after else after + 1
                    value = np.int64(block[here + it])
                    if value != 0 and (decodes or value <= after or value > most - after):
                        if value < b:
                            return -1
                        continue
                    if not decodes:
                        if value < low:
                            return -1
                        steps[done] = k << 8 | value - low
                    elif sums[k, 1] == _M:
                        block[here + it] = low
                    else:
                        slot = np.uint32(x & np.uint64(_M - 1))
                        symbol = np.int64(starts[k, slot >> np.uint32(BITS - STEP_BITS)])
                        if sums[k, most] == 0:
                            return -1
                        while sums[k, symbol + 1] <= slot:
                            symbol += 1
                        below = sums[k, symbol]
                        x = np.uint64(sums[k, symbol + 1] - below) * (
                            x >> np.uint64(BITS)
                        ) + np.uint64(slot - below)
                        if x < np.uint64(_LOW):
                            if place >= data.size:
                                return -1
                            x = x << np.uint64(16) | np.uint64(data[place])
                            place += 1
                        block[here + it] = low + symbol
                    done += 1
    if not decodes:
        return done
    return place if x == np.uint64(_LOW) else -1


@njit(cache=True, nogil=True)
def encode(steps: np.ndarray, count: int, sums: np.ndarray, words: np.ndarray) -> int:
    """Code steps that `walk` has described into `words`, from their end; the place of the first."""
    x = np.uint64(_LOW)
    place = words.size
    for i in range(count - 1, -1, -1):
        k, symbol = steps[i] >> 8, steps[i] & 255
        below = np.uint64(sums[k, symbol])
        f = np.uint64(sums[k, symbol + 1]) - below
        if f == np.uint64(_M):
            continue
        if x >> np.uint64(32) >= f:
            place -= 1
            words[place] = x & np.uint64(0xFFFF)
            x >>= np.uint64(16)
        x = (x // f << np.uint64(BITS)) + x % f + below
    for _ in range(STATE_WORDS):
        place -= 1
        words[place] = x & np.uint64(0xFFFF)
        x >>= np.uint64(16)
    return place


@njit(cache=True, nogil=True)
def spread(
    block: np.ndarray,
    counts: tuple[int, ...],
    twins: bool,
    ranks: int,
    own: np.ndarray,
    other: np.ndarray,
    places: np.ndarray,
    stamps: np.ndarray,
    out: np.ndarray,
) -> None:
    """Put the stamps of a block where they stand in a table.

    `own`, `other`: the hands of the trump suits; `places`: where in `out` the slices of each P and
    Q begin; `stamps`: that of each value.
    """
    ct, cu, cp, cq = counts
    for ip in range(cp):
        for iq in range(ip + 1 if twins else cq):
            place = places[ip, iq]
            for iu in range(cu):
                here = ((ip * cq + iq) * cu + iu) * ct
                row = place + (other[iu] << ranks)
                for it in range(ct):
                    out[row + own[it]] = stamps[block[here + it]]


@njit(cache=True, nogil=True)
def tally(steps: np.ndarray, count: int, counts: np.ndarray) -> None:
    """Count how often each symbol comes up in each context."""
    for i in range(count):
        counts[steps[i] >> 8, steps[i] & 255] += 1


def scaled(counts: np.ndarray) -> np.ndarray:
    """Frequencies that sum to `1 << BITS` in each context that occurs, none of them 0."""
    frequencies = np.zeros_like(counts)
    for k in np.flatnonzero(counts.any(axis=1)):
        row, total = counts[k], int(counts[k].sum())
        f = np.where(row > 0, np.maximum(1, (row * (2 * _M) + total) // (2 * total)), 0)
        while (excess := int(f.sum()) - _M) != 0:  # taken from, or given to, the most frequent
            most = int(f.argmax())
            f[most] -= min(excess, int(f[most]) - 1)
        frequencies[k] = f
    return frequencies


class Blocks:
    """The blocks of a deck, their arguments for the kernels, and room for one thread's work."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.layout = Layout(ranks)
        self.numbers = block_numbers(ranks)
        """Those that have positions, in the order of the file."""

    def arguments(self, number: int) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
        """The first hands, the counts of hands, whether P and Q have as many cards."""
        shape, first = self.layout.shapes[number].tolist(), self.layout.subsets.first.tolist()
        firsts = tuple(first[k] for k in shape)
        counts = tuple(first[k + 1] - first[k] for k in shape)
        return firsts, counts, shape[2] == shape[3]

    def part(self, number: int, rounds: int) -> slice:
        """The rows of the model for a block."""
        size = (2 * rounds + 2) * BLOCK_CONTEXTS
        own = int(self.layout.shapes[number][0])
        return slice(own * size, (own + 1) * size)

    def groups(self) -> Iterator[tuple[tuple[int, int], list[int]]]:
        """(cards of P, cards of Q) and the numbers of their blocks, large ones first."""
        shapes = self.layout.shapes
        for p, q in sorted({(int(p), int(q)) for p, q in shapes[:, 2:]}):
            mine = [s for s in self.numbers if tuple(shapes[s, 2:]) == (p, q)]
            yield (p, q), sorted(mine, key=lambda s: -int(self.layout.sizes[s]))

    def group_slices(self, p: int, q: int) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the slices with so many cards in P and Q, ascending; and which of them is
        that of each pair of hands, a row a hand of p cards."""
        first, bits = self.layout.subsets.first, self.layout.subsets.bits
        ps, qs = bits[first[p] : first[p + 1], None], bits[None, first[q] : first[q + 1]]
        high, low = np.maximum(ps, qs), np.minimum(ps, qs)
        numbers, which = np.unique((high * (high + 1) >> 1) + low, return_inverse=True)
        return numbers, which.reshape(high.shape).astype(np.int64)


class BlockReader:
    """Decodes the blocks of a packed table; may be shared by threads. Raises TableError."""

    def __init__(self, table: PackedFile) -> None:
        self._table = table
        self._rounds = rounds = table.facts.rounds
        self.blocks = Blocks(table.facts.ranks)
        self._places = {number: i for i, number in enumerate(self.blocks.numbers)}
        self._model = Model.of(rounds, np.array(table.frequencies(), np.int64))
        values = values_of_stamps(rounds)
        self.stamps = np.zeros(2 * rounds + 2, np.uint8)
        """The stamp of each value."""
        self.stamps[values[: 2 * rounds + 1]] = np.arange(2 * rounds + 1)
        self._begins = BlockReader(table.begins) if table.begins else None
        if self._begins:
            self._known = values[self._begins.stamps]
            self._known[[0, table.facts.after + 1]] = 0  # no position; not among the first rounds

    def read(self, number: int, block: np.ndarray) -> None:
        """Decode a block: the values of its positions as `walk` has them, 0 where there is none."""
        if self._begins:
            self._begins.read(number, block)
            block[:] = self._known[block]
        else:
            block[:] = 0
        firsts, counts, twins = self.blocks.arguments(number)
        coded = self._table.block(self._places[number])
        data = np.frombuffer(coded[: len(coded) & ~1], "<u2").astype(np.uint16)
        part, after = self.blocks.part(number, self._rounds), self._table.facts.after
        sums, starts = self._model.sums[part], self._model.starts[part]
        down, none = self.blocks.layout.subsets.down, np.empty(0, np.uint32)
        read = walk(
            True, self._rounds, after, block, firsts, counts, twins, down, sums, starts, data, none
        )
        if 2 * read != len(coded):
            raise TableError(f"{self._table.path} has been altered: a block cannot be decoded")


def decode_blocks(
    table: PackedFile,
    receive: Callable[[np.ndarray, np.ndarray], None],
    report: Callable[[float], None],
    threads: int | None = None,
) -> None:
    """Decode a packed table, group by group of slices.

    `receive` gets the numbers of some slices, ascending, and their content, a row a slice; `report`
    the part that is done. Any number of threads does the same. Takes up to 350 MB with 8 ranks.
    Raises TableError if the content cannot be decoded.
    """
    reader = BlockReader(table)
    blocks, ranks = reader.blocks, table.facts.ranks
    layout = blocks.layout
    threads = threads or cores()
    rooms = [np.empty(int(layout.sizes.max()), np.uint8) for _ in range(threads)]
    size, total, done = 1 << 2 * ranks, int(layout.starts[-1]), 0

    def decode(number: int, places: np.ndarray, out: np.ndarray) -> int:
        room = rooms.pop()
        try:
            firsts, counts, twins = blocks.arguments(number)
            n = int(layout.sizes[number])
            reader.read(number, room[:n])
            own, other = (layout.subsets.bits[firsts[i] : firsts[i] + counts[i]] for i in (0, 1))
            spread(room[:n], counts, twins, ranks, own, other, places, reader.stamps, out)
            return n
        finally:
            rooms.append(room)

    with ThreadPoolExecutor(threads) as pool:
        for (p, q), numbers in blocks.groups():
            own_slices, which = blocks.group_slices(p, q)
            content = np.zeros((len(own_slices), size), np.uint8)
            jobs = [pool.submit(decode, s, which * size, content.ravel()) for s in numbers]
            try:
                for job in jobs:
                    done += job.result()
                    report(done / total)
            except BaseException:
                for job in jobs:
                    job.cancel()
                raise
            receive(own_slices, content)


def read_stamps(table: PackedFile) -> np.ndarray:
    """The stamps of a packed table as `Builder.stamps` has them. Raises TableError."""
    reader = BlockReader(table)
    layout = reader.blocks.layout
    stamps = layout.empty_stamps()

    def decode(number: int) -> None:
        ct, cu, cp, cq = reader.blocks.arguments(number)[1]
        mine = stamps[layout.starts[number] : layout.starts[number + 1]]
        block = np.empty(mine.size, np.uint8)
        reader.read(number, block)
        read = reader.stamps[block].reshape(cp, cq, cu, ct).transpose(3, 2, 0, 1).ravel()
        np.copyto(mine, read, where=mine != UNUSED)

    with ThreadPoolExecutor(cores()) as pool:
        for _ in pool.map(decode, reader.blocks.numbers):
            pass
    return stamps


def write_packed(
    path: Path,
    ranks: int,
    stamps: np.ndarray,
    report: Callable[[float], None] = lambda done: None,
    *,
    after: int = 0,
) -> list[Path]:
    """Write a packed table of progress from stamps as `Builder.stamps` has them; returns its parts.

    `path`: the first part, `….progress.1`; the others stand beside it. With `after` what that many
    rounds have proved is left out: it is in a table of its own (`layer_path`). The same stamps
    always give the same bytes. Raises ValueError for stamps that cannot be those of a build.
    """
    blocks = Blocks(ranks)
    layout = blocks.layout
    if stamps.dtype != np.uint8 or stamps.shape != (layout.starts[-1],):
        raise ValueError(
            f"stamps of the type {stamps.dtype} and shape {stamps.shape} given, "
            f"expected uint8 and {(int(layout.starts[-1]),)}"
        )
    digest, seen = hashlib.sha256(), np.zeros(256, np.int64)
    count = slices(ranks)
    for number in range(count):
        p, q = plain_suits(number)
        part = stamps[layout.slice_places(p, q)]
        seen += np.bincount(part, minlength=256) * (1 if p == q else 2)
        part[part == UNUSED] = 0
        digest.update(part.tobytes())
        report(0.3 * number / count)
    seen[UNUSED] = 0
    rounds = max(1, (int(np.flatnonzero(seen)[-1]) + 1) // 2)
    if rounds > MOST_ROUNDS:
        raise ValueError(f"{rounds} rounds given, expected at most {MOST_ROUNDS}")
    totals = int(seen[1::2].sum()), int(seen[2::2].sum()), int(seen[0])
    values = values_of_stamps(rounds)
    steps = np.empty(int(layout.sizes.max()), np.uint32)
    words = np.empty(len(steps) + STATE_WORDS, np.uint16)
    counts = np.zeros((context_count(ranks, rounds), 2 * rounds + 1), np.int64)

    def describe(number: int) -> int:
        firsts, shape, twins = blocks.arguments(number)
        mine = stamps[layout.starts[number] : layout.starts[number + 1]]
        block = values[mine.reshape(shape).transpose(2, 3, 1, 0)].ravel()
        none = np.empty((1, 1), np.uint32), np.empty((1, 1), np.uint8), np.empty(0, np.uint16)
        down = layout.subsets.down
        found = walk(False, rounds, after, block, firsts, shape, twins, down, *none, steps)
        if found < 0:
            raise ValueError("stamps given that contradict Raising")
        return int(found)

    for i, number in enumerate(blocks.numbers):
        tally(steps, describe(number), counts[blocks.part(number, rounds)])
        report(0.3 + 0.3 * i / len(blocks.numbers))
    frequencies = scaled(counts)
    model = Model.of(rounds, frequencies)
    coded = []
    for i, number in enumerate(blocks.numbers):
        place = encode(steps, describe(number), model.sums[blocks.part(number, rounds)], words)
        coded.append(words[place:].astype("<u2").tobytes())
        report(0.6 + 0.4 * i / len(blocks.numbers))
    facts = Facts(ranks, rounds, totals, digest.digest(), after)
    return write_parts(path, facts, frequencies.tolist(), coded)
