"""Matches: dealer, scores and end of each game."""

import random

import pytest
from pile_states import make, play

from engine.arena.match import Match
from engine.errors import GameError
from engine.game import load_game
from engine.games.kozel_tricks import Group, Trick
from engine.notation import parse_card
from engine.position import Position


class Deal:
    """A finished deal of Kozel with these penalties."""

    is_terminal = is_decided = True

    def __init__(self, *penalties):
        self._penalties = penalties

    def penalties(self):
        return self._penalties


def play_random(state, limit, rng):
    """The state after random play, which may stop before the end."""
    for _ in range(limit):
        if state.is_terminal:
            break
        state = state.apply(rng.choice(state.legal_actions()))
    return state


def svoyi(match, loser, first=None):
    """The end of a deal of three; with loser 0 it is a draw between 1 and 2."""
    last, other = (2, 1) if loser == 0 else (loser, loser % 3 + 1)
    hands = ["", "", ""]
    hands[other - 1], hands[last - 1] = "7H", "8H" if loser == 0 else "8H 9H"
    out = str(6 - last - other)
    trumps = {"trumps": "C/D/S", "turn": other, "phase": "lead", "out": out}
    state = play(make(match.game, hands, dealer=match.dealer, **{"rest": "pile"} | trumps), "7H")
    assert state.is_terminal
    assert state.loser == loser
    return state


def start(name, seed=1, target=None, **options):
    return Match.start(load_game(name, **options), seed, target)


def dealers(name, **options):
    return {start(name, seed, **options).dealer for seed in range(40)}


def test_the_first_dealer_is_drawn_or_set():
    assert dealers("svoyi_kozyri", players=3) == {1, 2, 3}
    assert dealers("hund") == dealers("kozel") == {1, 2, 3, 4}
    assert dealers("challenge") == {1, 2}
    assert dealers("kozel", dealer=3) == {3}


@pytest.mark.parametrize("name", ["svoyi_kozyri", "hund", "kozel"])
def test_the_dealer_of_the_match_deals(name):
    match = start(name, dealer=2)
    assert match.game.dealer == "2"
    assert match.initial().current_player in ((2,) if name == "svoyi_kozyri" else (1, 2, 3, 4))
    if name == "kozel":
        assert match.initial().current_player == 3


def test_svoyi_kozyri_the_loser_deals_next():
    match = start("svoyi_kozyri", players=3, dealer=1)
    for loser in (2, 2, 3, 1):
        match = match.after(svoyi(match, loser))
        assert match.dealer == loser
        assert match.game.dealer == str(loser)


def test_svoyi_kozyri_after_a_draw_the_same_player_deals():
    match = start("svoyi_kozyri", players=3, dealer=3)
    drawn = match.after(svoyi(match, 0))
    assert (drawn.dealer, drawn.scores, drawn.deals) == (3, (0, 0, 0), 1)


def test_a_deal_that_reaches_its_limit_is_a_draw():
    match = start("svoyi_kozyri", players=3, dealer=3)
    drawn = match.after(match.initial())
    assert (drawn.dealer, drawn.scores, drawn.deals) == (3, (0, 0, 0), 1)
    match = start("hund", dealer=3)
    assert match.after(match.initial()).dealer == 4


def test_svoyi_kozyri_losses_until_the_agreed_number():
    match = start("svoyi_kozyri", players=3, target=2)
    for loser in (2, 3, 0):
        match = match.after(svoyi(match, loser))
        assert not match.over
    match = match.after(svoyi(match, 3))
    assert match.over
    assert (match.scores, match.winners, match.losers) == ((0, 1, 2), (1,), (3,))
    with pytest.raises(GameError, match="over"):
        match.initial()


@pytest.mark.parametrize("target", [5, "10"])
def test_svoyi_kozyri_first_out(target):
    match = start("svoyi_kozyri", players=3, target=target, score="first_out")
    for _ in range(int(target)):
        assert not match.over
        match = match.after(svoyi(match, 2))
        assert match.dealer == 2, "the loser deals, however it is scored"
    assert match.over
    assert (match.scores, match.winners, match.losers) == ((int(target), 0, 0), (1,), (2, 3))


def test_svoyi_kozyri_first_out_counts_in_a_draw():
    match = start("svoyi_kozyri", players=3, score="first_out")
    assert match.after(svoyi(match, 0)).scores == (0, 0, 1)


def test_svoyi_kozyri_first_out_counts_in_a_deal_that_is_cut_off():
    match = start("svoyi_kozyri", players=3, score="first_out", dealer=3)
    hands = ["AC KC", "", "AH KH"]
    cut = make(match.game, hands, trumps="C/D/H", dealer=3, turn=1, phase="lead")
    after = match.after(cut)
    assert (after.scores, after.dealer) == ((0, 1, 0), 3)
    match = start("svoyi_kozyri", players=3, dealer=3)
    assert match.after(cut._replace(game=match.game)).scores == (0, 0, 0)


def test_svoyi_kozyri_trumps_are_agreed_for_a_session():
    match = start("svoyi_kozyri", players=3, trumps="session", dealer=3)
    state = play(match.initial(), "clubs", "hearts", "spades")
    final = play_random(state, 10**4, random.Random(1))
    match = match.after(final)
    assert match.game.trumps == "H/S/C"
    assert match.initial().phase == "lead"
    assert match.initial().trumps == state.trumps
    assert match.after(final).game.trumps == "H/S/C"
    unfinished = start("svoyi_kozyri", trumps="session")
    assert unfinished.after(unfinished.initial()).game.trumps == "session"


def test_hund_the_deal_passes_clockwise():
    match = start("hund", dealer=3, target=2)
    hands = ["", "TH", "", "AD"]
    fields = {"trumps": "-/-/-/-", "turn": 2, "phase": "beat", "out": "3,1"}
    end = play(make(match.game, hands, "9H", **fields), "TH")
    match = match.after(end)
    assert (match.dealer, match.scores) == (4, (0, 0, 0, 1))
    match = match.after(end)
    assert (match.dealer, match.over, match.losers) == (1, True, (4,))


def test_kozel_the_deal_passes_to_the_left():
    match = start("kozel", dealer=4)
    assert match.after(Deal(0, 2)).dealer == 1


def kozel(*deals):
    match = start("kozel")
    for deal in deals:
        assert not match.over
        match = match.after(Deal(*deal))
    return match


def test_kozel_penalties_add_up_to_12():
    assert not kozel((4, 0), (6, 0)).over
    match = kozel((4, 0), (0, 2), (6, 0), (2, 0))
    assert match.over
    assert (match.scores, match.losers, match.winners) == ((12, 2, 12, 2), (1, 3), (2, 4))


def test_kozel_both_reach_12_in_the_same_deal_the_one_with_more_loses():
    match = kozel((6, 0), (0, 6), (4, 0), (0, 4), (0, 0), (2, 3))
    assert (match.over, match.losers) == (True, (2, 4))


def test_kozel_both_reach_12_and_are_equal_more_deals_until_they_differ():
    match = kozel((6, 0), (0, 6), (4, 0), (0, 4), (2, 2))
    assert (match.scores, match.over) == ((12,) * 4, False)
    match = match.after(Deal(2, 2))
    assert not match.over
    assert match.after(Deal(0, 2)).losers == (2, 4)


def test_kozel_counts_the_penalties_of_a_deal():
    match = start("kozel", dealer=4)
    state = play_random(match.initial(), 200, random.Random(1))
    first, second = state.penalties()
    assert match.after(state).scores == (first, second, first, second)
    trick = Trick(1, (Group((parse_card("AS"),), True),))
    won = state._replace(tricks=(trick,))
    assert match.after(won).scores == (0, 6, 0, 6)


def test_challenge_the_deal_alternates_and_the_dealer_is_player_1():
    match = start("challenge", seed=1, target=2)
    first = match.dealer
    assert match.seats == (first, 3 - first)
    won = Position.parse("1 -.-.-.- A.-.A.A SD 2 AH")
    match = match.after(won)
    assert match.dealer == 3 - first
    assert match.scores[first - 1] == 1
    assert match.seats == (3 - first, first)
    match = match.after(won)
    assert (match.scores, match.over) == ((1, 1), False)
    assert match.after(match.initial()).scores == (1, 1)
    assert match.after(won).over


@pytest.mark.parametrize(
    ("name", "options", "target", "message"),
    [
        ("svoyi_kozyri", {"score": "first_out"}, 7, "expected 5 or 10"),
        ("svoyi_kozyri", {}, 0, "expected 1 to 1000"),
        ("hund", {}, "many", "expected 1 to 1000"),
        ("kozel", {}, 10, "expected 12"),
    ],
)
def test_illegal_targets(name, options, target, message):
    with pytest.raises(GameError, match=message):
        start(name, 1, target, **options)


@pytest.mark.parametrize("name", ["svoyi_kozyri", "hund", "kozel", "challenge"])
def test_a_whole_match(name):
    """The same seed gives the same match, and every match ends."""
    results = []
    for _ in range(2):
        rng = random.Random(3)
        match = start(name, seed=5, target=None if name == "kozel" else 1)
        deals = set()
        while not match.over:
            state = match.initial()
            deals.add(state)
            match = match.after(play_random(state, 6000, rng))
        assert len(deals) == match.deals
        results.append((match.scores, match.dealer, match.deals))
    assert results[0] == results[1]
