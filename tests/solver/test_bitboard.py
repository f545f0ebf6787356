"""Hands as bit sets and their places in a table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import decks, hands

from engine.cards import SUITS, deck_cards
from engine.notation import format_hand, parse_card, parse_hand
from solver.core.bitboard import (
    card_bits,
    hand_bits,
    hand_cards,
    outcome_bits,
    slices,
    swap_plain,
    swap_trumps,
    table_index,
    table_indices,
    view,
)

trumps = st.permutations(range(4)).map(lambda suits: tuple(suits[:2]))
players = st.integers(1, 2)


@st.composite
def bit_sets(draw):
    ranks = draw(decks)
    return draw(st.integers(0, (1 << 4 * ranks) - 1)), ranks


def test_layout():
    """The drawing in the module, for AK of four suits, diamonds mine and spades the other's."""
    suits = view((0, 2), 2)
    assert "".join(SUITS[suit] for suit in suits) == "DSHC"
    names = ["KD", "AD", "KS", "AS", "KH", "AH", "KC", "AC"]
    assert [card_bits(suits, 2)[parse_card(name)] for name in names] == [1 << i for i in range(8)]
    assert hand_bits(parse_hand("AK.-.A.K"), suits, 2) == 0b01_00_11_10
    assert format_hand(hand_cards(0b01_00_11_10, suits, 2)) == "AK.-.A.K"


@given(trumps)
def test_both_players_see_the_same_plain_suits(trumps):
    own, other, *plain = view(trumps, 1)
    assert (own, other) == trumps
    assert view(trumps, 2) == (other, own, *plain)
    assert {own, other, *plain} == set(range(4))


@given(st.data(), decks, trumps, players)
def test_hands_and_bit_sets_are_the_same(data, ranks, trumps, player):
    hand, suits = data.draw(hands(ranks)), view(trumps, player)
    bits = hand_bits(hand, suits, ranks)
    assert bits.bit_count() == len(hand)
    assert hand_cards(bits, suits, ranks) == hand
    assert hand_bits(deck_cards(ranks) - hand, suits, ranks) == (1 << 4 * ranks) - 1 - bits


@given(st.data(), decks, trumps)
def test_swapping_trumps_is_changing_sides(data, ranks, trumps):
    hand = data.draw(hands(ranks))
    mine, others = (hand_bits(hand, view(trumps, player), ranks) for player in (1, 2))
    assert swap_trumps(mine, ranks) == others
    assert swap_trumps(others, ranks) == mine
    assert swap_trumps(np.array([mine, others]), ranks).tolist() == [others, mine]


@given(bit_sets())
def test_swapping_plain_suits(bits):
    hand, ranks = bits
    cards = hand_cards(hand, (0, 1, 2, 3), ranks)
    swapped = hand_bits(cards, (0, 1, 3, 2), ranks)
    assert swap_plain(hand, ranks) == swapped
    assert swap_plain(np.array([hand, swapped]), ranks).tolist() == [swapped, hand]
    assert table_index(hand, ranks) == table_index(swapped, ranks)


def test_places_of_outcomes():
    """Slices of 4 positions take a byte a field, those of 64 eight."""
    assert outcome_bits(5, 1) == (2, 3, 1)
    assert outcome_bits(64 * 2 + 13, 3) == (33, 41, 5)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_table_has_a_place_for_every_hand_and_its_twin(ranks):
    """Both and no others share it, and slices follow one another as the module says."""
    suit = (1 << ranks) - 1
    places = {}
    for hand in range(1 << 4 * ranks):
        p, q = hand >> 2 * ranks & suit, hand >> 3 * ranks
        key = hand & ((1 << 2 * ranks) - 1), min(p, q), max(p, q)
        assert places.setdefault(table_index(hand, ranks), key) == key
    assert sorted(places) == list(range(slices(ranks) << 2 * ranks))
    pairs = [places[number << 2 * ranks][:0:-1] for number in range(slices(ranks))]
    assert pairs == [(p, q) for p in range(suit + 1) for q in range(p + 1)]


@given(bit_sets())
def test_indices_of_arrays(bits):
    hand, ranks = bits
    assert table_indices(np.array([hand]), ranks).tolist() == [table_index(hand, ranks)]
