"""The log of a build by pieces: a folder that is its state.

    build.json       what build it is, JSON
    round.001, …     the pieces that are finished, in the order of the steps

A record is a header (step, piece, tests, proved, nodes, seconds, length), the news, and a check sum
of both. A record that was cut short, as by a kill, ends the log; a damaged one is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from solver.core.checkpoint import CheckpointError
from solver.core.files import locked, open_regular, open_to_append, sync, unlock, whole_file

VERSION = 1
_HEADER = struct.Struct("<IIQQQdQ")
_SUM = 16


class Entry(NamedTuple):
    """A finished piece."""

    step: int
    """Its number in the round, from 0."""
    piece: int
    tests: int
    proved: int
    nodes: int
    seconds: float
    news: bytes


class Log:
    """The log in a folder, locked while the block runs; begun if there is none.

    `work`: what build it is. Raises CheckpointError if the log is damaged or of another build,
    OSError.
    """

    def __init__(self, folder: Path, work: dict[str, Any]) -> None:
        self.folder = folder
        self._work = {"challenge build log": VERSION, **work}
        self._stack = ExitStack()
        self._file: BinaryIO | None = None
        self._round = 0
        self.id = ""

    def __enter__(self) -> Log:
        self.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            path = self.folder / "build.json"
            stack.enter_context(locked(path))
            if not path.exists():
                if any(self.folder.glob("round.*")):
                    raise CheckpointError(f"{self.folder} has rounds of a build, but no {path}")
                with whole_file(path) as file:
                    file.write(json.dumps({**self._work, "id": uuid.uuid4().hex}).encode())
            try:
                with open_regular(path) as file:
                    found = json.loads(file.read(1 << 16))
                self.id = found.pop("id")
            except (ValueError, TypeError, KeyError, AttributeError):
                raise CheckpointError(f"the log {path} is damaged") from None
            if found != self._work:
                raise CheckpointError(f"{self.folder} is the log of another build or version")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._close()
        self._stack.close()

    def _close(self) -> None:
        if self._file is not None:
            unlock(self._file)
            self._file = None

    def path(self, round_: int) -> Path:
        """The file of a round, from 1."""
        return self.folder / f"round.{round_:03}"

    def read(self, round_: int) -> Iterator[Entry]:
        """The finished pieces of a round. A last one that was cut short is left out."""
        for entry, _ in self._read(round_):
            yield entry

    def _read(self, round_: int) -> Iterator[tuple[Entry, int]]:
        path = self.path(round_)
        if not path.exists():
            return
        with open_regular(path) as file:
            while len(header := file.read(_HEADER.size + _SUM)) == _HEADER.size + _SUM:
                if _sum(header[: _HEADER.size]) != header[_HEADER.size :]:
                    raise CheckpointError(f"the log {path} is damaged")
                *facts, length = _HEADER.unpack(header[: _HEADER.size])
                news = file.read(length)
                end = file.read(_SUM)
                if len(end) < _SUM:
                    return
                if _sum(header + news) != end:
                    raise CheckpointError(f"the log {path} is damaged")
                step, piece, tests, proved, nodes, seconds = facts
                yield Entry(step, piece, tests, proved, nodes, seconds, news), file.tell()

    def append(self, round_: int, entry: Entry) -> None:
        """Add a finished piece."""
        if self._file is None or self._round != round_:
            self._close()
            end = 0
            for _, after in self._read(round_):
                end = after
            self._file, self._round = open_to_append(self.path(round_)), round_
            self._file.truncate(end)
        *facts, news = entry
        header = _HEADER.pack(*facts, len(news))
        header += _sum(header)
        self._file.write(header + news + _sum(header + news))

    def sync(self) -> None:
        """Bring what was appended to the disk."""
        if self._file is not None:
            sync(self._file, self.path(self._round))

    def size(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.folder.glob("round.*"))

    def remove(self) -> None:
        """Remove the log; the folder goes too if nothing else is in it."""
        self._close()
        (self.folder / "build.json").unlink(missing_ok=True)
        for path in self.folder.glob("round.*"):
            path.unlink()
        self._stack.close()
        with suppress(OSError):
            os.rmdir(self.folder)


def _sum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_SUM).digest()
