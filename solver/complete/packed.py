"""Packed tables: progress in a third of the space of slices, to be unpacked before it is probed.

By Raising, a position is worth at least as much as its *worse neighbours*: those of its shape in
which the leader holds one card one rank lower. Most are worth just as much as the best of them, so
a position is coded as how much better it is, with a static model: fixed frequencies in each
context, coded by rANS (J. Duda, arXiv:0902.0271). Shapes are independent of each other.

**Values.** In a table of R rounds: 1, 2, …, R for lost in that round, R + 1 for drawn, R + 2, …,
2R + 1 for won in round R, …, 1. The stamp of a position (a byte of a table of progress) is 2r - 1
for won in round r, 2r for lost in round r, 0 for drawn.

**Order.** Blocks: one for each shape (t, u, p, q) of own trumps, other's trumps, P and Q with p >=
q, ordered as tuples, without the shapes of the empty hand and of the whole deck. In a block the
hands of a suit are numbered in the order of their bit sets; hands of P come outermost, then Q, the
other's trumps, own trumps. Where p = q only positions with P >= Q are there.

**Contexts.** Of the worse neighbours let b be the best value, a how many have it, s the best other
value; 0 if there are none. Where p = q, one with P < Q is found with P and Q exchanged. With g = 0
if s = 0, 1 if b - s = 1, else 2, the context is (b * 6 + min(max(a - 1, 0), 5)) * 3 + g in the part
of the model for t. The symbol is the value minus max(b, 1).

**Coding.** Frequencies f of the symbols of a context sum to M = 65536; c is the sum of those of
lower symbols. The state x, at first 2**32, takes up the symbols from the last to the first:
if x >= f * 2**32 the low 16 bits of x go out and x becomes x >> 16; then x becomes
(x // f) * M + x % f + c. The block is x in three words of 16 bits, the highest first, and the
words that went out, the latest first. Nothing else may follow.

**Layers.** What the first A rounds prove can stand in a table of its own, ranks8.rounds7.1 if A is
7, in which everything else counts as drawn, and which may have layers in its turn. The table of the
deck then has what is left: other positions are passed over, and the symbol is the value minus
max(b, A + 1).

**Files**, all numbers little-endian. A table has parts of less than 50 MB, ranks8.progress.1,
ranks8.progress.2, …, each with as many whole blocks as it holds.

    offset  size
         0     8  the bytes "CHALLPAK"
         8     2  format version: 1
        10     1  kind: 2, progress
        11     1  ranks in the deck
        12     2  number of this part, from 1
        14     2  number of parts
        16     2  R
        18     2  A, 0 if everything is in this table
        20     4  number of the first block in this part
        24     4  m, the number of blocks in this part
        28     4  k, the size of the model, 0 but for the first part
        32     4  CRC-32 of the header, with this field zero, the model and the index
        36    24  wins, losses, draws among all base positions of the deck, 3 numbers of 8 bytes
        60    32  SHA-256 of the content: that of the slices of `solver.complete.table`
        92     k  model: for each t, for each context, 0 if it does not occur, else n and the
                  frequencies of the symbols 1 to n - 1, each in LEB128; what M leaves is that of 0
    92 + k    4m  index: the size of each block in bytes
              4m  index: CRC-32 of each block
                  blocks

Parts of one table agree in all fields but those of the part, and in the digest above all.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from engine.cards import MAX_RANKS
from solver.complete.table import KINDS, MOST_ROUNDS, TableError, layer_path, part_path
from solver.core.files import open_regular, whole_file

MAGIC = b"CHALLPAK"
VERSION = 1
BITS = 16
"""Frequencies sum to `1 << BITS`."""
BLOCK_CONTEXTS = 18
"""Contexts of each value of the best worse neighbour."""
STATE_WORDS = 3
PART_BYTES = 48_000_000
"""A part is no larger; the largest block of 8 ranks has 1.5 MB."""

_HEADER = struct.Struct("<8sHBBHHHHIIII3Q32s")
_KIND = KINDS.index("progress")


class Facts(NamedTuple):
    """What a packed table says of its content."""

    ranks: int
    rounds: int
    totals: tuple[int, int, int]
    """Wins, losses and draws among all base positions."""
    digest: bytes
    after: int = 0
    """So many rounds are in a table of their own (`layer_path`)."""


def block_numbers(ranks: int) -> list[int]:
    """The blocks that have positions, as numbers in `solver.core.shapes.block_shapes`."""
    return list(range(1, _shape_count(ranks) - 1))


def _shape_count(ranks: int) -> int:
    return (ranks + 1) ** 3 * (ranks + 2) // 2


def write_parts(
    path: Path, facts: Facts, frequencies: Sequence[Sequence[int]], blocks: Sequence[bytes]
) -> list[Path]:
    """Write the parts of a table, the first one to `path`; returns their paths.

    `frequencies`: of the symbols, a row a context; `blocks`: coded. Parts that an earlier table had
    are removed.
    """
    model = b"".join(map(_encode_row, frequencies))
    starts, room = [0], PART_BYTES - _HEADER.size - len(model)
    for number, block in enumerate(blocks):
        if len(block) + 8 > room:
            starts.append(number)
            room = PART_BYTES - _HEADER.size
        room -= len(block) + 8
    if len(starts) > 1 and path.suffix != ".1":
        raise ValueError(f"{path} given for the first of {len(starts)} parts, expected ….1")
    paths = []
    for part, start in enumerate(starts, 1):
        mine = blocks[start : [*starts, len(blocks)][part]]
        index = struct.pack(f"<{2 * len(mine)}I", *map(len, mine), *map(zlib.crc32, mine))
        body = (model if part == 1 else b"") + index
        fields = [MAGIC, VERSION, _KIND, facts.ranks, part, len(starts), facts.rounds, facts.after]
        fields += [start, len(mine), len(body) - len(index)]
        after = *facts.totals, facts.digest
        check = zlib.crc32(body, zlib.crc32(_HEADER.pack(*fields, 0, *after)))
        paths.append(part_path(path, part))
        with whole_file(paths[-1]) as file:
            file.write(_HEADER.pack(*fields, check, *after) + body)
            file.writelines(mine)
    number = len(paths) + 1
    while path.suffix == ".1" and (old := part_path(path, number)).exists():
        old.unlink()
        number += 1
    return paths


def _encode_row(row: Sequence[int]) -> bytes:
    listed = max((symbol + 1 for symbol, f in enumerate(row) if f), default=0)
    return b"".join(map(_leb128, (listed, *row[1:listed])))


def _leb128(number: int) -> bytes:
    result = bytearray()
    while number > 127:
        result.append(number & 127 | 128)
        number >>= 7
    result.append(number)
    return bytes(result)


class _Part:
    """One file, its header and index checked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open_regular(path) as file:
                self.size_bytes = os.fstat(file.fileno()).st_size
                self._open(file)
        except OSError as error:
            raise TableError(f"cannot read the table {path}: {error.strerror}") from None

    def _open(self, file: BinaryIO) -> None:
        path = self.path
        header = file.read(_HEADER.size)
        if not header:
            raise TableError(f"cannot read the table {path}: the file is empty")
        if header[: len(MAGIC)] != MAGIC:
            raise TableError(f"{path} is no packed table: it does not begin with {MAGIC.decode()}")
        if len(header) < _HEADER.size:
            raise TableError(f"{path} is truncated: it ends within its header")
        fields = list(_HEADER.unpack(header))
        _, version, kind, ranks, self.number, self.parts, rounds, after = fields[:8]
        self.first, self.count, model, check = fields[8:12]
        if version != VERSION:
            raise TableError(f"{path} has format version {version}, expected {VERSION}")
        start = _HEADER.size + model + 8 * self.count
        if self.size_bytes < start:
            raise TableError(f"{path} is truncated: it ends within its index")
        fields[11] = 0
        body = file.read(start - _HEADER.size)
        if zlib.crc32(body, zlib.crc32(_HEADER.pack(*fields))) != check:
            raise TableError(f"{path} has been altered: the check sum of its header does not match")
        if kind != _KIND or not (0 < ranks <= MAX_RANKS and after < rounds <= MOST_ROUNDS):
            raise TableError(f"{path} has a header that makes no sense")
        if sum(fields[12:15]) != (1 << 4 * ranks) - 2:
            raise TableError(f"{path} claims {sum(fields[12:15])} positions of {ranks} ranks")
        self.facts = Facts(ranks, rounds, tuple(fields[12:15]), fields[15], after)
        self.model = body[:model]
        numbers = struct.unpack_from(f"<{2 * self.count}I", body, model)
        self.checks = numbers[self.count :]
        self.offsets = [start]
        for size in numbers[: self.count]:
            self.offsets.append(self.offsets[-1] + size)
        if self.size_bytes != self.offsets[-1]:
            raise TableError(
                f"{path} is truncated or has grown: {self.size_bytes} bytes, "
                f"expected {self.offsets[-1]}"
            )

    def block(self, number: int) -> bytes:
        try:
            with open_regular(self.path) as file:
                file.seek(self.offsets[number])
                data = file.read(self.offsets[number + 1] - self.offsets[number])
        except OSError as error:
            raise TableError(f"cannot read the table {self.path}: {error.strerror}") from None
        if zlib.crc32(data) != self.checks[number]:
            block = self.first + number
            raise TableError(f"{self.path} has been altered: block {block} fails its check sum")
        return data


class PackedFile:
    """The open files of a packed table, which threads may share.

    `path`: its first part. Raises TableError if a part is missing, of another table, truncated,
    altered or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        first = _Part(path)
        self.facts = first.facts
        if first.number != 1:
            raise TableError(f"{path} is part {first.number} of a table, expected its first part")
        self._parts = [first]
        for number in range(2, first.parts + 1):
            if not part_path(path, number).exists():
                raise TableError(
                    f"{path} is one of {first.parts} parts, {part_path(path, number).name} "
                    "is missing"
                )
            part = _Part(part_path(path, number))
            if (part.facts, part.number, part.parts) != (first.facts, number, first.parts):
                raise TableError(f"{part.path} is not part {number} of the table {path}")
            self._parts.append(part)
        count = 0
        for part in self._parts:
            if part.first != count:
                raise TableError(f"{part.path} has a header that makes no sense")
            count += part.count
        if count != _shape_count(first.facts.ranks) - 2:
            raise TableError(f"{path} has {count} blocks, not those of {first.facts.ranks} ranks")
        self.begins: PackedFile | None = None
        """The table of the first rounds, if they are in one of their own."""
        if after := first.facts.after:
            self.begins = PackedFile(layer_path(path, after))
            facts = self.begins.facts
            if (facts.ranks, facts.rounds) != (first.facts.ranks, after):
                raise TableError(f"{self.begins.path} has not the first {after} rounds of {path}")

    @property
    def size_bytes(self) -> int:
        """The size of all files."""
        mine = sum(part.size_bytes for part in self._parts)
        return mine + (self.begins.size_bytes if self.begins else 0)

    @property
    def paths(self) -> list[Path]:
        """All files."""
        return [*(self.begins.paths if self.begins else ()), *(part.path for part in self._parts)]

    def block(self, number: int) -> bytes:
        """A coded block, by its place in the file. Raises TableError if it has been altered."""
        for part in self._parts:
            if number < part.first + part.count:
                return part.block(number - part.first)
        raise IndexError(number)

    def blocks(self) -> Iterator[bytes]:
        """All coded blocks of all files. Raises TableError for one that has been altered."""
        if self.begins:
            yield from self.begins.blocks()
        for part in self._parts:
            yield from map(part.block, range(part.count))

    def frequencies(self) -> list[list[int]]:
        """Of the symbols, a row a context; those of a context sum to `1 << BITS` or to 0.

        Raises TableError for a model that makes no sense.
        """
        ranks, rounds = self.facts.ranks, self.facts.rounds
        numbers = _numbers(self._parts[0].model)
        rows = []
        try:
            for context in range((ranks + 1) * (2 * rounds + 2) * BLOCK_CONTEXTS):
                best = context // BLOCK_CONTEXTS % (2 * rounds + 2)
                listed, row = next(numbers), []
                if listed > 2 * rounds + 2 - max(best, self.facts.after + 1):
                    raise TableError(f"{self.path} has a model that makes no sense")
                if listed:
                    row = [next(numbers) for _ in range(listed - 1)]
                    row.insert(0, (1 << BITS) - sum(row))
                    if row[0] < 0:
                        raise TableError(f"{self.path} has a model that makes no sense")
                rows.append(row + [0] * (2 * rounds + 1 - listed))
        except StopIteration:
            raise TableError(f"{self.path} has a model that ends too early") from None
        if next(numbers, None) is not None:
            raise TableError(f"{self.path} has a model that is too long")
        return rows


def _numbers(data: bytes) -> Iterator[int]:
    """The numbers of a sequence of LEB128; one that is not ended is left out."""
    number = shift = 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0
