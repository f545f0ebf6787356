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
from typing import Any

import click
import numpy as np
from numba import types

from benchmarks.report import json_option, print_report
from engine.deals import random_deal
from solver.core.bitboard import hand_bits, view
from solver.core.bitboard import swap_trumps as seen_from_other
from solver.core.jit import njit
from solver.core.lowlevel import product
from solver.core.trick import (
    MULTIPLIER,
    MULTIPLIER2,
    before_pickup,
    lowest_beats,
    run_lows,
    swap_trumps,
    table_index,
    ways_to_beat,
)
from solver.single.claims import MOST_TRICKS, NO_LIMIT, WINS, Memory, enter_win, status
from solver.single.facts import RECORD
from solver.single.search import Search
from solver.tables import open_tables

NEVER = 1 << 30
"""More than any number of positions."""
MEMO = 1 << 14
_I64, _SCORES, _MEMO = types.int64, types.int16[::1], types.int64[:, ::1]


@njit(cache=True)
def worth(hand: int, responds: int, scores: np.ndarray, c: Any) -> int:
    """What the table says of a base position: more for a faster win of the prover."""
    if responds:
        return -np.int64(scores[table_index(swap_trumps(c.full ^ hand, c.ranks), c.ranks)])
    return np.int64(scores[table_index(hand, c.ranks)])


@njit(cache=True)
def leaf(hand: int, responds: int, least: int, scores: np.ndarray, c: Any) -> int:
    """How many positions must be proved for a pickup that leads here: none, one, or NEVER."""
    rest = c.full ^ hand
    if responds and rest & rest - 1 == 0:
        return NEVER
    if status(hand, responds, MOST_TRICKS, c) == WINS:
        return 0
    return 1 if worth(hand, responds, scores, c) > least else NEVER


@njit(_I64(_I64, _I64, types.boolean, _I64, _SCORES, _MEMO, _I64[::1], RECORD), cache=True)
def price(
    a: int,
    b: int,
    leading: bool,
    least: int,
    scores: np.ndarray,
    memo: np.ndarray,
    leaves: np.ndarray,
    c: Any,
) -> int:
    """How many positions must be proved to win the lead node; NEVER if it cannot be won.

    With `leaves`, its first entry their number, the positions are added to it.
    """
    leader, responder = (a, b) if leading else (b, a)
    if leader & leader - 1 == 0:
        return 0 if leading else NEVER
    collect = leaves.size > 0
    slot = (product(a, MULTIPLIER) ^ product(b, MULTIPLIER2)) >> 50 & MEMO - 1
    key = b << 1 | leading
    if not collect and memo[slot, 0] == a and memo[slot, 1] == key:
        return np.int64(memo[slot, 2])
    c.nodes += 1
    own, trumps, in_suit, _ = ways_to_beat(responder, leading, c)
    none = leaves[:0]
    best, total, best_card = NEVER, 0, 0
    for step in range(2 if collect and leading else 1):
        leads = run_lows(leader, responder, c)
        while leads:
            card = leads & -leads
            leads ^= card
            if step == 1 and card != best_card:
                continue
            # The ends of this lead: picked up, beaten in suit, beaten by a trump.
            kept = before_pickup(a, b, leading, c) ^ card
            responds = 0 if leading else 1
            prices = [leaf(kept, responds, least, scores, c), -1, -1]
            beats = lowest_beats(card, responder, own, trumps, in_suit)
            for k in range(2):
                beat = beats[k]
                if beat == 0:
                    continue
                if responder == beat:
                    prices[k + 1] = NEVER if leading else 0
                    continue
                mine = a ^ (card if leading else beat)
                his = b ^ (beat if leading else card)
                prices[k + 1] = price(mine, his, not leading, least, scores, memo, none, c)
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
                        leaves[leaves[0]] = kept << 1 | responds
                        continue
                    mine = a ^ (card if leading else beats[k - 1])
                    his = b ^ (beats[k - 1] if leading else card)
                    price(mine, his, not leading, least, scores, memo, leaves, c)
    result = best if leading else total
    memo[slot, 0], memo[slot, 1], memo[slot, 2] = a, key, result
    return result


@njit(_I64(_I64, _I64, _SCORES, _MEMO, RECORD), cache=True)
def prove(hand: int, responds: int, scores: np.ndarray, memo: np.ndarray, c: Any) -> int:
    """Prove a base position and all that it needs; how many were proved."""
    if status(hand, responds, MOST_TRICKS, c) == WINS:
        return 0
    least = worth(hand, responds, scores, c)
    leaves = np.zeros(1 << 12, np.int64)
    memo[:] = 0
    if price(hand, c.full ^ hand, responds == 0, least, scores, memo, leaves, c) >= NEVER:
        raise ValueError("the table is wrong")
    proved = 1
    needed = leaves[1 : leaves[0] + 1].copy()
    for each in needed:
        proved += prove(each >> 1, each & 1, scores, memo, c)
    enter_win(hand, responds, c)
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
        memo = np.zeros((MEMO, 3), np.int64)
        rng = random.Random(f"{deck}")
        for _ in range(deals):
            deal = random_deal(deck, rng)
            position = deal.position()
            hand = hand_bits(position.hands[0], view(position.trumps, 1), deck)
            score = int(scores[table_index(hand, deck)])
            if score == 0:
                continue
            oracle = Memory(deck, 1 << 30)
            if score > 0:
                winner, responds = hand, 0
            else:
                winner, responds = seen_from_other((1 << 4 * deck) - 1 ^ hand, deck), 1
            proved = prove(winner, responds, scores, memo, oracle.record)
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
