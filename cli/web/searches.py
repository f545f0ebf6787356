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
from solver.single.estimate import estimate, estimate_moves
from solver.solution import Effort, Move, Outcome, Solution

if TYPE_CHECKING:
    from solver.single.claims import Memory

AT_ONCE = 2
MEMORY = 512 << 20
"""Bytes for each search."""
MOST_SECONDS = 3600
EVERY = 0.25
"""Seconds between two events."""
_ORDER = (Outcome.WIN, Outcome.DRAW, Outcome.UNDECIDED, Outcome.LOSS)


class Searches:
    """Searches of all users, `AT_ONCE` at once; what one has proved serves the next of its deck."""

    def __init__(self, at_once: int = AT_ONCE, memory: int = MEMORY) -> None:
        self._pool = Pool(at_once, 0)
        self._bytes = memory
        self._spare: list[Memory] = []
        self._at_work = 0
        self._running: set[Run] = set()
        self._lock = threading.Lock()

    async def events(self, position: Position, seconds: float) -> AsyncIterator[dict[str, Any]]:
        """How a search is getting on, every now and then; the last one is the solution.

        It ends when the outcome is proved, after so many seconds, when its memory is full, or when
        nobody asks for events any more. Raises Busy, GameError.
        """
        if position.winner is not None:
            raise GameError(f"the game is over: player {position.winner} has won")
        run = Run(position)
        future = self._pool.start(self._work, run)
        self._running.add(run)
        try:
            while not future.done():
                if run.seconds >= seconds:
                    run.stop("time")
                yield run.state()
                for _ in range(int(EVERY / 0.025)):
                    if not future.done():
                        await sleep(0.025)
            future.result()
            yield run.solution()
        finally:
            run.stop("interrupt")
            self._running.discard(run)

    def _work(self, run: Run) -> None:
        """Search in this thread until there is nothing more to do."""
        ranks = run.position.ranks
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
            run.search(memory)
        finally:
            with self._lock:
                self._at_work -= 1
                if memory is not None and not memory.full:
                    self._spare.append(memory)

    def close(self) -> None:
        """Stop all searches."""
        for run in list(self._running):
            run.stop("interrupt")
        self._pool.close()


class Run:
    """One search: `search` runs in a thread, all else is called from another."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self._begun: float | None = None
        self._ended: float | None = None
        self._stopped: str | None = None
        self._memory: Memory | None = None
        self._search: Any = None
        self._before = 0
        self._nodes = 0

    @property
    def seconds(self) -> float:
        """For how long it has searched; loading what that takes does not count."""
        if self._begun is None:
            return 0.0
        return (self._ended or time.perf_counter()) - self._begun

    def search(self, memory: Memory) -> None:
        from solver.single.claims import NO_LIMIT
        from solver.single.search import Search

        try:
            self._before = memory.nodes
            self._search = Search(self.position, memory)
            self._memory = memory
            self._begun = time.perf_counter()
            while not self._stopped and self._search.advance(NO_LIMIT):
                pass
            if not self._search.outcome and not self._stopped:
                self._stopped = "memory" if memory.full else "tricks"
            self._nodes = memory.nodes - self._before
        finally:
            self._ended = time.perf_counter()

    def stop(self, reason: str) -> None:
        """Make the search stop soon, for this reason if it has no other yet."""
        if self._ended is None and self._stopped is None:
            self._stopped = reason
            threading.Thread(target=self._halt, daemon=True).start()

    def _halt(self) -> None:
        """Interrupt again and again: the search may be between two tests."""
        while self._ended is None:
            if self._memory is not None:
                self._memory.interrupt()
            time.sleep(0.005)

    def state(self) -> dict[str, Any]:
        """How far the search is."""
        memory, search = self._memory, self._search
        proved = {}
        if search is not None:
            with suppress(RuntimeError):  # it grows meanwhile
                proved = {str(action): outcome for action, outcome in search.outcomes.items()}
        return {
            "event": "progress",
            "seconds": round(self.seconds, 2),
            "nodes": memory.nodes - self._before if memory is not None else 0,
            "memory": memory.used if memory is not None else 0,
            "tricks": search.tricks if search is not None else 0,
            "proved": proved,
        }

    def solution(self) -> dict[str, Any]:
        """What the search has found, in the form of `/api/v1/solve`."""
        search, memory = self._search, self._memory
        outcome = Outcome(search.outcome or Outcome.UNDECIDED)
        proved = {action: Outcome(found) for action, found in search.outcomes.items()}
        guesses = estimate_moves(self.position)
        moves = [
            Move(action, proved[action], None)
            if action in proved
            else Move(action, Outcome.UNDECIDED, None, guesses[action])
            for action in self.position.legal_actions()
        ]
        moves.sort(key=lambda move: _ORDER.index(move.outcome))
        best = tuple(move.action for move in moves if move.outcome == outcome != "undecided")
        effort = Effort(self._nodes, memory.used if memory else 0, self._stopped)
        found = Solution(
            self.position,
            outcome,
            None,
            tuple(moves),
            best,
            None,
            None,
            "search",
            self.seconds,
            effort if not search.outcome else Effort(effort.nodes, effort.memory, None),
            None if search.outcome else estimate(self.position),
        )
        return {"event": "result", **describe(found)}
