"""The table file: the complete solution of a deck, compressed by slices, read where it lies.

There are three kinds of table for a deck: `outcome`, `distance` and `progress`. Slices and their
order are explained in `solver.core.bitboard`. All numbers are little-endian.

    offset  size  content
         0     8  magic "CHALLTAB"
         8     2  version, 1
        10     1  kind: 0 outcome, 1 distance, 2 progress
        11     1  ranks
        12     4  slices in a chunk (the last chunk may have fewer)
        16     4  number of chunks, C
        20     4  CRC-32 of the header (with this field zero) and the index
        24    24  number of wins, losses, draws among all base positions
        48    32  SHA-256 of the uncompressed chunks
        80  8C+8  file offset of each chunk, and of the end of the file
         …    4C  CRC-32 of each compressed chunk
         …        the chunks: slices one after the other, as raw LZMA2 (LZMA_FILTERS)

A slice of an outcome table is two bit fields of 4**ranks bits (at least a byte), bit i in byte i //
8 at 1 << i % 8: "the leader wins", then "draw"; the rest is lost. A slice of another table has one
byte for each position. A distance table holds the tricks to the end, 0 for draws and for hands of
one card. A progress table says when the outcome was proved (`solver.complete.build`): 2 * round - 1
for a win, 2 * round for a loss, 0 for draws. The two hands that are no position (empty and full)
hold zeros.

The structure is checked when a table is opened, a chunk when it is first read; `Table.check` reads
the whole file.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import struct
import weakref
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from engine.cards import MAX_RANKS
from engine.errors import ChallengeError
from solver.core.bitboard import slices
from solver.core.files import open_regular, user_folder, whole_file

if TYPE_CHECKING:
    import numpy as np

KINDS = ("outcome", "distance", "progress")
MAGIC = b"CHALLTAB"
VERSION = 1
LZMA_FILTERS: list[dict[str, Any]] = [
    {"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 0, "pb": 0, "dict_size": 1 << 18}
]
CHUNK_BYTES = 1 << 18
"""Uncompressed size of a chunk: small enough to unpack in milliseconds, large enough to compress
well."""
MOST_ROUNDS = 126
"""A stamp of progress is a byte; so many rounds have stamps up to 252."""
OPEN_CHUNKS = 128
"""Chunks of one table kept unpacked at most, the latest used."""

_HEADER = struct.Struct("<8sHBBIII3Q32s")
DATA = Path(__file__).parent.parent / "data"


class TableError(ChallengeError):
    """A file that is no table, or a broken one: truncated, altered, of another version."""


class MissingTable(TableError):
    """There is no table for a deck."""


def slice_bytes(ranks: int, kind: str) -> int:
    """The size of one uncompressed slice in bytes."""
    positions = 1 << 2 * ranks
    return 2 * max(1, positions // 8) if kind == "outcome" else positions


def file_name(ranks: int, kind: str) -> str:
    """The name of the file of a table."""
    return f"ranks{ranks}.{kind}"


def packed_name(ranks: int, kind: str) -> str:
    """The name of the first part of a packed table (`solver.complete.packed`)."""
    return f"{file_name(ranks, kind)}.1"


def part_path(first: Path, number: int) -> Path:
    """The file of a part of a packed table, beside the first one."""
    return first.with_suffix(f".{number}") if first.suffix == ".1" else first


def layer_path(path: Path, rounds: int) -> Path:
    """Where the first rounds of a packed table are, if they are in one of their own: beside it."""
    return path.with_name(f"{path.name.rsplit('.', 2)[0]}.rounds{rounds}.1")


def has_all_parts(first: Path) -> bool:
    """Whether all files of a packed table are there."""
    try:
        with open_regular(first) as file:
            header = file.read(20)
    except OSError:
        return False
    parts, after = (int.from_bytes(header[i : i + 2], "little") for i in (14, 18))
    if after and not has_all_parts(layer_path(first, after)):
        return False
    return all(os.path.exists(part_path(first, number)) for number in range(2, parts + 1))


def table_path(ranks: int, kind: str) -> Path:
    """Where a table that is built goes, unless told otherwise: over the one that is found, or else,
    also where a package may not be written to, into the user's folder. Progress is packed."""
    found = find_table(ranks, kind)
    folder = found.parent if found and os.access(found.parent, os.W_OK) else user_folder()
    return folder / (packed_name if kind == "progress" else file_name)(ranks, kind)


def write_table(
    path: Path, ranks: int, kind: str, totals: tuple[int, int, int], content: Iterable[bytes]
) -> None:
    """Write a table from its slices, in order.

    `totals`: wins, losses and draws among all base positions.
    """
    size = slice_bytes(ranks, kind)
    per_chunk = max(1, CHUNK_BYTES // size)
    count = -(-slices(ranks) // per_chunk)
    index_bytes = 8 * (count + 1) + 4 * count
    digest = hashlib.sha256()
    offsets, checks = [_HEADER.size + index_bytes], []
    with whole_file(path) as file:
        file.seek(offsets[0])
        for packed in _packed(_chunks(content, per_chunk), digest):
            file.write(packed)
            offsets.append(offsets[-1] + len(packed))
            checks.append(zlib.crc32(packed))
        if len(checks) != count:
            raise ValueError(f"{len(checks)} chunks given, expected {count}")
        index = struct.pack(f"<{count + 1}Q{count}I", *offsets, *checks)
        fields = (MAGIC, VERSION, KINDS.index(kind), ranks, per_chunk, count)
        check = zlib.crc32(index, zlib.crc32(_HEADER.pack(*fields, 0, *totals, digest.digest())))
        file.seek(0)
        file.write(_HEADER.pack(*fields, check, *totals, digest.digest()) + index)


def _packed(chunks: Iterable[bytes], digest: Any) -> Iterator[bytes]:
    """The chunks compressed, on all processors; adds them to the digest."""
    from concurrent.futures import Future, ThreadPoolExecutor  # not needed to read a table

    def pack(chunk: bytes) -> bytes:
        return lzma.compress(chunk, lzma.FORMAT_RAW, filters=LZMA_FILTERS)

    threads = os.cpu_count() or 1
    waiting: deque[Future[bytes]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for chunk in chunks:
            digest.update(chunk)
            waiting.append(pool.submit(pack, chunk))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        for packed in waiting:
            yield packed.result()


def _chunks(content: Iterable[bytes], per_chunk: int) -> Iterator[bytes]:
    group: list[bytes] = []
    for piece in content:
        group.append(piece)
        if len(group) == per_chunk:
            yield b"".join(group)
            group.clear()
    if group:
        yield b"".join(group)


class Table:
    """An open table file, which threads may share.

    Raises TableError if it is none, truncated, altered, impossible or of another version.
    """

    path: Path
    ranks: int
    kind: str
    wins: int
    losses: int
    draws: int
    digest: str
    """SHA-256 of the uncompressed content, in hexadecimal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open_regular(path) as file:
                self._descriptor = os.dup(file.fileno())
        except OSError as error:
            raise TableError(f"cannot read the table {path}: {error.strerror}") from None
        weakref.finalize(self, os.close, self._descriptor)
        self._reading = Lock()
        self.size_bytes = os.fstat(self._descriptor).st_size
        """The size of the file."""
        if not self.size_bytes:
            raise TableError(f"cannot read the table {path}: the file is empty")
        header = self._read(0, min(_HEADER.size, self.size_bytes))
        if header[: len(MAGIC)] != MAGIC:
            raise TableError(f"{path} is no table file: it does not begin with {MAGIC.decode()}")
        if len(header) < _HEADER.size:
            raise TableError(f"{path} is truncated: it ends within its header")
        fields = list(_HEADER.unpack(header))
        _, version, kind, self.ranks, self._per_chunk, count, check = fields[:7]
        self.wins, self.losses, self.draws, digest = fields[7:]
        self.digest = digest.hex()
        if version != VERSION:
            raise TableError(f"{path} has format version {version}, expected {VERSION}")
        index_end = _HEADER.size + 12 * count + 8
        if self.size_bytes < index_end:
            raise TableError(f"{path} is truncated: it ends within its index")
        index = self._read(_HEADER.size, index_end - _HEADER.size)
        fields[6] = 0
        if zlib.crc32(index, zlib.crc32(_HEADER.pack(*fields))) != check:
            raise TableError(f"{path} has been altered: the check sum of its header does not match")
        numbers = struct.unpack(f"<{count + 1}Q{count}I", index)
        self._offsets, self._checks = numbers[: count + 1], numbers[count + 1 :]
        if self.size_bytes != self._offsets[-1]:
            raise TableError(
                f"{path} is truncated or has grown: {self.size_bytes} bytes, "
                f"expected {self._offsets[-1]}"
            )
        if not (kind < len(KINDS) and 1 <= self.ranks <= MAX_RANKS):
            raise TableError(f"{path} is of kind {kind} for {self.ranks} ranks, which do not exist")
        self.kind = KINDS[kind]
        self.slice_bytes = slice_bytes(self.ranks, self.kind)
        if self.wins + self.losses + self.draws != self.positions:
            raise TableError(
                f"{path} claims {self.wins} wins, {self.losses} losses and {self.draws} draws, "
                f"not {self.positions} in all"
            )
        at_most = max(1, CHUNK_BYTES // self.slice_bytes)
        if not 1 <= self._per_chunk <= at_most or count != -(
            -slices(self.ranks) // self._per_chunk
        ):
            raise TableError(
                f"{path} claims {count} chunks of {self._per_chunk} slices, "
                f"not {slices(self.ranks)} slices in all, at most {at_most} in a chunk"
            )
        steps = pairwise(self._offsets)
        if self._offsets[0] != index_end or any(start >= end for start, end in steps):
            raise TableError(f"{path} has chunks that do not follow one another")
        self._recent: dict[int, bytes] = {}
        self._older: dict[int, bytes] = {}
        """Unpacked chunks. When so many are recent that half the room is taken, they become older
        and those that were older go: what is in use is kept, and a hit needs no lock."""
        self._lock = Lock()

    @property
    def positions(self) -> int:
        """The number of base positions of the deck."""
        return (1 << 4 * self.ranks) - 2

    def _read(self, start: int, size: int) -> bytes:
        """Bytes of the file, which is not mapped: it could be cut short while it is open."""
        try:
            if hasattr(os, "pread"):  # a forked process has the same place in the file
                data = os.pread(self._descriptor, size, start)
            else:
                with self._reading:
                    os.lseek(self._descriptor, start, os.SEEK_SET)
                    data = os.read(self._descriptor, size)
        except OSError as error:
            raise TableError(f"cannot read the table {self.path}: {error.strerror}") from None
        if len(data) != size:
            raise TableError(f"{self.path} has been truncated since it was opened")
        return data

    def _chunk(self, number: int) -> bytes:
        start, end = self._offsets[number : number + 2]
        packed = self._read(start, end - start)
        if zlib.crc32(packed) != self._checks[number]:
            raise TableError(f"{self.path} has been altered: chunk {number} fails its check sum")
        first = number * self._per_chunk
        size = min(self._per_chunk, slices(self.ranks) - first) * self.slice_bytes
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_RAW, None, LZMA_FILTERS)
        try:
            data = unpacker.decompress(packed, size + 1)  # no more, whatever it would unpack to
        except lzma.LZMAError:
            data = b""
        if len(data) != size or not unpacker.eof or unpacker.unused_data:
            raise TableError(f"{self.path}: chunk {number} does not unpack to {size} bytes")
        return data

    def slice(self, number: int) -> tuple[bytes, int]:
        """An unpacked chunk and the offset in it at which slice `number` begins."""
        chunk, place = divmod(number, self._per_chunk)
        data = self._recent.get(chunk)
        if data is None:
            data = self._find_chunk(chunk)
        return data, place * self.slice_bytes

    def _find_chunk(self, number: int) -> bytes:
        """A chunk that may be older, or has to be unpacked; recent from now on."""
        with self._lock:
            data = self._recent.get(number) or self._older.get(number) or self._chunk(number)
            if len(self._recent) >= OPEN_CHUNKS // 2:
                self._older, self._recent = self._recent, {}
            self._recent[number] = data
            return data

    def content(self) -> Iterator[bytes]:
        """All chunks, unpacked, in order.

        Raises TableError at the end if the digest does not match.
        """
        digest = hashlib.sha256()
        for number in range(len(self._checks)):
            chunk = self._chunk(number)
            digest.update(chunk)
            yield chunk
        if digest.hexdigest() != self.digest:
            raise TableError(f"{self.path} has been altered: its content does not match its digest")

    def unpack(self) -> np.ndarray:
        """The whole content as a uint8 array; every chunk is checked."""
        import numpy as np

        content = np.empty(slices(self.ranks) * self.slice_bytes, np.uint8)
        start = 0
        for number in range(len(self._checks)):
            chunk = self._chunk(number)
            content[start : start + len(chunk)] = np.frombuffer(chunk, np.uint8)
            start += len(chunk)
        return content

    def check(self) -> None:
        """Read the whole file; raises TableError if anything in it has been altered."""
        for _ in self.content():
            pass


def find_table(ranks: int, kind: str) -> Path | None:
    """The file of a table, in this package or else in the user's folder; None if there is none."""
    return find_in(DATA, ranks, kind) or find_in(user_folder(), ranks, kind)


def find_rounds(ranks: int) -> Path | None:
    """What the first rounds of a build prove, where a table of progress is not complete: the first
    part of the table of most rounds, in this package or else in the user's folder."""
    for folder in (DATA, user_folder()):
        for rounds in range(MOST_ROUNDS, 0, -1):
            path = layer_path(folder / packed_name(ranks, "progress"), rounds)
            if has_all_parts(path):
                return path
    return None


def find_in(folder: Path, ranks: int, kind: str) -> Path | None:
    """The file of a table in a folder: the first part of a packed one, if all parts are there."""
    packed = folder / packed_name(ranks, kind)
    if has_all_parts(packed):
        return packed
    path = folder / file_name(ranks, kind)
    return path if os.path.exists(path) else None  # also where the folder cannot be read
