"""The kernels as plain Python, against the oracle: run with NUMBA_DISABLE_JIT=1.

`coverage run --source solver tests/helpers/plain_kernels.py` counts their lines.
"""

import random
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import oracle

from engine.deals import all_deals
from solver import Solver, open_tables
from solver.complete.blocks import Plan
from solver.complete.build import Builder
from solver.complete.cluster import build_by_pieces
from solver.complete.coder import decode_blocks, write_packed
from solver.complete.packed import PackedFile
from solver.complete.table import table_path
from solver.complete.value import WIN
from solver.complete.verify import verify
from solver.core import lowlevel
from solver.core.bitboard import slices, swap_trumps, table_indices
from solver.core.trick import TABLES, Context, proves
from solver.single.claims import Memory
from solver.single.draws import Closing
from solver.single.search import Search
from solver.study.suite import Searches, suite

RANKS = 3


def builds() -> None:
    """Outcomes, distances, and what the switches leave out; every entry."""
    hands = oracle.base_hands(RANKS)
    wins, losses = (np.count_nonzero(oracle.outcomes(RANKS) == sign) for sign in (1, -1))
    for distances in (False, True):
        builder = Builder(RANKS, distances=distances, threads=1)
        builder.run()
        assert builder.totals() == (wins, losses, 0)
        if distances:
            found = np.frombuffer(b"".join(builder.slices("distance")), np.uint8)
            assert np.array_equal(found[table_indices(hands, RANKS)], oracle.distances(RANKS))
        known = np.frombuffer(b"".join(builder.slices("outcome")), np.uint8)
        small = Builder(2, distances=distances, threads=2, plan=Plan(scattered=False))
        small.run()
        guided = Builder(RANKS, distances=distances, threads=1, known=known)
        guided.run()
        assert np.array_equal(guided.stamps, builder.stamps)
        assert guided.progress().tests < builder.progress().tests


def trick_search() -> None:
    """From all kinds of tables, and from bit tables a part of the suite."""
    full = (1 << 4 * RANKS) - 1
    tables = open_tables().deck(RANKS)
    outcomes, distances = tables.unpacked("outcome"), tables.unpacked("distance")
    progress = Builder(RANKS, distances=False, threads=1)
    progress.run()
    stamps = np.frombuffer(b"".join(progress.slices("progress")), np.uint8)
    contexts = [Context(RANKS, TABLES) for _ in range(3)]
    contexts[0].use_table(outcomes)
    contexts[1].use_table(outcomes, distances)
    contexts[2].use_progress(stamps)
    for context in contexts[1:]:
        context.within(WIN)
    for hand in random.Random(0).sample(range(1, full), 200):
        win = oracle.outcomes(RANKS)[hand - 1] > 0
        other = swap_trumps(full ^ hand, RANKS)
        for context in contexts:
            assert proves(hand, full ^ hand, True, context.record) == win
            assert proves(other, full ^ other, False, context.record) != win
    positions = [position for position in suite() if position.ranks == 4][:4]
    assert Searches(4, positions).run() == Searches(4, positions).run()


def pieces() -> None:
    """A build by pieces, whose bit tables are of half the size."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "outcome"
        build_by_pieces(2, {"outcome": path}, Path(folder) / "log", count=1, room=3)
        assert path.read_bytes() == table_path(2, "outcome").read_bytes()


def packing() -> None:
    """Progress there and back."""
    builder = Builder(2, distances=False, threads=1)
    builder.run()
    content = np.zeros((slices(2), 1 << 4), np.uint8)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ranks2.progress.1"
        write_packed(path, 2, builder.stamps)
        decode_blocks(PackedFile(path), content.__setitem__, lambda done: None, 1)
    assert content.tobytes() == b"".join(builder.slices("progress"))


def single_search() -> None:
    """Some deals, with few facts and with many."""
    tables = Solver(method="table", compiled=True)
    memory = Memory(RANKS, 1 << 25)
    for deal in random.Random(0).sample(list(all_deals(RANKS)), 6):
        search = Search(deal.position(), memory)
        while search.advance(1 << 40):
            pass
        assert search.outcome == tables.solve(deal.position()).outcome
    memory.forget_failures()
    closing = Closing(memory, 1)
    while closing.step(1 << 40):
        pass


if __name__ == "__main__":
    warnings.simplefilter("error")
    assert not lowlevel.COMPILED
    builds()
    trick_search()
    pieces()
    packing()
    single_search()
    for theorems in (False, True):
        verify(open_tables().deck(2), theorems=theorems)
    verify(open_tables().deck(RANKS), sample=200)
    print("all right")
