"""Searches that tell how far they are and can be stopped: a stream of events for each."""

from __future__ import annotations

import threading
import time
from asyncio import sleep
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from cli.web.answers import describe
from cli.web.pool import Pool
from engine.errors import GameError
from engine.position import Position
from solver.solver import solution_of

if TYPE_CHECKING:
    from solver.single.claims import Memory
    from solver.single.run import Run

AT_ONCE = 2
MEMORY = 512 << 20
"""Bytes for each search."""
MOST_SECONDS = 3600
EVERY = 0.25
"""Seconds between two events."""


class Searches:
    """Searches of all users, `AT_ONCE` at once; what one has proved serves the next of its deck."""

    def __init__(self, at_once: int = AT_ONCE, memory: int = MEMORY) -> None:
        self._pool = Pool(at_once, 0)
        self._bytes = memory
        self._spare: list[Memory] = []
        self._at_work = 0
        self._running: set[Search] = set()
        self._lock = threading.Lock()

    async def events(self, position: Position, seconds: float) -> AsyncIterator[dict[str, Any]]:
        """How a search is getting on, every now and then; the last one is the solution.

        It ends when the outcome is proved, after so many seconds, when its memory is full, or when
        nobody asks for events any more. Raises Busy, GameError.
        """
        if position.winner is not None:
            raise GameError(f"the game is over: player {position.winner} has won")
        search = Search(position, seconds)
        future = self._pool.start(self._work, search)
        self._running.add(search)
        try:
            while not future.done():
                yield search.state()
                for _ in range(int(EVERY / 0.025)):
                    if not future.done():
                        await sleep(0.025)
            yield future.result()
        finally:
            search.give_up()
            self._running.discard(search)

    def _work(self, search: Search) -> dict[str, Any]:
        """Search in this thread until there is nothing more to do; what it has found."""
        ranks = search.position.ranks
        with self._lock:
            same = [memory for memory in self._spare if memory.ranks == ranks]
            memory = same[0] if same else None
            self._at_work += 1
            room = AT_ONCE - self._at_work  # there are never more memories than searches at once
            self._spare = [spare for spare in self._spare if spare is not memory][:room]
        try:
            if memory is None:
                from solver.single.claims import Memory

                memory = Memory(ranks, self._bytes)
            return search.find(memory)
        finally:
            with self._lock:
                self._at_work -= 1
                if memory is not None and not memory.full:
                    self._spare.append(memory)

    def close(self) -> None:
        """Stop all searches."""
        for search in list(self._running):
            search.give_up()
        self._pool.close()


class Search:
    """One search: `find` runs in a thread, all else is called from another."""

    def __init__(self, position: Position, seconds: float) -> None:
        self.position = position
        self._seconds = seconds
        self._run: Run | None = None
        self._given_up = False

    def find(self, memory: Memory) -> dict[str, Any]:
        """What the search has found, in the form of `/api/v1/solve`."""
        from solver.single import run, search

        started = time.perf_counter()
        self._run = run.Run(search.Search(self.position, memory), memory, None, self._seconds)
        if not self._given_up:
            self._run()
        return {"event": "result", **describe(solution_of(self._run, started))}

    def give_up(self) -> None:
        """Make the search end soon: nobody wants to know any more."""
        self._given_up = True
        if self._run is not None:
            threading.Thread(target=self._run.halt, daemon=True).start()

    def state(self) -> dict[str, Any]:
        """How far the search is."""
        run, proved = self._run, {}
        if run is not None:
            with suppress(RuntimeError):  # it grows meanwhile
                proved = {str(action): found for action, found in run.search.outcomes.items()}
        return {
            "event": "progress",
            "seconds": round(run.seconds, 2) if run else 0.0,
            "nodes": run.nodes if run else 0,
            "memory": run.memory.used if run else 0,
            "tricks": run.search.tricks if run else 0,
            "proved": proved,
        }
