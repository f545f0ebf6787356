"""Which positions are worth testing again: the parities said plainly, and that none is missed."""

import numpy as np
import pytest

from solver.complete.reach import reaching
from solver.core.trick import Context, proves


def packed(table):
    """A bit table of at least one word."""
    packed = np.packbits(table, bitorder="little")
    return np.pad(packed, (0, -packed.size % 8)).view(np.uint64)


def unpacked(words, ranks):
    return np.unpackbits(words.view(np.uint8), bitorder="little")[: 1 << 4 * ranks].astype(bool)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("news", [0, 1, 4])
@pytest.mark.parametrize("seed", range(5))
def test_by_definition(ranks, news, seed):
    rng = np.random.default_rng(seed)
    hands = range(1 << 4 * ranks)
    leader, responder = (rng.choice(len(hands), news, replace=False).tolist() for _ in range(2))
    tables = (packed(np.isin(hands, facts)) for facts in (leader, responder))
    found = [unpacked(table, ranks).tolist() for table in reaching(*tables, ranks)]
    for odd, reached in zip((1, 0), found, strict=True):  # the prover leads, or responds
        assert reached == [
            any(y & ~x == 0 and (x ^ y).bit_count() % 2 == odd for y in leader)
            or any(x & ~y == 0 and (x ^ y).bit_count() % 2 != odd for y in responder)
            for x in hands
        ]


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_what_does_not_reach_a_new_fact_is_proved_as_before(ranks, seed):
    rng = np.random.default_rng(seed)
    full = (1 << 4 * ranks) - 1
    old = [rng.random(full + 1) < 0.5 for _ in range(2)]
    new = [table | (np.isin(range(full + 1), rng.integers(full + 1, size=3))) for table in old]
    reached = [
        unpacked(table, ranks)
        for table in reaching(*(packed(a ^ b) for a, b in zip(old, new, strict=True)), ranks)
    ]
    proved = [prove_all(ranks, tables) for tables in (old, new)]
    for before, after, hands in zip(*proved, reached, strict=True):
        assert (before == after)[~hands].all()


def prove_all(ranks, tables):
    """What `proves` says of every base position: where the prover leads, where he responds."""
    full = (1 << 4 * ranks) - 1
    context = Context(ranks)
    context.use_bit_tables(*map(packed, tables))
    proved = np.zeros((2, full + 1), bool)
    for hand in range(1, full):
        for row, leading in enumerate((True, False)):
            proved[row, hand] = proves(hand, full ^ hand, leading, context.record)
    return proved
