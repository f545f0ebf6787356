"""How files are read and written: whole or not at all, by one process at a time.

Beside a file that is being written lie hidden files of this program: `.NAME.challenge-part` will be
the file, `.NAME.challenge-lock` says that somebody is at work. Both are locked (`flock`), so they
count only as long as their process lives; when it is killed, the next one removes what it has left.
Where the system has no such locks, two writers do not notice each other.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from engine.errors import GameError

try:
    import fcntl
except ImportError:  # not POSIX
    fcntl = None  # type: ignore[assignment]

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_held: set[int] = set()
"""The descriptors of locked files; a forked process lets go of them, or it would hold the locks."""


def _let_go() -> None:
    for descriptor in _held:
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


def user_folder() -> Path:
    """Where tables are kept that do not come with the package."""
    import platformdirs

    return platformdirs.user_data_path("challenge-solver")


def cache_folder() -> Path:
    """Where files are kept that can be made again."""
    import platformdirs

    return platformdirs.user_cache_path("challenge-solver")


class _Named(io.FileIO):
    """An open file whose errors are named after it."""

    def __init__(self, descriptor: int, path: Path, mode: str = "r+") -> None:
        super().__init__(descriptor, mode)
        self._path = path

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None

    def readinto(self, buffer: Any) -> int:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None


class _Appended(io.BufferedRandom):
    """A file to read, and to append to without a buffer.

    A buffer whose writing is interrupted, when all is written but nobody knows, would be written
    once more in the end.
    """

    def write(self, data: Any) -> int:
        left = memoryview(data)
        while left:
            left = left[self.raw.write(left) :]
        self.seek(0, os.SEEK_END)  # what was read ahead no longer counts
        return len(data)


def open_regular(path: Path) -> io.BufferedReader:
    """A regular file to read. Raises OSError, also for a pipe or a device, without waiting."""
    descriptor = _open(path, os.O_RDONLY)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        code, what = errno.EINVAL, "not a regular file"
        if stat.S_ISDIR(mode):
            code, what = errno.EISDIR, os.strerror(errno.EISDIR)
        raise OSError(code, what, str(path))
    return io.BufferedReader(_Named(descriptor, path, "r"))


def open_pipe(path: Path) -> io.BufferedWriter:
    """A pipe or a device to write to; waits for a reader. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | _BINARY)
    return io.BufferedWriter(_Named(descriptor, path, "w"))


def open_to_append(path: Path) -> BinaryIO:
    """A file to append to and to read, locked until `unlock`; made if there is none.

    Raises OSError, also if it is no regular file, or is being written by somebody else.
    """
    path = target(path)
    while True:
        file = _Appended(_Named(_open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND), path))
        try:
            if lock(file, path):
                file.seek(0, os.SEEK_END)
                return file
        except BaseException:
            unlock(file)
            raise
        unlock(file)  # it was removed before it was locked


def open_own_to_append(name: Path, path: Path) -> BinaryIO:
    """A file of this program beside `path`, as `open_to_append` gives it, but never over a link.

    Raises OSError, named after `path`, also if `name` is something that this program does not make.
    """
    return _own_file(name, path, append=True)


def check_new(path: Path, force: bool, also: str = "") -> None:
    """Raise GameError if there is a file already that would be lost; `force`: it may be.

    Raises OSError where `whole_file` would.
    """
    file = target(path)
    if not force and file.exists() and file.stat().st_size:
        raise GameError(f"{path} is there already, expected {also}--force or another name")


def check_different(**files: Path | None) -> None:
    """Raise GameError if two of these are one file: by links, or where case does not count."""
    given = [(what.replace("_", " "), path) for what, path in files.items() if path is not None]
    for i, (what, path) in enumerate(given):
        for other, before in given[:i]:
            if same_file(path, before):
                raise GameError(
                    f"the {other} and the {what} would be the same file {path}, "
                    "expected different names"
                )


def same_file(one: Path, other: Path) -> bool:
    """Whether two names are, or might become, those of one file."""
    with suppress(OSError):
        return os.path.samefile(one, other)
    return os.path.realpath(one).casefold() == os.path.realpath(other).casefold()


def lock(file: IO[bytes], path: Path) -> bool:
    """Lock an open file until it is closed; False if it has lost its name `path` meanwhile.

    Raises OSError (EBUSY) if another process, or another part of this one, has locked it.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(errno.EBUSY, "another process is writing it", str(path)) from None
    except OSError:  # a file system without locks
        pass
    _held.add(file.fileno())
    with suppress(OSError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


def unlock(file: IO[bytes]) -> None:
    """Close a file that was locked."""
    if not file.closed:
        _held.discard(file.fileno())
        file.close()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Nobody else is in such a block with the same file, which need not be there.

    Raises OSError (EBUSY) if somebody is.
    """
    path = target(path)
    beside = path.with_name(f".{path.name}.challenge-lock")
    file = _own_file(beside, path)
    try:
        yield
    finally:
        if fcntl is not None:  # elsewhere an open file cannot be removed
            beside.unlink(missing_ok=True)
        unlock(file)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A binary file that appears under its name when it is complete, or not at all.

    When the block is done, the file and its name are on the disk. Raises OSError, also where
    something else than a file, such as a device, has the name, and if the file is being written by
    somebody else.
    """
    path = target(path)
    part = path.with_name(f".{path.name}.challenge-part")
    file = _own_file(part, path)
    try:
        file.truncate(0)
        yield file
        file.flush()
        with suppress(FileNotFoundError, AttributeError):
            os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
        sync(file, path)
        if fcntl is None:
            file.close()
        os.replace(part, path)
        sync_folder(path)
    except BaseException:
        with suppress(OSError, ValueError):
            if os.path.samestat(os.fstat(file.fileno()), part.lstat()):
                part.unlink()
        raise
    finally:
        with suppress(OSError):
            unlock(file)


def sync(file: IO[bytes], path: Path) -> None:
    """Bring what was written to the disk."""
    try:
        os.fsync(file.fileno())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def sync_folder(path: Path) -> None:
    """Bring the name of a file to the disk, where the system can."""
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def target(path: Path) -> Path:
    """What a name leads to, over links; it must be a regular file, or nothing yet."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # links that go round
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return target


def _own_file(name: Path, path: Path, append: bool = False) -> BinaryIO:
    """A file of this program beside `path`, new or left by a dead process, and locked."""
    flags = os.O_RDWR | os.O_CREAT | _NO_LINK | (os.O_APPEND if append else 0)
    while True:
        try:
            descriptor = _open(name, flags, path)
        except OSError as error:
            what = {errno.EISDIR: "directory", errno.ELOOP: "link"}.get(error.errno or 0)
            if what is None:
                raise
            raise OSError(error.errno, f"the {what} {name} is in the way", str(path)) from None
        raw = _Named(descriptor, path)
        file: BinaryIO = raw
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                raise OSError(errno.EINVAL, f"{name} is in the way", str(path))
            file = _Appended(raw) if append else io.BufferedRandom(raw)
            if _lock_own(file, name, path):
                file.seek(0, os.SEEK_END if append else os.SEEK_SET)
                return file
        except BaseException:
            unlock(file)
            raise
        unlock(file)  # it was renamed or removed before it was locked


def _lock_own(file: BinaryIO, name: Path, path: Path) -> bool:
    try:
        return lock(file, name)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _open(name: Path, flags: int, path: Path | None = None) -> int:
    """A descriptor; errors are named after what was asked for."""
    try:
        return os.open(name, flags | _NO_WAIT | _BINARY | getattr(os, "O_CLOEXEC", 0), 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path or name)) from None
