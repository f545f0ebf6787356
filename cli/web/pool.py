"""Threads that do the work of the server, so many at once and so many waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Busy(Exception):
    """There is too much to do already."""


class Pool:
    """Runs functions in threads of its own. Belongs to one event loop."""

    def __init__(self, threads: int, waiting: int) -> None:
        self._executor = ThreadPoolExecutor(threads, "challenge-web")
        self._most = threads + waiting
        self._present = 0

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function gives. Raises Busy if too many calls are waiting."""
        return await asyncio.wrap_future(self.start(function, *args, **kwargs))

    def start(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The same, not waiting for the result."""
        if self._present >= self._most:
            raise Busy
        loop = asyncio.get_running_loop()
        self._present += 1
        future = self._executor.submit(function, *args, **kwargs)
        future.add_done_callback(lambda _: self._tell(loop))
        return future

    def _tell(self, loop: asyncio.AbstractEventLoop) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._done)

    def _done(self) -> None:
        self._present -= 1

    def close(self) -> None:
        """Let no more calls in; those that wait are dropped."""
        self._executor.shutdown(wait=False, cancel_futures=True)
