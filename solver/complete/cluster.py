"""A build by pieces: by threads of this process, or by the workers of a Dask cluster.

The client cuts each step into pieces, hands them out, and appends what comes back to a log
(`solver.complete.piece_log`) before it or anybody takes it in. So whoever is killed, the same call
with the same folder goes on, and nothing that is in the log is done again. Every worker has a
replica of the bit tables; the news of a step reach it before the next one begins. One that joins
late, or was started again, says how far it is, and gets from the log what it lacks.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.errors import GameError
from solver.complete.blocks import LAST_STAMP
from solver.complete.build import Builder, BuildError, Progress, expected_nodes, write_tables
from solver.complete.piece_log import Entry, Log
from solver.complete.pieces import Cutter, Done, Piece, Replica, bytes_of_table
from solver.core.checkpoint import CheckpointError
from solver.core.dask import Cluster, connected
from solver.core.machine import cores, memory_of_machine

_MESSAGE = 1 << 24
"""Bytes of news in one message."""

News = list[tuple[Piece, bytes]]


class Job(NamedTuple):
    """What a worker must know of a build."""

    id: str
    ranks: int
    distances: bool
    version: str


class Behind(NamedTuple):
    """The answer of a worker whose replica lacks news."""

    step: int


Engine = Callable[[Job, int, list[Piece]], Iterator[tuple[int, Done]]]
"""Does the pieces of a step, of which so many precede it: numbers of pieces and what they prove."""


def package_version() -> str:
    """The version of this package."""
    try:
        return version_of("challenge-solver")
    except PackageNotFoundError:
        return "not installed"


def memory_of_worker(ranks: int, threads: int) -> int:
    """Bytes that a worker uses at most: the bit tables, and a piece for each thread."""
    cutter = Cutter(ranks, False)
    largest = max(1 << 17, min(int(cutter.layout.sizes.max()), 1 << 24))
    return 2 * bytes_of_table(ranks) + 6 * largest * threads


class ClusterBuild:
    """A build of which `log` is the state.

    `room`: the size of pieces, which a log keeps to; for tests. Belongs to one thread.
    """

    def __init__(self, ranks: int, log: Log, *, distances: bool, room: int | None = None) -> None:
        self.ranks = ranks
        self.log = log
        self.job = Job(log.id, ranks, distances, package_version())
        self.cutter = Cutter(ranks, distances, room)
        self.replica = Replica(self.cutter)
        self._undecided = positions_of_blocks(self.cutter)
        self._total = self._left = int(self._undecided.sum())
        self._memory = memory_of_worker(ranks, 1)
        self.round = 1
        self._counts = {"tests": 0, "proved": 0, "nodes": 0, "seconds": 0.0}
        self._last: News = []  # of the last step
        self.done = 0
        """Pieces done by this call, those read from the log not counted."""

    def run(self, engine: Engine, report: Callable[[Progress], None] = lambda now: None) -> None:
        """Build to the end. Raises BuildError, CheckpointError, OSError and what `engine` does."""
        while True:
            proved = self._run_round(engine, report)
            self.log.sync()
            report(self.progress())
            if proved == 0:
                return
            self.round += 1

    def _run_round(self, engine: Engine, report: Callable[[Progress], None]) -> int:
        kept = _Kept(self.log, self.round)
        before = self._left
        for step, tests in enumerate(self.cutter.steps(self.round)):
            pieces = self.cutter.cut(tests, self._undecided)
            if not pieces:
                continue
            if self.cutter.stamp(self.round, True) > LAST_STAMP:
                raise BuildError(f"more than {LAST_STAMP} stamps are needed for {self.ranks} ranks")
            entries = kept.take(step, len(pieces))
            todo = [number for number in range(len(pieces)) if number not in entries]
            if todo:
                kept.end()
                found = engine(self.job, self.replica.step, [pieces[number] for number in todo])
                for i, done in found:
                    number = todo[i]
                    counts = (done.tests, done.proved, done.nodes, done.seconds)
                    entries[number] = Entry(step, number, *counts, done.news)
                    self.log.append(self.round, entries[number])
                    self.done += 1
                    report(self.progress())
            self._take_in(pieces, entries)
        kept.end()
        return before - self._left

    def _take_in(self, pieces: list[Piece], entries: dict[int, Entry]) -> None:
        news = [(piece, entries[number].news) for number, piece in enumerate(pieces)]
        try:
            found = self.replica.publish_all(news)
        except ValueError as error:
            raise CheckpointError(f"the log {self.log.path(self.round)} has {error}") from None
        for piece, new in zip(pieces, found, strict=True):
            for part, count in zip(piece, new, strict=True):
                self._undecided[part.block] -= count
                self._left -= count
        for entry in entries.values():
            for key in self._counts:
                self._counts[key] += getattr(entry, key)
        self._last = news
        self.replica.step += 1

    def progress(self) -> Progress:
        """How far the build is. Seconds are those of all cores together."""
        counts = self._counts
        return Progress(
            self.ranks,
            self.round,
            self._total - self._left,
            self._total,
            int(counts["tests"]),
            int(counts["proved"]),
            int(counts["nodes"]),
            counts["seconds"],
            self._memory,
            expected_nodes(self.ranks, self.job.distances),
        )

    def news(self, first: int) -> Iterator[tuple[int, News]]:
        """The news of all steps from number `first` on; from the log, unless it is the last."""
        if first == self.replica.step - 1:
            yield first, self._last
            return
        for number, (_, news) in enumerate(self._logged()):
            if number >= first:
                yield number, news

    def _logged(self) -> Iterator[tuple[int, News]]:
        """The round and the news of each step that the replica knows, from the log."""
        undecided, number = positions_of_blocks(self.cutter), 0
        for round_ in range(1, self.round + 1):
            kept = _Kept(self.log, round_)
            for step, tests in enumerate(self.cutter.steps(round_)):
                pieces = self.cutter.cut(tests, undecided)
                if not pieces:
                    continue
                if number == self.replica.step:
                    return
                entries = kept.take(step, len(pieces))
                news = [(piece, entries[i].news) for i, piece in enumerate(pieces)]
                yield round_, news
                for piece, packed in news:
                    for part, bits in self.cutter.split(packed, piece):
                        undecided[part.block] -= int(np.bitwise_count(bits).sum(dtype=np.int64))
                number += 1

    def builder(self, stamps: np.ndarray) -> Builder:
        """A builder that has all that was proved, for tables to be made of it.

        `stamps`: zeros (uint8), as many as there are, which then hold them.
        """
        self.cutter.layout.empty_stamps(stamps)
        for round_, news in self._logged():
            for piece, packed in news:
                for part, bits in self.cutter.split(packed, piece):
                    here = stamps[self.cutter.place(part)]
                    new = np.unpackbits(bits, count=here.size, bitorder="little").view(bool)
                    here[new] = self.cutter.stamp(round_, part.losses)
        return Builder.of(
            self.ranks, self.job.distances, stamps, self.replica.leader, self.replica.responder
        )


class _Kept:
    """The pieces of a round that a log has, step after step."""

    def __init__(self, log: Log, round_: int) -> None:
        self._path = log.path(round_)
        self._entries = log.read(round_)
        self._next = next(self._entries, None)

    def take(self, step: int, pieces: int) -> dict[int, Entry]:
        """Those of a step that has so many. Raises CheckpointError if the log cannot be right."""
        found: dict[int, Entry] = {}
        while self._next is not None and self._next.step == step:
            if self._next.piece >= pieces:
                raise CheckpointError(f"the log {self._path} has impossible pieces")
            found[self._next.piece] = self._next
            self._next = next(self._entries, None)
        return found

    def end(self) -> None:
        """Raise CheckpointError if there is more."""
        if self._next is not None:
            raise CheckpointError(f"the log {self._path} has impossible steps")


@contextmanager
def _stamps(folder: Path, size: int) -> Iterator[np.ndarray]:
    """That many zeros (uint8), in a file of this folder, of which memory has what is in use."""
    path = folder / "stamps"
    with path.open("w+b") as file:
        path.unlink()
        if hasattr(os, "posix_fallocate"):  # a disk that is full kills who writes to the array
            os.posix_fallocate(file.fileno(), 0, size)
        yield np.memmap(file, np.uint8, "r+", shape=(size,))


def positions_of_blocks(cutter: Cutter) -> np.ndarray:
    """The number of positions of each block."""
    layout = cutter.layout
    t, u, p, q = layout.shapes.T
    count = np.diff(layout.subsets.first)
    positions = np.where(p == q, layout.sizes // count[q] * (count[q] + 1) // 2, layout.sizes)
    cards = t + u + p + q
    positions[(cards == 0) | (cards == 4 * cutter.ranks)] = 0
    return positions


# Engines.


@contextmanager
def threads(build: ClusterBuild, count: int) -> Iterator[Engine]:
    """Threads of this process, which share the replica of the client."""
    with ThreadPoolExecutor(count) as pool:

        def run(job: Job, step: int, pieces: list[Piece]) -> Iterator[tuple[int, Done]]:
            jobs = {pool.submit(build.replica.do, piece): i for i, piece in enumerate(pieces)}
            try:
                for future in as_completed(jobs):
                    yield jobs[future], future.result()
            finally:
                for future in jobs:
                    future.cancel()

        yield run


@contextmanager
def dask(build: ClusterBuild, address: str) -> Iterator[Engine]:
    """A Dask cluster: the address of its scheduler, or `local:K` for K processes of this machine.

    Raises what `solver.core.dask` does, and BuildError if workers cannot do the work.
    """
    with connected(address, local=True) as cluster:
        yield _Dask(cluster, build).run


class _Dask:
    def __init__(self, cluster: Cluster, build: ClusterBuild) -> None:
        self._cluster = cluster
        self._build = build

    def run(self, job: Job, step: int, pieces: list[Piece]) -> Iterator[tuple[int, Done]]:
        cluster = self._cluster
        self._catch_up(job, step)
        pending = {cluster.submit(do_piece, job, step, piece): i for i, piece in enumerate(pieces)}
        while pending:
            behind = False
            for future in cluster.wait(pending):
                number = pending.pop(future)
                done = cluster.result(future)
                if isinstance(done, Behind):
                    if not behind:
                        self._catch_up(job, step)
                    behind = True
                    pending[cluster.submit(do_piece, job, step, pieces[number])] = number
                else:
                    yield number, done

    def _ask(self, workers: list[str], function: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """The answers of these workers; those that die meanwhile give an exception."""
        self._cluster.check()
        answers: dict[str, Any] = self._cluster.client.run(
            function, *args, workers=workers, on_error="return"
        )
        for answer in answers.values():
            if isinstance(answer, Exception) and not isinstance(answer, OSError):
                raise answer
        return answers

    def _catch_up(self, job: Job, step: int) -> None:
        """Give every worker the news of all steps before this one."""
        answers = self._ask(self._cluster.workers(), steps_known, job, step)
        lack = {a: known for a, known in answers.items() if isinstance(known, int) and known < step}
        if not lack:
            return
        for number, news in self._build.news(min(lack.values())):
            for start, end, last in _messages(news):
                to = [address for address, known in lack.items() if known <= number]
                self._ask(to, take_in, job, number, news[start:end], last)


def _messages(news: News) -> Iterator[tuple[int, int, bool]]:
    start = size = 0
    for i, (_, packed) in enumerate(news):
        size += len(packed)
        if size >= _MESSAGE:
            yield start, i + 1, i + 1 == len(news)
            start, size = i + 1, 0
    if start < len(news):
        yield start, len(news), True


# What runs in the workers.

_lock = threading.Lock()
_replicas: dict[Job, Replica] = {}


def _replica(job: Job) -> Replica:
    """The replica of this process; that of another build is forgotten."""
    if job.version != package_version():
        raise GameError(
            f"a worker has version {package_version()} of this package, expected {job.version}"
        )
    with _lock:
        if job not in _replicas:
            _replicas.clear()
            needed, there = memory_of_worker(job.ranks, 1), memory_of_machine()
            if there is not None and needed > there:
                raise GameError(
                    f"a worker has {there / 2**30:,.1f} GiB of memory, "
                    f"expected {needed / 2**30:,.1f} GiB"
                )
            _replicas[job] = Replica(Cutter(job.ranks, job.distances))
        return _replicas[job]


def steps_known(job: Job, step: int) -> int:
    """How many steps the replica of this worker knows; one that knows more is begun again."""
    replica = _replica(job)
    if replica.step > step:  # the log lost its end, as when the client's machine fell
        with _lock:
            _replicas.pop(job, None)
        replica = _replica(job)
    return replica.step


def take_in(job: Job, step: int, news: Sequence[tuple[Piece, bytes]], last: bool) -> None:
    """Take in news of the step of this number; `last`: there are no more."""
    replica = _replica(job)
    if replica.step == step:
        replica.publish_all(news)
        replica.step += last


def do_piece(job: Job, step: int, piece: Piece) -> Done | Behind:
    """A task: do a piece of the step that so many precede."""
    replica = _replica(job)
    if replica.step != step:
        return Behind(replica.step)
    return replica.do(piece)


def build_by_pieces(
    ranks: int,
    paths: dict[str, Path],
    folder: Path,
    *,
    scheduler: str | None = None,
    count: int | None = None,
    report: Callable[[Progress], None] = lambda now: None,
    room: int | None = None,
) -> ClusterBuild:
    """Build the complete solution of a deck by pieces and write its tables, as `build_tables` does.

    `folder`: the log, removed at the end; a build that finds it goes on. `scheduler`: as `dask`
    takes it; without one `count` threads work. Raises BuildError, CheckpointError, GameError,
    OSError.
    """
    distances = "distance" in paths
    work = {"ranks": ranks, "distances": distances, "room": Cutter(ranks, distances, room).room}
    with Log(folder, work) as log:
        build = ClusterBuild(ranks, log, distances=distances, room=room)
        try:
            with (
                dask(build, scheduler) if scheduler else threads(build, count or cores())
            ) as engine:
                build.run(engine, report)
        except BrokenExecutor as error:
            raise BuildError(f"{error}, the same command goes on") from None
        with _stamps(folder, int(build.cutter.layout.starts[-1])) as stamps:
            write_tables(build.builder(stamps), paths)
        log.remove()
    return build
