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
from numba import njit

from benchmarks.report import json_option, print_report
from solver.complete.build import Builder
from solver.complete.table import table_indices
from solver.core.lowlevel import has_bit, load, store
from solver.core.shapes import swap_fields
from solver.core.trick import (
    FULL,
    LEADER,
    MEMO,
    MEMO_SIZE,
    NODES,
    OTHER,
    OWN,
    PUBLISH_LEADER,
    PUBLISH_RESPONDER,
    RESPONDER,
    TAG,
    TESTS,
    U0,
    U1,
    below_highest,
    make_context,
    proves,
    word,
)

_SIX: int = word(6)
_LOW6: int = word(63)
_SIDE: int = word(1 << 40)
_RESULT: int = word(1 << 41)
_NEXT_TAG: int = word(1 << 41)
_SHIFT_HASH: int = word(52)
_MULTIPLIER: int = word(0x9E3779B97F4A7C15)
_MULTIPLIER2: int = word(0xC2B2AE3D27D4EB4F)


@njit("boolean(uint64, uint64, boolean, uint64, uint64)", cache=True)
def plain_proves(a: int, b: int, leading: bool, context: int, ranks: int) -> bool:
    """`solver.core.trick.proves` with every lead and every beat."""
    store(context, NODES, load(context, NODES) + U1)
    leader = a if leading else b
    responder = b if leading else a
    if leader & (leader - U1) == U0:
        return leading
    own = load(context, OTHER if leading else OWN)
    in_suit = below_highest(responder, context)
    trumps = responder & own
    beatable = in_suit | ~own if trumps else in_suit
    open_leads = U0
    leads = leader
    while leads:
        card = leads & (~leads + U1)
        leads ^= card
        if leading:
            picked_up = has_bit(load(context, LEADER), a ^ card)
        else:
            picked_up = has_bit(load(context, RESPONDER), load(context, FULL) ^ b | card)
        if picked_up == leading:
            if card & beatable == U0:
                return leading
            open_leads |= card
    if open_leads == U0 or responder & (responder - U1) == U0:
        return not leading

    tag = load(context, TAG) | b | (_SIDE if leading else U0)
    slot = ((a * _MULTIPLIER ^ b * _MULTIPLIER2) >> _SHIFT_HASH) << U1
    memo = load(context, MEMO)
    if load(memo, slot) & ~_RESULT == a and load(memo, slot + U1) == tag:
        known: bool = load(memo, slot) & _RESULT != U0
        return known

    one_way = open_leads
    if trumps:
        one_way = open_leads & (own | ~in_suit)
    result = not leading
    for step in range(2):
        leads = one_way if step == 0 else open_leads ^ one_way
        while leads and result != leading:
            card = leads & (~leads + U1)
            leads ^= card
            rest = leader ^ card
            suit = load(context, OWN)
            while suit & card == U0:
                suit <<= ranks
            beaten = False
            for by_trump in range(2):
                if by_trump:
                    beats = trumps if card & own == U0 else U0
                else:
                    beats = responder & suit & ~((card << U1) - U1)
                while beats and not beaten:
                    beat = beats & (~beats + U1)
                    beats ^= beat
                    if leading:
                        beaten = not plain_proves(rest, b ^ beat, not leading, context, ranks)
                    else:
                        beaten = plain_proves(a ^ beat, rest, not leading, context, ranks)
            result = beaten != leading
    store(memo, slot, a | (_RESULT if result else U0))
    store(memo, slot + U1, tag)
    return result


@njit(cache=True)
def sweep(
    ranks: int,
    hands: np.ndarray,
    losses: bool,
    plain: bool,
    context: int,
    rounds: np.ndarray,
    number: int,
) -> int:
    """Test the undecided among these leader's hands, for a loss or a win, in round `number`.

    Gives how many were proved; `rounds[hand]` is the round in which a hand was, 0 if undecided.
    """
    full = load(context, FULL)
    width = word(ranks)
    table = load(context, PUBLISH_RESPONDER if losses else PUBLISH_LEADER)
    store(context, TAG, load(context, TAG) + _NEXT_TAG)
    proved = 0
    for hand in hands:
        if rounds[hand]:
            continue
        own = full ^ swap_fields(hand, U0, width, width) if losses else hand
        store(context, TESTS, load(context, TESTS) + U1)
        if plain:
            success = plain_proves(own, full ^ own, not losses, context, width)
        else:
            success = proves(own, full ^ own, not losses, context)
        if success:
            rounds[hand] = number
            for x in (own, swap_fields(own, width + width, width + width + width, width)):
                place = x >> _SIX
                store(table, place, load(table, place) | U1 << (x & _LOW6))
            proved += 1
    return proved


class Sweeps:
    """A complete solution by sweeps, in the same bit tables as `Builder`.

    With distances a round reads only what earlier rounds proved.
    """

    def __init__(self, ranks: int, *, distances: bool, plain: bool) -> None:
        self.tables = [np.zeros(max(1, 1 << 4 * ranks >> 6), np.uint64) for _ in range(2)]
        new = [table.copy() for table in self.tables] if distances else self.tables
        memo = np.zeros(2 * MEMO_SIZE, np.uint64)
        context = make_context(ranks)
        for field, array in (
            *zip((LEADER, RESPONDER), self.tables, strict=True),
            *zip((PUBLISH_LEADER, PUBLISH_RESPONDER), new, strict=True),
            (MEMO, memo),
        ):
            context[field] = array.ctypes.data
        self.rounds = np.zeros(1 << 4 * ranks, np.uint8)
        hands = np.arange(1, (1 << 4 * ranks) - 1, dtype=np.uint64)
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
                    ranks, group, losses, plain, context.ctypes.data, self.rounds, self.last_round
                )
                for losses, group in todo
            )
            for table, facts in zip(self.tables, new, strict=True):
                table[:] = facts
            self.last_round += 1
        self.last_round -= 1
        self.tests, self.nodes = int(context[TESTS]), int(context[NODES])


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
