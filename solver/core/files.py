"""Where files are kept, and how they are written: whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def user_folder() -> Path:
    """Where tables are kept that do not come with the package."""
    import platformdirs

    return platformdirs.user_data_path("challenge-solver")


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A binary file that appears under its name when it is complete, or not at all.

    Raises OSError, also where something else than a file, such as a device, has the name.
    """
    path = path.resolve()  # what a link leads to is replaced, not the link
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            file = part.open("wb")
        except OSError as error:  # named after what was asked for
            raise OSError(error.errno, error.strerror, str(path)) from None
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
