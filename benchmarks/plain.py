"""What the theorems bring: one complete solution by three methods, checked to be equal.

\b
  plain   sweeps over all undecided positions until one changes nothing; every lead, every beat
  lowest  the same with the trick search of `solver`: lowest of a run, lowest beat
  build   the build of `solver`, in which a proof or a failure settles what it dominates as well

All else is the same: bit tables, transposition table, order of moves and of hands, one of two
positions that differ by exchanging the plain suits, one thread. Seconds are those of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import click
import numpy as np
from numba import types

from benchmarks.report import json_option, print_report
from solver.complete.build import Builder
from solver.core.bitboard import table_indices
from solver.core.jit import njit
from solver.core.lowlevel import load, product, store
from solver.core.trick import (
    MULTIPLIER,
    MULTIPLIER2,
    RECORD,
    Context,
    before_pickup,
    new_generation,
    proves,
    settled,
    swap_plain,
    swap_trumps,
    ways_to_beat,
)


@njit(types.boolean(types.int64, types.int64, types.boolean, RECORD), cache=True)
def plain_proves(a: int, b: int, leading: bool, c: Any) -> bool:
    """`solver.core.trick.proves` with every lead and every beat."""
    c.nodes += 1
    leader, responder = (a, b) if leading else (b, a)
    if leader & leader - 1 == 0:
        return leading
    own, trumps, in_suit, beatable = ways_to_beat(responder, leading, c)
    open_leads = 0
    leads = leader
    while leads:
        card = leads & -leads
        leads ^= card
        if settled(before_pickup(a, b, leading, c) ^ card, leading, c) == leading:
            if card & beatable == 0:
                return leading
            open_leads |= card
    if open_leads == 0 or responder & responder - 1 == 0:
        return not leading

    key = c.generation | b | leading << 40
    slot = ((product(a, MULTIPLIER) ^ product(b, MULTIPLIER2)) >> 52 & c.memo_mask) * 2
    found = load(c.memo, slot)
    if found >> 1 == a and load(c.memo, slot + 1) == key:
        return found & 1 != 0

    one_way = open_leads & (own | ~in_suit) if trumps else open_leads
    result = not leading
    for leads in (one_way, open_leads ^ one_way):
        while leads and result != leading:
            card = leads & -leads
            leads ^= card
            rest = leader ^ card
            suit = c.own
            while suit & card == 0:
                suit <<= c.ranks
            beaten = False
            for beats in (responder & suit & -(card << 1), 0 if card & own else trumps):
                while beats and not beaten:
                    kept = responder ^ beats & -beats
                    beats &= beats - 1
                    if leading:
                        beaten = not plain_proves(rest, kept, not leading, c)
                    else:
                        beaten = plain_proves(kept, rest, not leading, c)
            result = beaten != leading
    store(c.memo, slot, a << 1 | result)
    store(c.memo, slot + 1, key)
    return result


@njit(cache=True)
def sweep(
    hands: np.ndarray,
    losses: bool,
    plain: bool,
    contexts: np.ndarray,
    table: np.ndarray,
    rounds: np.ndarray,
    number: int,
) -> int:
    """Test the undecided among these leader's hands, for a loss or a win, in round `number`.

    Gives how many were proved; these go into the bit table `table`, and `rounds[hand]` is the round
    in which a hand was, 0 if undecided.
    """
    c = contexts[0]
    new_generation(c)
    proved = 0
    for hand in hands:
        if rounds[hand]:
            continue
        own = c.full ^ swap_trumps(hand, c.ranks) if losses else hand
        c.tests += 1
        if plain:
            success = plain_proves(own, c.full ^ own, not losses, c)
        else:
            success = proves(own, c.full ^ own, not losses, c)
        if success:
            rounds[hand] = number
            for x in (own, swap_plain(own, c.ranks)):
                table[x >> 6] |= np.uint64(1) << np.uint64(x & 63)
            proved += 1
    return proved


class Sweeps:
    """A complete solution by sweeps, in the same bit tables as `Builder`.

    With distances a round reads only what earlier rounds proved.
    """

    def __init__(self, ranks: int, *, distances: bool, plain: bool) -> None:
        self.tables = [np.zeros(max(1, 1 << 4 * ranks >> 6), np.uint64) for _ in range(2)]
        new = [table.copy() for table in self.tables] if distances else self.tables
        context = Context(ranks)
        context.use_bit_tables(*self.tables)
        self.rounds = np.zeros(1 << 4 * ranks, np.uint8)
        hands = np.arange(1, (1 << 4 * ranks) - 1, dtype=np.int64)
        self.hands = hands[hands >> 2 * ranks & (1 << ranks) - 1 >= hands >> 3 * ranks]
        sizes = np.bitwise_count(self.hands)
        by_size = [self.hands[sizes == size] for size in range(1, 4 * ranks)]
        steps = [(losses, group) for losses in (False, True) for group in by_size]
        proved = self.last_round = 1
        while proved:
            # Distance 0, which is round 1, is the lead of an only card.
            todo = steps[:1] if distances and self.last_round == 1 else steps
            proved = sum(
                sweep(
                    group, losses, plain, context.array, new[losses], self.rounds, self.last_round
                )
                for losses, group in todo
            )
            for table, facts in zip(self.tables, new, strict=True):
                table[:] = facts
            self.last_round += 1
        self.last_round -= 1
        self.tests, self.nodes = int(context.record.tests), int(context.record.nodes)


def compare(ranks: int, distances: bool) -> Iterator[dict[str, Any]]:
    """Solve a deck by all methods: a row for each. Stops the program if the results differ."""
    started = time.process_time()
    builder = Builder(ranks, distances=distances, threads=1)
    builder.run()
    fastest = time.process_time() - started
    done = builder.progress()
    what = {"ranks": ranks, "solution": "distances" if distances else "outcomes"}

    def row(method: str, rounds: int, tests: int, nodes: int, seconds: float) -> dict[str, Any]:
        numbers = {"rounds": rounds, "tests": tests, "nodes": nodes, "seconds": seconds}
        return {**what, "method": method, **numbers, "times slower": seconds / fastest}

    yield row("build", done.round, done.tests, done.nodes, fastest)
    for plain in (False, True):
        started = time.process_time()
        sweeps = Sweeps(ranks, distances=distances, plain=plain)
        seconds = time.process_time() - started
        equal = all(map(np.array_equal, sweeps.tables, (builder.leader, builder.responder)))
        if distances:
            tricks = np.frombuffer(b"".join(builder.slices("distance")), np.uint8)
            stored = tricks[table_indices(sweeps.hands.astype(np.int64), ranks)]
            rounds = sweeps.rounds[sweeps.hands]
            equal &= np.array_equal(stored, np.where(rounds, rounds - 1, 0))
        if not equal:
            raise SystemExit(f"the solutions of {ranks} ranks differ")
        yield row(
            "plain" if plain else "lowest", sweeps.last_round, sweeps.tests, sweeps.nodes, seconds
        )


@click.command(help=__doc__)
@click.option("--ranks", type=click.IntRange(1, 6), multiple=True, default=(4, 5))
@click.option("--no-distances", is_flag=True, help="Outcomes only.")
@json_option
def main(ranks: tuple[int, ...], no_distances: bool, as_json: bool) -> None:
    kinds = (False,) if no_distances else (False, True)
    for distances in kinds:
        list(compare(2, distances))  # compiles
    rows = [row for n in ranks for distances in kinds for row in compare(n, distances)]
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
