"""A search under limits: it says how far it is, and Ctrl-C ends it at any moment.

Python handles Ctrl-C in its main thread and only between two calls of compiled code, which may take
minutes. So a search that is asked for there runs in a thread of its own; the main thread waits,
tells a watcher once a second, and on Ctrl-C lowers the limit of nodes that the compiled code obeys.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from solver.single.claims import NO_LIMIT, Memory
from solver.single.search import Search

INTERVAL = 1.0
"""Seconds between two calls of a watcher."""
GRACE = 0.5
"""Seconds that a search has to end after Ctrl-C; a thread that sorts its memory may take longer and
is left alone: it ends later, and keeps the lock of the memory until then."""


@dataclass(frozen=True, slots=True)
class Looking:
    """How far a search is."""

    tricks: int
    """So many it looks ahead."""
    nodes: int
    facts: int
    """Those that are kept in memory."""
    memory: int
    """Bytes."""
    seconds_left: float | None
    """None if time is not limited."""


Watch = Callable[[Looking], None]


class Run:
    """A search until its outcome is proved, or a limit is reached.

    `max_nodes`, `max_seconds`: None for no limit. Called in one thread; all else is for any other.
    """

    def __init__(
        self, search: Search, memory: Memory, max_nodes: int | None, max_seconds: float | None
    ) -> None:
        self.search = search
        self.memory = memory
        self._max_nodes = max_nodes
        self._max_seconds = max_seconds
        self._before: int | None = None
        self._started = time.perf_counter()
        self._ended: float | None = None
        self._halted = False
        self._done = threading.Event()
        self._error: BaseException | None = None
        self.stopped: str | None = None
        """Why it has ended, if nothing is proved; see `solver.solution.Effort`."""

    def __call__(self, watch: Watch | None = None) -> None:
        """Search, waiting for the lock of the memory; `watch` is called now and then.

        Also returns after Ctrl-C, with what is proved so far.
        """
        try:
            if threading.current_thread() is threading.main_thread():
                self._wait_for(threading.Thread(target=self._work, daemon=True), watch)
            else:
                self._work()
            if self._error:
                raise self._error
        except KeyboardInterrupt:
            self.stopped = "interrupt"

    @property
    def nodes(self) -> int:
        """Lead nodes searched so far."""
        return 0 if self._before is None else self.memory.nodes - self._before

    @property
    def seconds(self) -> float:
        """For how long it has searched; to wait for the memory does not count."""
        if self._before is None:
            return 0.0
        return (self._ended or time.perf_counter()) - self._started

    def _wait_for(self, thread: threading.Thread, watch: Watch | None) -> None:
        try:
            thread.start()
            while not self._done.wait(INTERVAL):  # a join that is interrupted would not tell
                if watch:
                    watch(self._looking())
        except BaseException:  # of the watcher, too
            self.halt()
            raise

    def halt(self) -> None:
        """End the search from another thread, and wait for that, for `GRACE` at most."""
        until = time.perf_counter() + GRACE
        self._halted = True
        self.search.halt()
        while not self._done.wait(0.01) and time.perf_counter() < until:
            self.search.halt()  # it was just about to set its limit

    def _looking(self) -> Looking:
        left = None
        if self._max_seconds is not None:
            left = max(0.0, self._started + self._max_seconds - time.perf_counter())
        memory = self.memory
        return Looking(self.search.tricks, self.nodes, memory.kept, memory.used, left)

    def _work(self) -> None:
        try:
            with self.memory.lock:  # so that its counts are of this search
                self._started = time.perf_counter()
                self._before = self.memory.nodes
                self._advance(self._before)
        except BaseException as error:  # is raised by who waits
            self._error = error
        finally:
            self._ended = time.perf_counter()
            self._done.set()

    def _advance(self, before: int) -> None:
        search, memory = self.search, self.memory
        nodes = NO_LIMIT if self._max_nodes is None else before + self._max_nodes
        now = self._started
        done, most = before, NO_LIMIT
        while search.advance(nodes, most):
            if memory.nodes >= nodes:
                self.stopped = "nodes"
                return
            if self._max_seconds is None:
                continue
            last, now = now, time.perf_counter()
            left = self._started + self._max_seconds - now
            if left <= 0:
                self.stopped = "time"
                return
            # There is time for so many nodes more, at the pace of the last moment.
            most = int(min(NO_LIMIT, left * (memory.nodes - done) / max(now - last, 1e-9)))
            done = memory.nodes
        if not search.outcome:
            self.stopped = "interrupt" if self._halted else "memory" if memory.full else "tricks"
