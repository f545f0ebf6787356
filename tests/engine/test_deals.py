import copy
import pickle
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import deals

from engine.cards import Card, deck_cards, in_order
from engine.deals import Deal, all_deals, random_deal
from engine.errors import GameError, NotationError
from engine.position import Position


@given(deals())
def test_round_trip(deal):
    assert Deal.parse(str(deal)) == Deal.parse(str(deal), deal.ranks) == deal
    assert Deal.parse(str(deal).split()[1], deal.ranks) == deal
    assert eval(repr(deal)) == deal
    assert {deal: 1}[Deal.parse(str(deal))] == 1
    assert pickle.loads(pickle.dumps(deal)) == copy.deepcopy(deal) == deal


def test_example_of_the_notation():
    position = Deal.parse("KQJ.JT9", 6).position()
    assert str(position) == "6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 -"


def test_suits_may_be_others():
    position = Deal.parse("KQJ.JT9", 6).position("CDHS")
    assert str(position) == "6 AKQ.AT9.JT9.KQJ JT9.KQJ.AKQ.AT9 CH 1 -"


@pytest.mark.parametrize(
    "text", ["KQJ.JT9", " kqj.9tj\r\n", "KQJ.J109", "♠KQJ ♥JT9", "♥JT9♠KQJ", "\ufeffKQJ . JT9"]
)
def test_read_liberally(text):
    assert str(Deal.parse(text)) == str(Deal.parse(text, 6)) == "6 KQJ.JT9"
    assert str(Deal.parse(f" 8 {text}")) == str(Deal.parse(text, 8)) == "8 KQJ.JT9"


@pytest.mark.parametrize("text", ["10 . 9", "10.9", "10 .9", "10\t. 9"])
def test_a_ten_is_no_number_of_ranks(text):
    assert str(Deal.parse(text)) == "6 T.9"


@pytest.mark.parametrize(
    ("text", "fits"), [("KQJ.JT97", "8 KQJ.JT97"), ("-.8", "7 -.8"), ("♥5♠9", "10 9.5")]
)
def test_a_deal_that_does_not_fit_the_easy_deck_is_refused_with_the_deck_that_it_fits(text, fits):
    ranks, lowest = fits.split()[0], fits[-1]
    with pytest.raises(NotationError) as caught:
        Deal.parse(text)
    assert str(caught.value) == (
        f"{text!r} is not a deal of the easy deck ({lowest} is not among its ranks), "
        f"expected --deck {ranks} or {fits}"
    )
    assert str(Deal.parse(text, int(ranks))) == str(Deal.parse(fits)) == fits


@pytest.mark.parametrize("text", ["-.-", "—.–", ".", " - . - "])
def test_empty_deal(text):
    assert Deal.parse(text, 3) == Deal(3, frozenset(), frozenset())
    assert str(Deal.parse(text, 3).position()) == "3 -.-.AKQ.AKQ AKQ.AKQ.-.- SD 1 -"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("KQJ", r"has 1 suit, expected 2 with dots between them \(S.H\)"),
        ("KQJ.JT9.-.-", "has 4 suits, expected 2"),
        ("KQJ.JT8", "hearts: 8 is not in a deck of 6 ranks"),
        ("KQK.JT9", "spades: K appears twice"),
        ("♠KQJ♣JT9", "each of the suits S, H at most once"),
    ],
)
def test_bad_deal(text, message):
    with pytest.raises(NotationError, match=message):
        Deal.parse(text, 6)


@pytest.mark.parametrize(
    ("text", "ranks", "message"),
    [
        ("8 KQJ.JT9", 6, "a deal of 8 ranks, expected 6"),
        ("8 KQJ.6", None, "6 is not in a deck of 8 ranks"),
        ("KQJ.4", None, "4 is not in a deck of 10 ranks"),
        ("11 KQJ.4", None, "unknown deck '11'"),
        ("0 -.-", None, "unknown deck '0'"),
    ],
)
def test_a_deal_of_another_deck_is_refused(text, ranks, message):
    with pytest.raises(GameError, match=message):
        Deal.parse(text, ranks)


@given(deals(), st.permutations("SHDC"))
def test_hands_are_mirror_images(deal, suits):
    position = deal.position("".join(suits))
    position.check()
    assert position.is_base
    trump1, second1, trump2, second2 = map("SHDC".index, suits)
    swap = {trump1: trump2, second1: second2, trump2: trump1, second2: second1}
    hand1, hand2 = position.hands
    assert {Card(swap[card.suit], card.rank) for card in hand1} == hand2
    assert {card.rank for card in hand1 if card.suit == trump1} == deal.trump
    assert {card.rank for card in hand1 if card.suit == second1} == deal.second
    assert (position.trumps, position.turn) == ((trump1, trump2), 1)


@pytest.mark.parametrize("ranks", [1, 2, 3, 6])
def test_all_deals(ranks):
    found = list(all_deals(ranks))
    assert len(set(found)) == len(found) == 4**ranks
    assert sum(deal.weight for deal in found) == comb(4 * ranks, 2 * ranks)


def test_order_of_all_deals():
    assert [str(deal) for deal in all_deals(1)] == ["1 -.-", "1 -.A", "1 A.-", "1 A.A"]
    easy = [str(deal).removeprefix("6 ") for deal in all_deals(6)]
    assert easy[:5] == ["-.-", "-.9", "-.T", "-.T9", "-.J"]
    assert easy[64:66] == ["9.-", "9.9"]
    assert easy[-1] == "AKQJT9.AKQJT9"


def test_weight_counts_half_decks():
    """Every half deck of the 2-rank deck, dealt as the rules say."""
    deck = in_order(deck_cards(2))
    count = Counter(
        tuple(frozenset(c.rank for c in half if c.suit == suit) for suit in (0, 1))
        for half in combinations(deck, 4)
    )
    assert count == {(deal.trump, deal.second): deal.weight for deal in all_deals(2)}


def test_random_deals_are_uniform_over_half_decks():
    rng = random.Random(1)
    trials = 7000
    count = Counter(random_deal(2, rng) for _ in range(trials))
    for deal in all_deals(2):
        expected = trials * Fraction(deal.weight, comb(8, 4))
        assert abs(count[deal] - expected) < 4 * expected**0.5


def test_random_deal_is_seeded():
    assert [random_deal(8, random.Random(s)) for s in range(20)] == [
        random_deal(8, random.Random(s)) for s in range(20)
    ]
    assert len({random_deal(8, random.Random(s)) for s in range(20)}) > 15
    assert isinstance(random_deal(8, random.Random(1)).position(), Position)
