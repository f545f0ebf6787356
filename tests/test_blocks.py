"""Positions by shape: how the hands of a suit are numbered, and where positions lie."""

import random
from itertools import combinations
from math import comb

import numpy as np
import pytest

from solver.bitboard import slices
from solver.blocks import UNUSED, Layout, Subsets, block_shapes, block_sizes, swap_fields


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


@pytest.mark.parametrize("width", range(1, 11))
def test_swap_fields(width):
    rng = random.Random(width)
    for _ in range(100):
        fields = [rng.getrandbits(width) for _ in range(4)]
        i, j = rng.sample(range(4), 2)
        low, high = np.uint64(i * width), np.uint64(j * width)
        x = sum(field << k * width for k, field in enumerate(fields))
        fields[i], fields[j] = fields[j], fields[i]
        swapped = swap_fields(np.uint64(x), low, high, np.uint64(width))
        assert swapped == sum(field << k * width for k, field in enumerate(fields))
