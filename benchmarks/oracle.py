"""How many positions a proof of a deal takes when an oracle tells who wins.

    python -m benchmarks.oracle --ranks 5 --deals 4

The table plays the oracle. The winner makes moves that the table calls wins, and of these the ones
that leave the fewest positions to be proved; what is proved settles all that it dominates, as in
the search. The choice is greedy, so there may be smaller proofs; but it shows what a search can
hope for that guesses well. For comparison, how many positions the search looks at that is not told.
"""

from __future__ import annotations

import random
import sys

import click
import numpy as np
from numba import njit

from benchmarks.report import json_option, print_report
from engine.deals import random_deal
from solver.complete import value
from solver.core.bitboard import hand_bits, swap_trumps, view
from solver.single.claims import MOST_TRICKS, NO_LIMIT, WINS, Memory, enter_win, status
from solver.single.old_lowlevel import load, store
from solver.single.old_trick import (
    FULL,
    MULTIPLIER,
    MULTIPLIER2,
    NODES,
    U0,
    U1,
    run_lows,
    swap_fields,
    ways_to_beat,
    word,
)
from solver.single.search import Search
from solver.tables import open_tables

NEVER = 1 << 30
"""More than any number of positions."""
MEMO = 1 << 14
table_index = njit(value.table_index)


@njit
def worth(hand: int, responds: int, ranks: int, scores: np.ndarray, full: int) -> int:
    """What the table says of a base position: more for a faster win of the prover."""
    if responds:
        turned = swap_fields(full ^ hand, U0, word(ranks), word(ranks))
        return -np.int64(scores[table_index(np.int64(turned), ranks)])
    return np.int64(scores[table_index(np.int64(hand), ranks)])


@njit("int64(uint64, uint64, int64, int64, int16[::1], uint64)")
def leaf(hand: int, responds: int, least: int, ranks: int, scores: np.ndarray, context: int) -> int:
    """How many positions must be proved for a pickup that leads here: none, one, or NEVER."""
    full = load(context, FULL)
    rest = full ^ hand
    if responds and rest & (rest - U1) == U0:
        return NEVER
    if status(hand, responds, word(MOST_TRICKS), context) == WINS:
        return 0
    return 1 if worth(hand, responds, ranks, scores, full) > least else NEVER


@njit(
    "int64(uint64, uint64, boolean, int64, int64, int16[::1], uint64[:, ::1], int64[::1], uint64)"
)
def price(
    a: int,
    b: int,
    leading: bool,
    least: int,
    ranks: int,
    scores: np.ndarray,
    memo: np.ndarray,
    leaves: np.ndarray,
    context: int,
) -> int:
    """How many positions must be proved to win the lead node; NEVER if it cannot be won.

    With `leaves`, its first entry their number, the positions are added to it.
    """
    leader = a if leading else b
    responder = b if leading else a
    if leader & (leader - U1) == U0:
        return 0 if leading else NEVER
    collect = leaves.size > 0
    slot = (a * MULTIPLIER ^ b * MULTIPLIER2) >> word(50)
    key = b << U1 | (U1 if leading else U0)
    if not collect and memo[slot, 0] == a and memo[slot, 1] == key:
        return np.int64(memo[slot, 2])
    store(context, NODES, load(context, NODES) + U1)
    full = load(context, FULL)
    own, trumps, in_suit, _ = ways_to_beat(responder, leading, context)
    none = leaves[:0]
    best, total, best_card = NEVER, 0, U0
    for step in range(2 if collect and leading else 1):
        leads = run_lows(leader, responder, context)
        while leads:
            card = leads & (~leads + U1)
            leads ^= card
            if step == 1 and card != best_card:
                continue
            # The ends of this lead: picked up, beaten in suit, beaten by a trump.
            kept = a ^ card if leading else full ^ b ^ card
            responds = U0 if leading else U1
            higher = responder & ~((card << U1) - U1) if card & in_suit else U0
            trump = trumps if card & own == U0 else U0
            prices = [leaf(kept, responds, least, ranks, scores, context), -1, -1]
            beats = (higher & (~higher + U1), trump & (~trump + U1))
            for k in range(2):
                beat = beats[k]
                if beat == U0:
                    continue
                if responder == beat:
                    prices[k + 1] = NEVER if leading else 0
                    continue
                mine = a ^ (card if leading else beat)
                his = b ^ (beat if leading else card)
                prices[k + 1] = price(
                    mine, his, not leading, least, ranks, scores, memo, none, context
                )
            chosen = 0
            here = 0
            for k in range(3):
                if prices[k] >= 0 and prices[k] < prices[chosen]:
                    chosen = k
                here += max(0, prices[k])
            if not leading:
                here = prices[chosen]
            here = min(here, NEVER)
            if here < best:
                best, best_card = here, card
            total = min(NEVER, total + here)
            if collect and (step == 1 or not leading):
                for k in range(3):
                    if prices[k] <= 0 or (not leading and k != chosen):
                        continue
                    if k == 0:
                        leaves[0] += 1
                        leaves[leaves[0]] = np.int64(kept << U1 | responds)
                        continue
                    mine = a ^ (card if leading else beats[k - 1])
                    his = b ^ (beats[k - 1] if leading else card)
                    price(mine, his, not leading, least, ranks, scores, memo, leaves, context)
    result = best if leading else total
    memo[slot, 0], memo[slot, 1], memo[slot, 2] = a, key, word(result)
    return result


@njit("int64(uint64, uint64, int64, int16[::1], uint64[:, ::1], uint64)")
def prove(
    hand: int, responds: int, ranks: int, scores: np.ndarray, memo: np.ndarray, context: int
) -> int:
    """Prove a base position and all that it needs; how many were proved."""
    if status(hand, responds, word(MOST_TRICKS), context) == WINS:
        return 0
    full = load(context, FULL)
    least = worth(hand, responds, ranks, scores, full)
    leaves = np.zeros(1 << 12, np.int64)
    memo[:] = 0
    leading = responds == U0
    if price(hand, full ^ hand, leading, least, ranks, scores, memo, leaves, context) >= NEVER:
        raise ValueError("the table is wrong")
    proved = 1
    needed = leaves[1 : leaves[0] + 1].copy()
    for each in needed:
        proved += prove(word(each) >> U1, word(each) & U1, ranks, scores, memo, context)
    enter_win(hand, responds, context)
    return proved


@click.command()
@click.option(
    "--ranks", type=click.IntRange(1, 8), multiple=True, default=[4, 5], show_default=True
)
@click.option("--deals", default=4, show_default=True, help="Random deals of each deck.")
@click.option("--search/--no-search", default=True, show_default=True, help="Search them as well.")
@json_option
def main(ranks: tuple[int, ...], deals: int, search: bool, as_json: bool) -> None:
    """Count the positions that a proof takes with and without an oracle."""
    sys.setrecursionlimit(10_000)
    rows = []
    for deck in ranks:
        scores = open_tables().deck(deck).scores()
        memo = np.zeros((MEMO, 3), np.uint64)
        rng = random.Random(f"{deck}")
        for _ in range(deals):
            deal = random_deal(deck, rng)
            position = deal.position()
            hand = hand_bits(position.hands[0], view(position.trumps, 1), deck)
            score = int(scores[value.table_index(hand, deck)])
            if score == 0:
                continue
            oracle = Memory(deck, 1 << 30)
            if score > 0:
                winner, responds = hand, 0
            else:
                winner, responds = swap_trumps((1 << 4 * deck) - 1 ^ hand, deck), 1
            proved = prove(word(winner), word(responds), deck, scores, memo, oracle.address)
            row = {"ranks": deck, "deal": str(deal), "dealer": "wins" if score > 0 else "loses"}
            row |= {"oracle: positions": proved, "nodes": oracle.nodes}
            if search:
                told = Memory(deck, 2 << 30)
                alone = Search(position, told)
                while alone.advance(NO_LIMIT):
                    pass
                row |= {"search: positions": told.tests, "nodes of it": told.nodes}
            rows.append(row)
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
