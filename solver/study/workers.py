"""Who solves the deals of a batch: this process, several, or a Dask cluster."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from engine.deals import Deal
from engine.errors import GameError
from solver.study.batch import Record, Solve, load, solve_deal

CHUNK = 32
"""Deals in one task: enough for messages not to matter, few enough to lose little by a kill."""

PATIENCE = 10
"""Seconds to wait for a scheduler."""


@contextmanager
def processes(ranks: int, jobs: int) -> Iterator[Solve]:
    """`jobs` processes on this machine. Raises MissingTable, and BrokenExecutor if one dies."""
    load(ranks)  # forked processes share this memory
    if jobs == 1:
        yield lambda deals: map(solve_deal, deals)
        return
    pool = ProcessPoolExecutor(jobs, initializer=_start_worker)
    try:
        yield lambda deals: pool.map(solve_deal, deals, chunksize=CHUNK)
    finally:
        pool.shutdown(cancel_futures=True)


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and do not outlive it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator[Solve]:
    """A Dask cluster, whose workers need this package and its tables.

    Raises ImportError without the extra `cluster`, GameError if there is no scheduler at `address`,
    MissingTable, and BrokenExecutor if workers die again and again.
    """
    distributed: Any = importlib.import_module("distributed")

    def solve(deals: Sequence[Deal]) -> Iterator[Record]:
        chunks = [deals[i : i + CHUNK] for i in range(0, len(deals), CHUNK)]
        for future in client.map(solve_deals, chunks, pure=False):
            yield from future.result()

    if not re.fullmatch(r"(tcp|tls|wss?|ucx)://.+:\d+", address):
        raise GameError(f"{address!r} is no address, expected one such as tcp://localhost:8786")
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except OSError:
        raise GameError(f"no Dask scheduler answers at {address}") from None
    with client:
        try:
            yield solve
        except distributed.KilledWorker as error:
            raise BrokenExecutor(str(error)) from error


def solve_deals(deals: Sequence[Deal]) -> list[Record]:
    """The records of some deals: one task of a cluster."""
    return [solve_deal(deal) for deal in deals]
