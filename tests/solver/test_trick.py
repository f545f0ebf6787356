"""The trick search against what it is meant to do, said plainly."""

import random

import numpy as np
import oracle
import pytest

from solver.complete.build import Builder
from solver.core import bitboard, trick
from solver.core.bitboard import Deck, swap_trumps
from solver.core.trick import TABLES, Context, proves
from solver.tables import open_tables

SUITS = range(4)


def cards(bits):
    return [bit for bit in range(bits.bit_length()) if bits >> bit & 1]


class Compiled:
    """The jitted functions for one deck."""

    def __init__(self, ranks):
        self.deck = Context(ranks).record

    below_highest = staticmethod(trick.below_highest)
    run_lows = staticmethod(trick.run_lows)


class Plain:
    """The same two functions as Python has them."""

    def __init__(self, ranks):
        self.deck = Deck.of(ranks)

    below_highest = staticmethod(bitboard.below_highest)
    run_lows = staticmethod(bitboard.run_lows)


class Prover:
    """`proves` with two tables, lists of bools over the prover's hand."""

    def __init__(self, ranks, *tables):
        self.context = Context(ranks)
        self.context.use_bit_tables(*(np.packbits(table, bitorder="little") for table in tables))

    def proves(self, a, b, leading):
        return proves(a, b, leading, self.context.record)


def below_highest(hand, ranks):
    return sum(
        1 << bit
        for bit in range(4 * ranks)
        if any(held // ranks == bit // ranks and held > bit for held in cards(hand))
    )


def run_lows(hand, other, ranks):
    """Cards whose next lower card in either hand, in their suit, is the other's, or is none."""
    lows = 0
    for card in cards(hand):
        below = [c for c in cards(hand | other) if c // ranks == card // ranks and c < card]
        if not below or other >> max(below) & 1:
            lows |= 1 << card
    return lows


def some_hands(ranks, count, rng):
    """Pairs of hands with no card in common; every number of cards in the pile is likely."""
    for _ in range(count):
        a = b = 0
        weights = rng.choices(range(1, 10), k=3)
        for bit in range(4 * ranks):
            where = rng.choices("abp", weights)[0]
            a |= (where == "a") << bit
            b |= (where == "b") << bit
        yield a, b


@pytest.mark.parametrize("kernel", [Compiled, Plain])
@pytest.mark.parametrize("ranks", range(1, 11))
def test_below_highest_and_run_lows(kernel, ranks):
    kernel = kernel(ranks)
    full = (1 << 4 * ranks) - 1
    corners = [(0, 0), (full, 0), (0, full), (1, full - 1), (full - 1, 1)]
    for a, b in [*corners, *some_hands(ranks, 200, random.Random(ranks))]:
        assert kernel.below_highest(a, kernel.deck) == below_highest(a, ranks)
        assert kernel.run_lows(a, b, kernel.deck) == run_lows(a, b, ranks)


def beats(hand, lead, trump, ranks):
    """The cards of `hand` that beat `lead`, for a player with that trump suit."""
    suit = lead // ranks
    return [c for c in cards(hand) if (c > lead if c // ranks == suit else c // ranks == trump)]


def plainly_proves(a, b, leading, leader, responder, ranks):
    """What `proves` means: all leads and all beats, no memory."""
    full = (1 << 4 * ranks) - 1
    if leading:
        if len(cards(a)) == 1:
            return True
        return any(
            leader[a ^ 1 << lead]
            and all(
                b != 1 << beat
                and plainly_proves(a ^ 1 << lead, b ^ 1 << beat, False, leader, responder, ranks)
                for beat in beats(b, lead, 1, ranks)
            )
            for lead in cards(a)
        )
    if len(cards(b)) == 1:
        return False
    return all(
        responder[full ^ b ^ 1 << lead]
        or any(
            a == 1 << beat
            or plainly_proves(a ^ 1 << beat, b ^ 1 << lead, True, leader, responder, ranks)
            for beat in beats(a, lead, 0, ranks)
        )
        for lead in cards(b)
    )


def random_table(ranks, rng):
    """A random set of hands that is closed under Raising, which is all that `proves` needs.

    Higher cards weigh more; a hand is in that weighs enough on both of two scales, or on a third.
    """
    hands = range(1 << 4 * ranks)
    scales = []
    for _ in range(3):
        weights = [w for _ in SUITS for w in sorted(rng.randint(-6, 9) for _ in range(ranks))]
        scale = [sum(weights[card] for card in cards(hand)) for hand in hands]
        limit = sorted(scale)[int(len(scale) * rng.uniform(0.2, 0.8))]
        scales.append([weight >= limit for weight in scale])
    return [(one and two) or three for one, two, three in zip(*scales, strict=True)]


@pytest.mark.parametrize(("ranks", "count"), [(1, 100), (2, 2000), (3, 1000)])
@pytest.mark.parametrize("seed", range(4))
def test_proves_what_follows_from_any_tables_closed_under_raising(ranks, count, seed):
    rng = random.Random(seed)
    tables = random_table(ranks, rng), random_table(ranks, rng)
    kernel = Prover(ranks, *tables)
    results = set()
    for a, b in some_hands(ranks, count, rng):
        if not (a and b):
            continue
        for leading in (True, False):
            result = kernel.proves(a, b, leading)
            assert result == plainly_proves(a, b, leading, *tables, ranks), (a, b, leading)
            results.add((leading, result))
    assert len(results) == 4


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("known", [0.0, 0.5, 0.9, 0.98, 1.0])
def test_proves_only_what_is_true(ranks, known):
    """From any part of the truth, closed or not, and everything from all of it."""
    rng = np.random.default_rng(ranks)
    outcomes = np.concatenate([[0], oracle.outcomes(ranks), [0]])
    full = outcomes.size - 1
    leader = outcomes > 0
    responder = outcomes[swap_trumps(full - np.arange(full + 1), ranks)] < 0  # seen from him
    tables = [table & (rng.random(full + 1) < known) for table in (leader, responder)]
    kernel = Prover(ranks, *tables)
    for hand in rng.integers(1, full, 3000).tolist():
        for leading, truth in ((True, leader), (False, responder)):
            proved = kernel.proves(hand, full ^ hand, leading)
            assert proved <= truth[hand]
            assert known < 1 or proved == truth[hand]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_proves_from_the_content_of_an_outcome_table(ranks):
    tables = open_tables().deck(ranks)
    context = Context(ranks, TABLES)
    context.use_table(tables.unpacked("outcome"))
    full = (1 << 4 * ranks) - 1
    for hand in range(1, full, 1 if ranks < 4 else 7):
        score = tables[bitboard.table_index(hand, ranks)]
        other = swap_trumps(full ^ hand, ranks)
        assert proves(hand, full ^ hand, True, context.record) == (score > 0)
        assert proves(other, full ^ other, False, context.record) == (score < 0)


@pytest.mark.parametrize("kind", ["distance", "progress"])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_proves_within_a_bound(ranks, kind):
    """A win takes one trick more than the longest of the wins that it needs; stamps fall."""
    context = Context(ranks, TABLES)
    if kind == "distance":
        tables = open_tables().deck(ranks)
        measure = tables.unpacked("distance")
        context.use_table(tables.unpacked("outcome"), measure)
    else:
        builder = Builder(ranks, distances=False)
        builder.run()
        measure = np.frombuffer(b"".join(builder.slices(kind)), np.uint8)
        context.use_progress(measure)
    full = (1 << 4 * ranks) - 1
    for hand in range(1, full):
        outcome = int(oracle.outcomes(ranks)[hand - 1])
        if outcome == 0 or hand & hand - 1 == 0:
            continue
        need = int(measure[bitboard.table_index(hand, ranks)])
        if kind == "progress":
            need = need << 6 | hand.bit_count()
        mine = hand if outcome > 0 else swap_trumps(full ^ hand, ranks)
        context.within(need - 1)
        assert proves(mine, full ^ mine, outcome > 0, context.record)
        if kind == "distance" and need > 1:
            context.within(need - 2)
            assert not proves(mine, full ^ mine, outcome > 0, context.record)


def test_generations_that_begin_again_find_an_empty_memo():
    """A number comes up again after four million generations, and no entry may outlive that."""
    context = Context(3)
    memo = np.full(2 * trick.MEMO_SIZE, 7, np.int64)
    context.point(memo=memo)
    trick.new_generation(context.record)
    assert memo.all()
    context.record.generation = (1 << 63) - (1 << 41)
    trick.new_generation(context.record)
    assert context.record.generation == 0
    assert not memo.any()
