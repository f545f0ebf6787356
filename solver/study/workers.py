"""Who solves the problems of a batch or of a stream: this process, several, or a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

from engine.deals import Deal
from engine.errors import GameError
from engine.position import Position
from engine.problem import Problem
from solver.core.dask import connected
from solver.solution import Solution
from solver.solver import Solver
from solver.study.batch import How, Record, Solve, load, solve_problem

CHUNK = 32
"""Problems in one task: enough for messages not to matter, few enough to lose little by a kill.
Searches are tasks of their own."""


@contextmanager
def processes(how: How, jobs: int) -> Iterator[Solve]:
    """`jobs` processes on this machine.

    Raises MissingTable, MemoryError if a search cannot begin, GameError if there cannot be so many
    processes, and BrokenExecutor if one dies.
    """
    load(how)  # forked processes share this memory
    record = partial(solve_problem, how=how)
    if jobs == 1:
        yield lambda problems: map(record, problems)
        return
    with _pool(jobs) as pool:
        yield lambda problems: pool.map(record, problems, chunksize=_chunk(how))


@contextmanager
def solvers(jobs: int, **options: Any) -> Iterator[Callable[[Problem, bool], Future[Solution]]]:
    """Processes that each have a `Solver` of its own: who hands out problems, with or without line.

    Raises GameError if there cannot be so many; answers raise BrokenExecutor if one dies.
    """
    with _pool(jobs, options) as pool:
        yield lambda problem, line: pool.submit(_solve, problem, line)


def _chunk(how: How) -> int:
    return 1 if how.searches else CHUNK


@contextmanager
def _pool(jobs: int, options: dict[str, Any] | None = None) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with this block, in the midst of their work if need be."""
    told, tell = multiprocessing.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, initializer=_start_worker, initargs=(told, options))
    try:
        _start_all(pool, jobs)
        yield pool
    except BaseException:
        tell.send(None)  # none of them reads it, so all see it
        raise
    finally:
        with suppress(RuntimeError):  # of a pool whose own thread could not be started
            pool.shutdown(cancel_futures=True)
        tell.close()
        told.close()


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
        reason = getattr(error, "strerror", None)
        reason = reason or "the system allows too few threads or too little memory"
        raise GameError(f"cannot start {jobs} processes: {reason}, expected fewer --jobs") from None


def _start_worker(told: Connection, options: dict[str, Any] | None) -> None:
    """Leave Ctrl-C to the parent, and do not outlive it, even if it is killed.

    `told`: has something to read when it is time to end.
    """
    global _solver
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if options is not None:
        _solver = Solver(**options)
    try:
        threading.Thread(target=_end_with_parent, args=(told,), daemon=True).start()
    except RuntimeError:  # no more threads
        os._exit(1)


_solver: Solver | None = None
"""Of a process of `solvers`."""


def _solve(problem: Problem, line: bool) -> Solution:
    assert _solver is not None
    return _solver.solve(problem, line=line)


def _end_with_parent(told: Connection) -> None:
    parent = multiprocessing.parent_process()
    wait([told, parent.sentinel] if parent else [told])
    os._exit(1)


@contextmanager
def cluster(how: How, address: str) -> Iterator[Solve]:
    """A Dask cluster, whose workers need this package and its tables.

    Raises ImportError without the extra `cluster`, GameError if there is no scheduler at `address`,
    MissingTable, and BrokenExecutor if the scheduler goes away, workers die again and again, or
    there are none for a while (`solver.core.dask`).
    """
    records = partial(solve_problems, how=how)
    size = _chunk(how)

    def solve(problems: Sequence[Deal | Position]) -> Iterator[Record]:
        chunks = [problems[i : i + size] for i in range(0, len(problems), size)]
        for future in [connection.submit(records, chunk) for chunk in chunks]:
            connection.wait([future])
            yield from connection.result(future)

    with connected(address) as connection:
        yield solve


def solve_problems(problems: Sequence[Deal | Position], how: How) -> list[Record]:
    """What is recorded of some problems: one task of a cluster."""
    return [solve_problem(problem, how) for problem in problems]
