"""Packed tables probed: unpacked once, into a file of the user's cache folder, then mapped.

The file has a byte for each position by table index, as slices have it. Its header says of which
content it is, and has a check sum of each slice:

    offset  size
         0     8  the bytes "CHALLOPN"
         8     1  format version: 1
         9     1  ranks
        10     2  zero
        12     4  CRC-32 of what follows, up to the content
        16     8  its time of modification, in seconds: just before it was written
        24    32  SHA-256 of the content
        56    4s  CRC-32 of each of the s slices
                  zeros up to a multiple of 4096, then the content

It gets its name when it is complete and checked against the digest of the packed table, so a torn
one does not exist. It is mapped, so nobody may cut it short while it is in use; to remove it does
no harm. As long as its time of modification is the one in its header nobody has written
to it; otherwise it is read through before it is used. What fails is made again.
"""

from __future__ import annotations

import errno
import hashlib
import mmap
import os
import shutil
import struct
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, BinaryIO

from solver.complete.packed import MAGIC as PACKED_MAGIC
from solver.complete.packed import PackedFile
from solver.complete.table import Table, TableError
from solver.core.bitboard import slices
from solver.core.files import cache_folder, open_regular, whole_file

if TYPE_CHECKING:
    import numpy as np

MAGIC = b"CHALLOPN"
VERSION = 1
MEMORY_RANKS = 7
"""Up to so many ranks a table that cannot be written is unpacked in memory: 135 MB, a few
seconds."""
_HEADER = struct.Struct("<8sBBHIQ32s")
_ALIGNMENT = 4096
_PAUSE = 0.2
"""Seconds between two looks at what another process unpacks."""
_PIECE = 1 << 24
"""Bytes read at once: Ctrl-C waits for no more."""
_EVEN = 2
"""Some file systems keep times in steps of two seconds."""

Report = Callable[[float], None]


class UnpackError(TableError):
    """A packed table that cannot be unpacked here: the disk is full, or the folder read-only."""


def unpacked_bytes(ranks: int) -> int:
    """The size of the content of an unpacked table."""
    return slices(ranks) << 2 * ranks


def _content_start(ranks: int) -> int:
    return -(-(_HEADER.size + 4 * slices(ranks)) // _ALIGNMENT) * _ALIGNMENT


class PackedTable:
    """A packed table of progress, which can be probed like a `Table`, and shared by threads.

    What needs its content unpacks it: that takes seconds with 7 ranks, a minute with 8. `prepare`
    does it with a report. Raises TableError if a file is broken, UnpackError if there is no room.
    """

    kind = "progress"
    path: Path
    """The first part."""
    ranks: int
    wins: int
    losses: int
    draws: int
    digest: str
    """SHA-256 of the unpacked content, in hexadecimal; that of a `Table` of the same content."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = PackedFile(path)
        self.ranks = self._file.facts.ranks
        self.wins, self.losses, self.draws = self._file.facts.totals
        self.digest = self._file.facts.digest.hex()
        self.slice_bytes = 1 << 2 * self.ranks
        self.cache = cache_folder() / f"ranks{self.ranks}.{self.digest[:16]}.unpacked"
        """Where the content is unpacked."""
        self._lock = RLock()
        self._at_work = RLock()
        """Of the thread that unpacks; `ready` does not wait for it."""
        self._content: _Content | None = None
        self._failure: UnpackError | None = None

    @property
    def size_bytes(self) -> int:
        """The size of its files, packed."""
        return self._file.size_bytes

    @property
    def paths(self) -> list[Path]:
        """Its files."""
        return self._file.paths

    @property
    def positions(self) -> int:
        """The number of base positions of the deck."""
        return (1 << 4 * self.ranks) - 2

    @property
    def ready(self) -> bool:
        """Whether it is unpacked, in memory or in a file; not while it is being unpacked."""
        with self._lock:
            if self._content is None:
                self._content = _Content.open(self.cache, self.ranks, self._file.facts.digest)
            return self._content is not None

    @property
    def failed(self) -> bool:
        """Whether it could not be unpacked. Nobody tries again before `release`."""
        return self._failure is not None

    def prepare(self, report: Report = lambda done: None, threads: int | None = None) -> None:
        """Unpack it, unless it is; `report` is called with the part that is done, from 0 to 1.

        Ctrl-C stops it, and leaves nothing behind. Raises TableError, UnpackError.
        """
        if self.ready:
            return
        with self._at_work:
            if self.ready:
                return
            if self._failure:
                raise self._failure
            try:
                while not self._unpack_to_file(report, threads):
                    time.sleep(_PAUSE)
                    if self.ready:  # the other process has done it
                        return
            except OSError as error:
                if self.ranks <= MEMORY_RANKS:
                    self._content = self._unpack_to_memory(report, threads)
                    return
                self._failure = UnpackError(
                    f"cannot unpack the progress of {self.ranks} ranks "
                    f"({unpacked_bytes(self.ranks) / 1e9:.1f} GB) into {self.cache.parent}: "
                    f"{error.strerror}"
                )
                raise self._failure from None
            if not self.ready:
                raise TableError(f"{self.cache} cannot be read after it was written")

    def _unpack_to_memory(self, report: Report, threads: int | None) -> _Content:
        import numpy as np

        from solver.complete.coder import decode_blocks

        content = np.empty((slices(self.ranks), self.slice_bytes), np.uint8)

        def receive(numbers: np.ndarray, part: np.ndarray) -> None:
            content[numbers] = part

        decode_blocks(self._file, receive, report, threads)
        if hashlib.sha256(content.data).hexdigest() != self.digest:
            raise self._wrong()
        return _Content(self.cache, self.ranks, memoryview(content.data).cast("B"), 0, ())

    def _unpack_to_file(self, report: Report, threads: int | None) -> bool:
        """Whether it has done so; not if another process is at it. Raises OSError."""
        from solver.complete.coder import decode_blocks

        start, size = _content_start(self.ranks), self.slice_bytes
        checks = [0] * slices(self.ranks)
        self.cache.parent.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(self.cache.parent).free < unpacked_bytes(self.ranks):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.cache))
        try:
            with whole_file(self.cache) as file:
                file.truncate(start + unpacked_bytes(self.ranks))

                def receive(numbers: np.ndarray, rows: np.ndarray) -> None:
                    for number, content in zip(numbers.tolist(), rows, strict=True):
                        checks[number] = zlib.crc32(content)
                        file.seek(start + number * size)
                        file.write(content.data)

                decode_blocks(self._file, receive, lambda done: report(0.95 * done), threads)
                self._check_digest(file, report)
                # A time that no later write has.
                dated = int(time.time()) // _EVEN * _EVEN - 2 * _EVEN
                facts = self._file.facts
                after = struct.pack(f"<Q32s{len(checks)}I", dated, facts.digest, *checks)
                after += bytes(start - _HEADER.size - 4 * len(checks))
                before = struct.pack("<8sBBHI", MAGIC, VERSION, self.ranks, 0, zlib.crc32(after))
                file.seek(0)
                file.write(before + after)
                report(1.0)
        except OSError as error:
            if error.errno == errno.EBUSY:
                return False
            raise
        os.utime(self.cache, (dated, dated))
        return True

    def _check_digest(self, file: BinaryIO, report: Report) -> None:
        """Raise TableError unless the content of the file is what was packed."""
        digest, total = hashlib.sha256(), unpacked_bytes(self.ranks)
        file.seek(_content_start(self.ranks))
        for done in range(0, total, _PIECE):
            digest.update(file.read(min(_PIECE, total - done)))
            report(0.95 + 0.05 * done / total)
        if digest.hexdigest() != self.digest:
            raise self._wrong()

    def _wrong(self) -> TableError:
        return TableError(f"{self.path} has been altered: its content does not match its digest")

    def slice(self, number: int) -> tuple[Any, int]:
        """The content, and the offset in it at which slice `number` begins; the slice is checked.

        Unpacks the table first. A file that has been altered is made again.
        """
        for last in (False, True):
            self.prepare()
            with self._lock:
                content = self._content
            if content is None:  # released at this moment
                continue
            if content.is_sound(number):
                return content.data, content.start + number * self.slice_bytes
            self._discard(content)
            if last:
                raise TableError(f"{self.cache} is altered again and again")
        raise TableError(f"{self.cache} is released again and again")

    def unpack(self) -> np.ndarray:
        """The whole content by table index, uint8; a read-only map of the unpacked file."""
        import numpy as np

        self.prepare()
        with self._lock:
            assert self._content
            return np.frombuffer(
                self._content.data, np.uint8, unpacked_bytes(self.ranks), self._content.start
            )

    def check(self) -> None:
        """Read all files, and the unpacked one if it is there; it is made again if it is altered.

        Raises TableError if anything in them has been altered.
        """
        for _ in self._file.blocks():
            pass
        with self._lock:
            if self.ready and self._content and not self._content.all_sound():
                self._discard(self._content)

    def remove(self) -> bool:
        """Delete the unpacked file; whether there was one."""
        with self._lock:
            self._content = self._failure = None
            try:
                self.cache.unlink()
            except OSError:
                return False
            return True

    def _discard(self, content: _Content) -> None:
        """Forget a content that is not sound, and its file, unless another thread has done so."""
        with self._lock:
            if self._content is content:
                self._content = None
                with suppress(OSError):
                    self.cache.unlink()

    def release(self) -> None:
        """Forget what is unpacked, not the file."""
        with self._lock:
            self._content = self._failure = None


class _Content:
    """Unpacked content: a mapped file, or in memory."""

    def __init__(
        self, path: Path, ranks: int, data: Any, start: int, checks: tuple[int, ...]
    ) -> None:
        """`checks`: the check sums of the slices; () if they need none."""
        self.data = data
        self.start = start
        self._path = path
        self._size = 1 << 2 * ranks
        self._checks = checks
        self._sound = bytearray(len(checks))

    @classmethod
    def open(cls, path: Path, ranks: int, digest: bytes) -> _Content | None:
        """The content of an unpacked file; None if there is none, or a broken one."""
        start = _content_start(ranks)
        try:
            with open_regular(path) as file:
                modified = os.fstat(file.fileno()).st_mtime
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return None
        if len(data) != start + unpacked_bytes(ranks):
            return None
        magic, version, its_ranks, zero, check, written, its_digest = _HEADER.unpack_from(data)
        if (magic, version, its_ranks, zero) != (MAGIC, VERSION, ranks, 0):
            return None
        if its_digest != digest or zlib.crc32(data[16:start]) != check:
            return None
        checks = struct.unpack_from(f"<{slices(ranks)}I", data, _HEADER.size)
        content = cls(path, ranks, data, start, checks)
        if int(modified) // _EVEN * _EVEN != written:
            if not content.all_sound():
                return None
            with suppress(OSError, OverflowError):
                os.utime(path, (written, written))
        return content

    def is_sound(self, number: int) -> bool:
        """Whether a slice has its check sum; it is computed once."""
        if not self._checks or self._sound[number]:
            return True
        place = self.start + number * self._size
        if zlib.crc32(self.data[place : place + self._size]) != self._checks[number]:
            return False
        self._sound[number] = 1
        return True

    def all_sound(self) -> bool:
        """Whether all slices have their check sums."""
        return all(map(self.is_sound, range(len(self._checks))))


def open_table(path: Path) -> Table | PackedTable:
    """The table in a file, of either form. Raises TableError."""
    with suppress(OSError), open_regular(path) as file:
        if file.read(len(PACKED_MAGIC)) == PACKED_MAGIC:
            return PackedTable(path)
    return Table(path)
