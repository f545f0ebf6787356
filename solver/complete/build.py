"""The complete solution of a deck, built by rounds from what is proved to what follows from it.

Two schedules over the same work (`solver.complete.blocks`):

- *outcomes*: every round first tests wins, then losses, each for hands of 1, 2, 3 … cards of the
  leader, and each uses what was proved before. A fact is proved from facts that come earlier in the
  order (round, wins before losses, cards of the leader), so the stamps of the positions order all
  proofs.
- *distances*: a round uses only what earlier rounds proved, so its number is the distance.

Rounds repeat until one changes nothing; what is undecided then is a draw. The result does not
depend on the number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ChallengeError
from solver.complete.blocks import LAST_STAMP, STACK, UNUSED, Layout, Plan, publish_block, work
from solver.complete.coder import read_stamps, write_packed
from solver.complete.deck import DeckTables, totals_of
from solver.complete.packed import PackedFile
from solver.complete.reach import reaching
from solver.complete.table import write_table
from solver.core.bitboard import swap_trumps, table_index
from solver.core.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from solver.core.files import locked
from solver.core.machine import cores, memory_of_machine
from solver.core.shapes import block_sizes
from solver.core.trick import Context

CHECKPOINT_SECONDS = 600.0
DISTANCE_RANKS = 6
"""Decks of up to so many ranks get distances unless told otherwise, larger ones progress."""


class BuildError(ChallengeError):
    """A build that cannot be done here, as when there is not enough memory."""


@dataclass(frozen=True)
class Progress:
    """How far a build is."""

    ranks: int
    round: int
    decided: int
    """Positions proved so far, of `total`; of two with the plain suits exchanged one counts."""
    total: int
    tests: int
    proved: int
    """Tests that succeeded."""
    nodes: int
    """Lead nodes searched."""
    seconds: float
    """Time spent, that before an interruption included."""
    memory: int
    """Bytes that the build uses at most."""
    expected_nodes: float
    """A rough guess of the lead nodes of the whole build."""

    @property
    def seconds_left(self) -> float | None:
        """A rough guess; None at the beginning."""
        if self.nodes == 0 or self.seconds < 1:
            return None
        return max(0.0, self.expected_nodes / self.nodes - 1) * self.seconds


def memory_needed(ranks: int, distances: bool, threads: int, known: int = 0) -> int:
    """Bytes that a build will use at most: stamps, bit tables, room for each thread, `known` bytes
    of what it is told."""
    sizes = block_sizes(ranks)
    bit_tables = (12 if distances else 2) * (1 << max(0, 4 * ranks - 3))
    return sum(sizes) + bit_tables + threads * 4 * max(sizes) + known


def expected_nodes(ranks: int, distances: bool) -> float:
    """A rough guess of the lead nodes of a build, from those of 5 to 8 ranks (docs/building.md)."""
    return 5.0e8 * 31.0 ** (ranks - 6) if distances else 2.3e8 * 27.5 ** (ranks - 6)


def seconds_needed(ranks: int, distances: bool, threads: int) -> float:
    """A rough guess of how long a build takes."""
    # Of one thread; large tables are far from the caches.
    rate = 1.5e7 if ranks <= 6 else 1e7 if ranks == 7 else 6e6
    return expected_nodes(ranks, distances) / (rate * threads)


class Builder:
    """A build in memory: `run` does it, then `slices` and `totals` are what tables are made of.

    `known`: the content of the deck's outcome table (uint8), where there is one. Then only what can
    succeed is tested: the result is the same, with 15 % fewer nodes. `plan`: for benchmarks.

    A builder belongs to one thread and starts `threads` of its own; any thread may call `progress`.
    """

    def __init__(
        self,
        ranks: int,
        *,
        distances: bool,
        threads: int | None = None,
        known: np.ndarray | None = None,
        plan: Plan | None = None,
    ) -> None:
        self.ranks = ranks
        self.distances = distances
        self.threads = threads or cores()
        self.layout = Layout(ranks)
        self.stamps = self.layout.empty_stamps()
        self.undecided = self._count_undecided()
        self.total = int(self.undecided.sum())
        words = max(1, 1 << 4 * ranks >> 6)
        self.leader = np.zeros(words, np.uint64)
        """Bit table over the leader's hand: he wins."""
        self.responder = np.zeros(words, np.uint64)
        """Bit table over the responder's hand, seen from him: he wins."""
        self._facts = [self.leader, self.responder]
        self._new_facts = [self.leader.copy(), self.responder.copy()] if distances else self._facts
        self._known = known
        self._plan = plan or Plan()
        self._counter = np.zeros(1, np.int64)
        self._contexts = [self._context() for _ in range(self.threads)]
        room = int(self.layout.sizes.max())
        self._scratch = [
            (np.empty(room, np.uint32), np.empty(STACK, np.int64)) for _ in range(self.threads)
        ]
        self._halves = False  # whether the bit tables have one of each two twins only
        self.round = 1
        self._step = 0  # the next step of the round
        self._new = 0  # positions proved in the round so far
        self._before = {"tests": 0, "proved": 0, "nodes": 0, "seconds": 0.0}  # an interruption
        self._started = time.monotonic()

    @classmethod
    def of(
        cls,
        ranks: int,
        distances: bool,
        stamps: np.ndarray,
        leader: np.ndarray,
        responder: np.ndarray,
    ) -> Builder:
        """A finished build, from what it proved: to make tables of, not to run.

        The bit tables are by `table_index`, so they have one of each two hands that differ by
        exchanging the plain suits.
        """
        builder = cls.__new__(cls)
        builder.ranks, builder.distances, builder.layout = ranks, distances, Layout(ranks)
        builder.stamps, builder.leader, builder.responder = stamps, leader, responder
        builder._halves = True
        return builder

    def _context(self) -> Context:
        context = Context(self.ranks)
        context.use_bit_tables(*self._facts)
        context.point(publish_leader=self._new_facts[0], publish_responder=self._new_facts[1])
        if self._known is not None:
            context.point(outcomes=self._known)
        context.record.memo_mask = self._plan.memo_size - 1
        context.record.every_lead = 0 if self._plan.lowest_of_run else -1
        context.record.two_ways_first = 0 if self._plan.one_way_first else -1
        return context

    def _count_undecided(self) -> np.ndarray:
        """The number of undecided positions of each block."""
        ends = pairwise(self.layout.starts.tolist())
        return np.array(
            [end - start - np.count_nonzero(self.stamps[start:end]) for start, end in ends]
        )

    def progress(self) -> Progress:
        """How far the build is; may be called at any time."""
        tests, proved, nodes = (
            int(self._before[what])
            + sum(int(getattr(context.record, what)) for context in self._contexts)
            for what in ("tests", "proved", "nodes")
        )
        known = 0 if self._known is None else self._known.nbytes
        return Progress(
            self.ranks,
            self.round,
            self.total - int(self.undecided.sum()),
            self.total,
            tests,
            proved,
            nodes,
            time.monotonic() - self._started + self._before["seconds"],
            memory_needed(self.ranks, self.distances, self.threads, known),
            expected_nodes(self.ranks, self.distances),
        )

    def begin(self, stamps: np.ndarray, rounds: int) -> None:
        """Take what the first rounds of a build prove from `stamps`, which are as `self.stamps`.

        Later stamps are left out. Raises BuildError for a build of distances.
        """
        if self.distances:
            raise BuildError("a build of distances cannot begin with rounds of another")
        for start, end in pairwise(self.layout.starts.tolist()):
            part = stamps[start:end]
            np.copyto(self.stamps[start:end], part, where=part <= 2 * rounds)
        self.round = rounds + 1
        self._publish()

    def _publish(self) -> None:
        """Enter all stamps into the bit tables."""
        self.undecided[:] = self._count_undecided()
        starts, subsets = self.layout.starts, self.layout.subsets
        full = (1 << 4 * self.ranks) - 1
        for stamp in range(1, 2 * self.round - 1):
            losses = stamp % 2 == 0
            table = (self.responder if losses else self.leader).ctypes.data
            for s, shape in enumerate(self.layout.shapes):
                block = self.stamps[starts[s] : starts[s + 1]]
                publish_block(
                    self.ranks, losses, tuple(shape.tolist()), block, stamp, subsets, table, full
                )

    def run(
        self,
        report: Callable[[Progress], None] | None = None,
        checkpoint: Path | None = None,
        every: float = CHECKPOINT_SECONDS,
    ) -> None:
        """Build to the end.

        `report` is called about once a second and after every round. With `checkpoint` the state is
        written to that file every so many seconds, and a build that finds the file continues from
        there; `build_tables` removes it. Raises BuildError if the file is not the checkpoint of
        such a build.
        """
        if checkpoint is not None:
            self._load(checkpoint)
        saved = time.monotonic()
        report = report or (lambda progress: None)
        with ThreadPoolExecutor(self.threads) as pool:
            while True:
                steps = self._round_steps()
                while self._step < len(steps):
                    self._run_step(pool, steps[self._step], report)
                    self._step += 1
                    if checkpoint is not None and time.monotonic() - saved >= every:
                        self._save(checkpoint)
                        saved = time.monotonic()
                if self.distances:
                    self._end_of_strict_round()
                report(self.progress())
                if self._new == 0:
                    if checkpoint is not None:  # writing tables can take long, too
                        self._save(checkpoint)
                    return
                self.round += 1
                self._step = self._new = 0

    def _end_of_strict_round(self) -> None:
        """Let the searches see what the round has proved; choose what the next one will test."""
        if self.round > 1 and self._plan.only_reachable:  # before, nothing has been tested
            news = [new ^ old for new, old in zip(self._new_facts, self._facts, strict=True)]
            leads, responds = reaching(news[0], news[1], self.ranks)
            for context in self._contexts:
                context.point(reach_leader=leads, reach_responder=responds)
        for new, old in zip(self._new_facts, self._facts, strict=True):
            np.copyto(old, new)

    def _round_steps(self) -> list[tuple[bool, int, np.ndarray]]:
        """The steps of this round: whether to test losses, the stamp of what is proved, blocks."""
        by_cards = self.layout.by_cards[1 : 4 * self.ranks]
        if not self._plan.small_hands_first:
            by_cards = by_cards[::-1]
        if self.distances:
            if self.round == 1:  # distance 0: the lead of an only card
                return [(False, 1, self.layout.by_cards[1])]
            everything = np.concatenate(by_cards)
            everything = everything[np.argsort(-self.layout.sizes[everything], kind="stable")]
            return [(losses, self.round, everything) for losses in (False, True)]
        steps = [(losses, blocks) for losses in (False, True) for blocks in by_cards]
        if not self._plan.wins_first:
            steps = [(losses, blocks) for blocks in by_cards for losses in (False, True)]
        return [(losses, 2 * self.round - 1 + losses, blocks) for losses, blocks in steps]

    def _run_step(
        self,
        pool: ThreadPoolExecutor,
        step: tuple[bool, int, np.ndarray],
        report: Callable[[Progress], None],
    ) -> None:
        losses, stamp, blocks = step
        blocks = blocks[self.undecided[blocks] > 0]
        if blocks.size == 0:
            return
        if stamp > LAST_STAMP:
            raise BuildError(f"more than {LAST_STAMP} stamps are needed for {self.ranks} ranks")
        self._counter[0] = 0
        jobs = [
            pool.submit(self._work, number, losses, stamp, blocks)
            for number in range(min(self.threads, len(blocks)))
        ]
        try:
            while wait(jobs, timeout=1).not_done:
                report(self.progress())
        except BaseException:
            self._counter[0] = len(self.layout.sizes)  # no more blocks for the threads
            raise
        self._new += sum(job.result() for job in jobs)

    def _work(self, number: int, losses: bool, stamp: int, blocks: np.ndarray) -> int:
        layout = self.layout
        new: int = work(
            self.ranks,
            losses,
            blocks,
            (layout.shapes, layout.starts),
            self.undecided,
            self.stamps,
            stamp,
            layout.subsets,
            self._contexts[number].array,
            self._counter.ctypes.data,
            self._scratch[number],
            self._plan,
        )
        return new

    def _save(self, path: Path) -> None:
        progress = self.progress()
        state = {
            "round": self.round,
            "step": self._step,
            "new": self._new,
            **{key: getattr(progress, key) for key in self._before},
        }
        save_checkpoint(path, "build", self._work_saved(), state, self._saved_arrays())

    def _work_saved(self) -> dict[str, Any]:
        return {"ranks": self.ranks, "distances": self.distances}

    def _saved_arrays(self) -> list[np.ndarray]:
        return [self.stamps, *self._facts, *(self._new_facts if self.distances else [])]

    def _load(self, path: Path) -> None:
        limits = {"round": LAST_STAMP, "step": 8 * self.ranks, "new": self.total}
        limits |= dict.fromkeys(("tests", "proved", "nodes"), 1 << 63)
        state = load_checkpoint(
            path, "build", self._work_saved(), {**limits, "seconds": 1e12}, self._saved_arrays()
        )
        if state is not None:
            self.round, self._step, self._new = state["round"], state["step"], state["new"]
            if not self.round or self._step > len(self._round_steps()):
                raise CheckpointError(f"the checkpoint {path} has an impossible round or step")
            self._before = {key: state[key] for key in self._before}
            self.undecided[:] = self._count_undecided()

    def totals(self) -> tuple[int, int, int]:
        """Wins, losses and draws among all base positions, from the leader's point of view."""
        wins, losses = map(self._count, (self.leader, self.responder))
        return wins, losses, (1 << 4 * self.ranks) - 2 - wins - losses

    def _slice(self, table: np.ndarray, p: int, q: int) -> np.ndarray:
        """The bits of the hands with these plain suits, one a byte."""
        start = p << 2 * self.ranks | q << 3 * self.ranks
        if self._halves:
            start = table_index(start, self.ranks)
        return _bits(table, start, 1 << 2 * self.ranks)

    def _count(self, table: np.ndarray) -> int:
        """The number of hands in a bit table."""
        if not self._halves:
            return int(np.bitwise_count(table).sum(dtype=np.int64))
        every = range(1 << self.ranks)
        return sum(
            int(self._slice(table, p, q).sum(dtype=np.int64)) << (p != q)
            for p in every
            for q in every[: p + 1]
        )

    def slices(self, kind: str) -> Iterator[bytes]:
        """The slices of a table of this kind, in order (see `solver.complete.table`)."""
        n = self.ranks
        positions = 1 << 2 * n
        for_responder = (positions - 1) ^ swap_trumps(np.arange(positions), n)
        suit = (1 << n) - 1
        for p in range(1 << n):
            for q in range(p + 1):
                if kind != "outcome":
                    stamps = self.stamps[self.layout.slice_places(p, q)]
                    stamps[stamps == UNUSED] = 0
                    if kind == "distance":
                        stamps -= stamps > 0
                    yield stamps.tobytes()
                    continue
                wins = self._slice(self.leader, p, q)
                losses = self._slice(self.responder, suit ^ p, suit ^ q)[for_responder]
                draws = 1 - (wins | losses)
                if p == q == 0:
                    draws[0] = 0  # the empty hand
                if p == q == suit:
                    draws[-1] = 0  # the whole deck
                yield b"".join(np.packbits(b, bitorder="little").tobytes() for b in (wins, draws))


def _bits(table: np.ndarray, start: int, count: int) -> np.ndarray:
    """Bits `start` to `start + count` of a bit table, one a byte.

    `count` is a power of two that divides `start`.
    """
    part = table.view(np.uint8)[start >> 3 : (start + count + 7) >> 3]
    return np.unpackbits(part, bitorder="little")[start & 7 :][:count]


def kinds_to_build(ranks: int, distances: bool | None = None) -> tuple[str, ...]:
    """The tables that a build makes.

    `distances`: whether to compute them, by default for decks of up to DISTANCE_RANKS. A larger
    deck gets progress instead, without which its wins could not be played.
    """
    if distances is None:
        distances = ranks <= DISTANCE_RANKS
    if distances:
        return ("outcome", "distance")
    return ("outcome", "progress") if ranks > DISTANCE_RANKS else ("outcome",)


def write_tables(builder: Builder, paths: dict[str, Path]) -> None:
    """Write the tables of a finished build; `paths` as `build_tables` takes them."""
    for kind, path in paths.items():
        if path.suffix == ".1":
            write_packed(path, builder.ranks, builder.stamps)
        else:
            write_table(path, builder.ranks, kind, builder.totals(), builder.slices(kind))


def build_tables(
    ranks: int,
    paths: dict[str, Path],
    *,
    threads: int | None = None,
    report: Callable[[Progress], None] | None = None,
    checkpoint: Path | None = None,
    every: float = CHECKPOINT_SECONDS,
    known: DeckTables | None = None,
    begins: PackedFile | None = None,
) -> Builder:
    """Build the complete solution of a deck and write its tables.

    `paths`: where to write the table of each kind; without "distance" no distances are computed.
    Progress is packed if its name ends with ".1", that of its first part. `known`: tables of the
    deck, whose outcomes say what is worth a test; `begins`: what the first rounds prove. Both make
    a build shorter; it fails if they are wrong. `checkpoint`, `every`: as `Builder.run` takes them,
    and nobody else may use that file meanwhile. Files are written whole or not at all. Raises
    BuildError, also if there is not enough memory, CheckpointError, OSError.
    """
    distances = "distance" in paths
    if distances and "progress" in paths:
        raise BuildError("a build makes either distances or progress, not both")
    threads = threads or cores()
    outcomes = known.unpacked("outcome") if known else None
    told = 0 if outcomes is None else outcomes.nbytes
    if begins:
        told += sum(block_sizes(ranks))
    needed, there = memory_needed(ranks, distances, threads, told), memory_of_machine()
    if there is not None and needed > there:
        raise BuildError(
            f"a build of {ranks} ranks needs {needed / 2**30:,.1f} GiB of memory, "
            f"this machine has {there / 2**30:,.1f} GiB"
        )
    with locked(checkpoint) if checkpoint else nullcontext():
        builder = Builder(ranks, distances=distances, threads=threads, known=outcomes)
        if begins and not distances and not (checkpoint and checkpoint.exists()):
            builder.begin(read_stamps(begins), begins.facts.rounds)
        builder.run(report, checkpoint, every)
        if known and builder.totals() != totals_of(known.outcome):
            raise BuildError(
                f"the build does not prove what is in {known.outcome.path}: build without --known"
            )
        write_tables(builder, paths)
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
    return builder
