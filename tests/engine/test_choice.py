"""Challenge before the deal: who cuts the higher card deals, then both name their suits."""

import random

import pytest

from engine.arena.match import Match
from engine.choice import SuitChoice
from engine.errors import GameError
from engine.game import load_game
from engine.position import Position

GAME = load_game("challenge", ranks=6, suits="chosen")


def test_the_dealer_names_two_suits_the_other_one_of_the_rest():
    state = GAME.initial(3)
    choosers = []
    for suit, left in (("hearts", 4), ("clubs", 3), ("spades", 2)):
        choosers.append(state.current_player)
        assert len(state.legal_actions()) == left
        state = state.apply(suit)
    assert choosers == [1, 1, 2]
    assert state == load_game("challenge", ranks=6, suits="HCSD").initial(3)
    assert isinstance(state, Position)


def test_a_suit_is_named_once():
    state = GAME.initial(3).apply("hearts")
    with pytest.raises(GameError, match="expected one of: spades, diamonds, clubs"):
        state.apply("hearts")
    with pytest.raises(GameError, match="not over"):
        state.returns()


def test_nobody_has_seen_the_cards():
    state, other = GAME.initial(3), GAME.initial(4)
    assert state != other
    for player in (1, 2):
        assert state.observation(player) == other.observation(player)
        assert state.information_state_string(player) == "6 ? -"
        sampled = state.sample(player, random.Random(1))
        assert sampled.observation(player) == state.observation(player)
        assert sampled.deal != state.deal
    assert str(state) == f"{state.deal} -"


def test_text():
    state = GAME.parse("6 KQJ.JT9 hs")
    assert str(state) == "6 KQJ.JT9 HS"
    assert eval(repr(state), {"SuitChoice": SuitChoice}) == state
    assert GAME.parse(str(GAME.initial(1))) == GAME.initial(1)
    for text in ("6 KQJ.JT9 HSD", "6 KQJ.JT9 HH", "6 KQJ.JT9", "6 KQJ.JT9 X", "7 K.K -", "HS"):
        with pytest.raises(GameError):
            GAME.parse(text)
    with pytest.raises(GameError):
        load_game("challenge").parse("6 KQJ.JT9 HS")


def test_the_higher_rank_deals_and_equal_ranks_cut_again():
    rounds = set()
    for seed in range(100):
        match = Match.start(load_game("challenge", ranks=3), seed)
        *equal, (one, two) = match.cut
        assert all(a.rank == b.rank and a != b for a, b in equal)
        assert match.dealer == (1 if one.rank > two.rank else 2)
        rounds.add(len(match.cut))
    assert {1, 2} <= rounds
    assert Match.start(load_game("kozel"), 1).cut == ()
    aces = [Match.start(load_game("challenge", ranks=1), seed) for seed in range(20)]
    assert {match.dealer for match in aces} == {1, 2}
    assert {match.cut for match in aces} == {()}
