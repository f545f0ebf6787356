"""Positions by shape: how the hands of a suit are numbered, and where positions lie."""

import random
from itertools import combinations, product
from math import comb, prod

import numpy as np
import pytest

from solver.complete.blocks import STACK, UNUSED, Layout, flood, part_links
from solver.core.bitboard import slices
from solver.core.shapes import Subsets, block_shapes, block_sizes


@pytest.mark.parametrize("ranks", range(1, 11))
def test_hands_of_a_suit(ranks):
    subsets = Subsets.of(ranks)
    bits = subsets.bits.tolist()
    assert sorted(bits) == list(range(1 << ranks))
    for k in range(ranks + 1):
        group = bits[subsets.first[k] : subsets.first[k + 1]]
        assert group == sorted(sum(1 << r for r in held) for held in combinations(range(ranks), k))


@pytest.mark.parametrize("ranks", range(1, 8))
def test_neighbours_are_the_hands_with_one_card_raised(ranks):
    subsets = Subsets.of(ranks)
    raised = {
        (hand, hand + (1 << r))
        for hand in range(1 << ranks)
        for r in range(ranks - 1)
        if hand >> r & 1 and not hand >> r + 1 & 1
    }
    bits, first = subsets.bits.tolist(), subsets.first
    up, down = (
        {
            (hand, bits[first[hand.bit_count()] + place])
            for hand, row in zip(bits, links.tolist(), strict=True)
            for place in row[: row.index(-1)]
        }
        for links in (subsets.up, subsets.down)
    )
    assert up == raised
    assert {(high, low) for low, high in down} == raised
    for links in (subsets.up, subsets.down):
        assert all(set(row[row.index(-1) :]) == {-1} for row in links.tolist())


@pytest.mark.parametrize("ranks", range(1, 6))
def test_every_position_has_a_place_of_its_own(ranks):
    """Or shares it with its twin; nothing else is used."""
    layout = Layout(ranks)
    stamps = layout.empty_stamps()
    places = np.concatenate(
        [layout.slice_places(p, q) for p in range(1 << ranks) for q in range(p + 1)]
    )
    assert places.size == slices(ranks) << 2 * ranks
    assert stamps[places[0]] == stamps[places[-1]] == UNUSED  # no cards, all cards
    places = places[1:-1]
    assert np.unique(places).size == places.size
    assert sorted(places.tolist()) == np.flatnonzero(stamps == 0).tolist()
    assert set(np.unique(stamps).tolist()) == {0, UNUSED}
    for p, q in random.Random(1).choices(list(combinations(range(1 << ranks), 2)), k=20):
        assert np.array_equal(layout.slice_places(p, q), layout.slice_places(q, p))


@pytest.mark.parametrize("ranks", range(1, 5))
def test_blocks_hold_one_shape(ranks):
    layout = Layout(ranks)
    assert layout.sizes.tolist() == block_sizes(ranks)
    assert [tuple(shape) for shape in layout.shapes.tolist()] == block_shapes(ranks)
    suit = (1 << ranks) - 1
    for p, q in [(0, 0), (1, 0), (suit, 1), (suit, suit)]:
        blocks = np.searchsorted(layout.starts, layout.slice_places(p, q), side="right") - 1
        for trumps, shape in enumerate(layout.shapes[blocks].tolist()):
            held = [(trumps & suit).bit_count(), (trumps >> ranks).bit_count()]
            assert shape == [*held, p.bit_count(), q.bit_count()]
    for count, blocks in enumerate(layout.by_cards):
        assert (layout.shapes[blocks].sum(axis=1) == count).all()
        sizes = layout.sizes[blocks].tolist()
        assert sizes == sorted(sizes, reverse=True)
    assert sum(map(len, layout.by_cards)) == len(layout.shapes)


def test_large_decks_are_laid_out():
    """The used bytes of the advanced deck: P >= Q of the same size, or p > q."""
    sizes = [comb(10, k) for k in range(11)]
    pairs = sum(p * q for i, p in enumerate(sizes) for q in sizes[: i + 1])
    assert sum(block_sizes(10)) == 2**20 * pairs


@pytest.mark.parametrize("shape", [(1, 2, 2, 2), (2, 1, 2, 1), (0, 3, 1, 1), (2, 2, 2, 2)])
@pytest.mark.parametrize("decided", [0.0, 0.2, 0.5])
def test_flood(shape, decided):
    """It stamps what raising leads to through undecided positions, twins being the same."""
    ranks, twins = 4, shape[2] == shape[3]
    subsets, rng = Subsets.of(ranks), random.Random(str(shape))
    firsts = [int(subsets.first[k]) for k in shape]
    counts = [comb(ranks, k) for k in shape]

    def normal(suits):
        return (*suits[:2], *sorted(suits[2:], reverse=True)) if twins else tuple(suits)

    hands = [subsets.bits[f : f + c].tolist() for f, c in zip(firsts, counts, strict=True)]
    positions = [suits for suits in product(*hands) if normal(suits) == suits]
    index = {
        suits: np.ravel_multi_index([h.index(s) for h, s in zip(hands, suits, strict=True)], counts)
        for suits in positions
    }
    for links, step in ((subsets.up, 1), (subsets.down, -1)):
        start = rng.choice(positions)
        block = np.full(prod(counts), UNUSED, np.uint8)
        for suits, place in index.items():
            block[place] = 1 if rng.random() < decided and suits != start else 0
        block[index[start]] = 7
        expected, waiting = block.copy(), [start]
        while waiting:
            suits = waiting.pop()
            for i in range(4):
                for r in range(ranks - 1):
                    low, high = (r, r + 1)[::step]
                    if suits[i] >> low & 1 and not suits[i] >> high & 1:
                        raised = suits[i] ^ 1 << low ^ 1 << high
                        after = normal((*suits[:i], raised, *suits[i + 1 :]))
                        if expected[index[after]] == 0:
                            expected[index[after]] = 7
                            waiting.append(after)
        digits = [h.index(s) for h, s in zip(hands, start, strict=True)]
        number = sum(digit << shift for digit, shift in zip(digits, (24, 16, 8, 0), strict=True))
        stack = np.empty(STACK, np.int64)
        trumps = part_links(links, firsts[0], 0, counts[0])
        done = flood(block, tuple(counts), tuple(firsts), twins, number, 7, trumps, links, stack)
        assert np.array_equal(block, expected)
        assert done == (expected == 7).sum() - 1
