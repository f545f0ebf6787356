"""Who solves the deals of a batch: this process, several, or a Dask cluster."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import re
import signal
import threading
import time
from asyncio import CancelledError as CancelledTask
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from engine.deals import Deal
from engine.errors import GameError
from solver.study.batch import Record, Solve, load, solve_deal

CHUNK = 32
"""Deals in one task: enough for messages not to matter, few enough to lose little by a kill."""

PATIENCE = 10
"""Seconds to wait for a scheduler."""


WORKER_PATIENCE = 60.0
"""Seconds to wait for workers when a cluster has none."""


@contextmanager
def processes(ranks: int, jobs: int, line: bool = False) -> Iterator[Solve]:
    """`jobs` processes on this machine; with `line`, records have `LINE_TRICKS`.

    Raises MissingTable, GameError if there cannot be so many, and BrokenExecutor if one dies.
    """
    load(ranks, line)  # forked processes share this memory
    record = partial(solve_deal, line=True) if line else solve_deal
    if jobs == 1:
        yield lambda deals: map(record, deals)
        return
    pool = ProcessPoolExecutor(jobs, initializer=_start_worker)
    try:
        _start_all(pool, jobs)
        yield lambda deals: pool.map(record, deals, chunksize=CHUNK)
    finally:
        pool.shutdown(cancel_futures=True)


def _start_all(pool: ProcessPoolExecutor, jobs: int) -> None:
    """Start the processes now; where the system allows fewer, none is left."""
    before = multiprocessing.active_children()
    try:
        for started in [pool.submit(os.getpid) for _ in range(jobs)]:
            started.result()
    except (OSError, RuntimeError) as error:
        for process in multiprocessing.active_children():
            if process not in before:
                process.kill()
                process.join()
        reason = getattr(error, "strerror", None) or "they end at once"
        raise GameError(f"cannot start {jobs} processes: {reason}, expected fewer --jobs") from None


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and do not outlive it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    except RuntimeError:  # no more threads
        os._exit(1)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
    os._exit(1)


@contextmanager
def cluster(address: str, line: bool = False) -> Iterator[Solve]:
    """A Dask cluster, whose workers need this package and its tables.

    Raises ImportError without the extra `cluster`, GameError if there is no scheduler at `address`,
    MissingTable, and BrokenExecutor if the scheduler goes away, workers die again and again, or
    there are none for WORKER_PATIENCE seconds.
    """
    distributed: Any = importlib.import_module("distributed")
    records = partial(solve_deals, line=True) if line else solve_deals

    def solve(deals: Sequence[Deal]) -> Iterator[Record]:
        chunks = [deals[i : i + CHUNK] for i in range(0, len(deals), CHUNK)]
        for future in client.map(records, chunks, pure=False):
            yield from _wait_for(future, client)

    if not re.fullmatch(r"(tcp|tls|wss?)://.+:\d{1,5}", address):
        raise GameError(f"{address!r} is no address, expected one such as tcp://localhost:8786")
    secure = distributed.Security().get_connection_args("client").get("ssl_context")
    if address.startswith(("tls", "wss")) and secure is None:
        raise GameError(f"{address} takes certificates, expected them in the configuration of Dask")
    for name in ("asyncio", *logging.root.manager.loggerDict):
        if name.startswith(("asyncio", "distributed")):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what goes wrong is said here
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except OSError:
        raise GameError(f"no Dask scheduler answers at {address}") from None
    try:
        yield solve
    except distributed.KilledWorker:
        raise BrokenExecutor("workers of the cluster have died again and again") from None
    finally:
        with suppress(Exception):
            client.close(timeout=PATIENCE / 2)


def _wait_for(future: Any, client: Any) -> list[Record]:
    """The result of a task, as long as there is somebody to work at it."""
    last = time.monotonic()
    while client.status == "running":
        try:
            records: list[Record] = future.result(timeout=1)
            return records
        except TimeoutError:
            pass
        except ImportError as error:
            raise GameError(f"the workers of the cluster lack something: {error}") from None
        except (OSError, CancelledError, CancelledTask):
            break
        if client.scheduler_info()["workers"]:
            last = time.monotonic()
        elif time.monotonic() - last > WORKER_PATIENCE:
            raise BrokenExecutor(f"the cluster has had no workers for {WORKER_PATIENCE:.0f} s")
    raise BrokenExecutor("the scheduler of the cluster has gone")


def solve_deals(deals: Sequence[Deal], line: bool = False) -> list[Record]:
    """The records of some deals: one task of a cluster."""
    return [solve_deal(deal, line) for deal in deals]
