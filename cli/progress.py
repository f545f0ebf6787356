"""What long work shows on a terminal: a progress bar, or a line of text."""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType

WIDTH = 30
INTERVAL = 0.1
"""Seconds between two pictures."""


class Progress:
    """A bar on standard error while the block runs; nothing if that is no terminal."""

    def __enter__(self) -> Progress:
        self._shown = sys.stderr.isatty()
        self._next = 0.0
        return self

    def __call__(self, done: float, text: str) -> None:
        """Show that the part `done` (0 to 1) of the work is done."""
        if time.monotonic() >= self._next:
            self.now(done, text)

    def now(self, done: float, text: str) -> None:
        """The same, however short ago another picture was."""
        if self._shown:
            self._next = time.monotonic() + INTERVAL
            filled = int(done * WIDTH)
            _write(f"[{'#' * filled}{'-' * (WIDTH - filled)}] {done:4.0%}  {text}")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            _write("")


class Status:
    """A line of text on standard error, replaced by the next; nothing if that is no terminal."""

    def __init__(self) -> None:
        self._is_shown = False

    def show(self, text: str) -> None:
        """Show a text, as far as there is room on one line."""
        if sys.stderr.isatty():
            self._is_shown = True
            _write(text[: shutil.get_terminal_size().columns - 1])

    def clear(self) -> None:
        """Clear the line, if something is there."""
        if self._is_shown:
            self._is_shown = False
            _write("")


def _write(line: str) -> None:
    sys.stderr.write(f"\r{line}\x1b[K")
    sys.stderr.flush()
