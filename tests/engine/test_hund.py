"""Hund: every rule of the specification, one by one."""

import random
from pathlib import Path

import playthrough
import pytest
from pile_states import legal, make, play

from engine.cards import Card, deck_cards
from engine.errors import GameError
from engine.game import load_game
from engine.games.hund import NO_TRUMPS, QUEEN_OF_CLUBS, TWO_OF_CLUBS
from engine.notation import parse_card

DATA = Path(__file__).parents[1] / "data" / "playthroughs"
SEEDS = range(30)
GAME = load_game("hund")
NONE = "-/-/-/-"


def position(hands, pile="", trumps=NONE, **fields):
    """Player 2 acts; the cards that are not named lie under the pile."""
    return make(GAME, hands, pile, trumps=trumps, **{"turn": 2, "phase": "beat"} | fields)


def facing(top, hand, trumps=NONE):
    return position(["AC", hand, "AH", "AD"], top, trumps)


def test_the_deal():
    for seed in SEEDS:
        state = GAME.initial(seed)
        assert [len(hand) for hand in state.hands] == [13] * 4
        assert state.trumps == NO_TRUMPS
        assert set().union(*state.hands) == deck_cards(13)
        assert state == GAME.initial(seed)


def test_the_dealer():
    assert {GAME.initial(seed).dealer for seed in SEEDS} == {1, 2, 3, 4}
    first, second = (load_game("hund", dealer=dealer).initial(1) for dealer in (1, 2))
    assert first.hands[1] == second.hands[2]


def test_the_cards_are_dealt_one_by_one_from_the_dealers_left(monkeypatch):
    monkeypatch.setattr(random.Random, "shuffle", lambda self, cards: None)
    cards = sorted(deck_cards(13))
    hands = load_game("hund", dealer=2).initial(0).hands
    assert [set(hands[player - 1]) for player in (3, 4, 1, 2)] == [
        set(cards[place::4]) for place in range(4)
    ]


def test_who_holds_the_two_of_clubs_plays_it_and_that_is_his_turn():
    for seed in SEEDS:
        state = GAME.initial(seed)
        holder = state.current_player
        assert TWO_OF_CLUBS in state.hands[holder - 1]
        assert state.legal_actions() == (TWO_OF_CLUBS,)
        state = state.apply(TWO_OF_CLUBS)
        assert (state.current_player, state.phase) == (holder % 4 + 1, "beat")
        assert state.pile == (TWO_OF_CLUBS,)


def test_without_trumps_a_higher_card_of_the_suit_beats():
    assert legal(facing("9H", "TH 8H AS KD")) == "TH pickup"
    assert legal(facing("3S", "AS 4S 2S")) == "AS 4S pickup"
    assert legal(facing("KS", "AS QS")) == "AS pickup"


def test_who_beats_plays_any_other_card_on_top():
    state = play(facing("9H", "TH 8H AS"), "TH")
    assert (state.current_player, legal(state)) == (2, "AS 8H")
    state = play(state, "8H")
    assert (state.current_player, state.pile[-1]) == (3, Card(1, 8))


def test_taking_the_whole_pile_ends_the_turn_and_the_next_starts_a_new_one():
    state = position(["AC", "2S", "AH KH", "AD"], "9H")
    after = play(state, "pickup")
    assert set(after.hands[1]) == {*state.hands[1], *state.pile}
    assert (after.pile, after.current_player, legal(after)) == ((), 3, "AH KH")
    after = play(after, "KH")
    assert (after.current_player, after.phase) == (4, "beat")


def test_taking_is_always_allowed():
    assert "pickup" in legal(facing("9H", "TH JH QH"))


def test_until_trumps_are_set_the_queen_of_clubs_may_be_played_on_anything():
    for top in ("2H", "KC", "AS"):
        assert "QC" in legal(facing(top, "QC 2D 3D"))
    assert legal(facing("KC", "QC 2D", "S/H/D/C")) == "pickup"


@pytest.mark.parametrize(
    ("phase", "pile"), [("beat", "AS"), ("second", "2D 3D"), ("lead", "")], ids=str
)
def test_the_first_queen_of_clubs_sets_trumps(phase, pile):
    hands = ["KC", "QC 2S 3S", "AH", "AD"]
    rest = "pile" if pile else 4
    state = make(GAME, hands, pile, rest=rest, trumps=NONE, turn=2, phase=phase)
    assert state.trumps == NO_TRUMPS
    after = play(state, "QC")
    assert " trumps=D/C/S/H " in str(after)


@pytest.mark.parametrize(
    ("player", "trumps"), [(1, "C/S/H/D"), (2, "D/C/S/H"), (3, "H/D/C/S"), (4, "S/H/D/C")]
)
def test_trumps_clockwise_from_the_queen_of_clubs(player, trumps):
    hands = ["2S 3S", "KC 4S", "AH", "AD"]
    hands[player - 1] += " QC"
    state = make(GAME, hands, rest=4, trumps=NONE, turn=player, phase="lead")
    assert f" trumps={trumps} " in str(play(state, "QC"))


def test_the_last_card_of_a_player_may_set_trumps():
    state = play(facing("AS", "QC"), "QC")
    assert (state.out, state.current_player) == ((2,), 3)
    assert " trumps=D/C/S/H " in str(state)
    assert legal(state) == "pickup"


def test_trumps_are_counted_by_seats_also_of_players_who_are_out():
    state = play(position(["AC", "QC 2S", "", "AD"], "AS"), "QC")
    assert " trumps=D/C/S/H " in str(state)


def test_trumps_stay_set_when_the_queen_is_picked_up_and_played_again():
    state = play(facing("AS", "QC 2S 3S"), "QC", "2S", "pickup")
    assert QUEEN_OF_CLUBS in state.hands[2]
    trumps = state.trumps
    state = play(state._replace(turn=3, phase="lead"), "QC")
    assert state.trumps == trumps != NO_TRUMPS


def test_with_trumps_set_own_trumps_beat_other_suits():
    assert legal(facing("9H", "TH 2C AS KD", "D/C/S/H")) == "TH 2C pickup"


def test_with_trumps_set_an_own_trump_is_beaten_only_by_a_higher_one():
    assert legal(facing("9C", "TC 2C AS KD", "D/C/S/H")) == "TC pickup"


def test_with_trumps_set_the_queen_of_clubs_is_a_club_like_any_other():
    assert legal(facing("JC", "QC", "C/S/H/D")) == "QC pickup"
    assert legal(facing("KD", "QC", "C/S/H/D")) == "pickup"
    assert legal(facing("KD", "QC", "D/C/S/H")) == "QC pickup"


def test_who_goes_out_with_the_beating_card_leaves_it_to_be_faced():
    state = play(facing("9H", "TH"), "TH")
    assert state.out == (2,)
    assert (state.current_player, legal(state)) == (3, "AH pickup")


def test_who_goes_out_with_the_second_card_leaves_it_to_be_faced():
    state = play(facing("9H", "TH 2D"), "TH", "2D")
    assert state.out == (2,)
    assert (state.current_player, state.pile[-1]) == (3, parse_card("2D"))


def test_who_goes_out_with_the_card_that_starts_a_pile_leaves_it_to_be_faced():
    state = make(GAME, ["AC", "TH", "KH", ""], rest=4, trumps=NONE, turn=2, phase="lead")
    state = play(state, "TH")
    assert state.out == (2,)
    assert (state.current_player, legal(state)) == (3, "KH pickup")


def test_who_is_out_is_skipped():
    state = position(["AC KC", "TH JH", "", "AD"], "9H")
    assert play(state, "TH", "JH").current_player == 4


def test_the_last_player_with_cards_is_the_hund():
    state = position(["", "TH", "", "AD"], "9H", out="3,1")
    state = play(state, "TH")
    assert state.is_terminal
    assert state.legal_actions() == ()
    assert (state.loser, state.out) == (4, (3, 1, 2))
    assert state.returns() == (1 / 3, 1 / 3, 1 / 3, -1.0)


def test_there_is_no_draw_although_the_last_card_could_be_beaten():
    state = position(["", "TH", "", "JH"], out="3,1", phase="second")
    assert play(state, "TH").loser == 4


# What a player knows


def test_what_a_player_knows_to_the_letter():
    state = position(["AC", "2S", "AH KH", ""], "9H 8D 7C", rest=4)
    state = play(state, "pickup", "KH", "pickup")
    assert state.information_state_string(3) == (
        "player=3 hand=-.A.-.- sizes=1/4/1/46 known=-/-.9.8.7/-/-.K.-.- pile=- "
        "trumps=-/-/-/- dealer=1 turn=1 phase=lead out=-"
    )


def test_the_whole_pile_is_known_to_all():
    state = position(["AC", "2S", "AH KH", ""], "9H 8D 7C", rest=4)
    for player in range(1, 5):
        assert " pile=9H,8D,7C " in state.information_state_string(player)


def test_all_but_the_dealt_cards_is_known():
    state = GAME.initial(0)
    holder = state.current_player
    assert state.known[holder - 1] == {TWO_OF_CLUBS}
    state = play(state, "2C", "pickup")
    assert state.known[holder % 4] == {TWO_OF_CLUBS}
    rng = random.Random(1)
    for player in range(1, 5):
        sampled = state.sample(player, rng)
        assert sampled != state
        text = state.information_state_string(player)
        assert sampled.information_state_string(player) == text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dealer": "me"}, "random, 1, 2, 3 or 4"),
        ({"limit": "-1"}, "a number from 1"),
        ({"players": 3}, "expected one of: dealer, limit"),
    ],
)
def test_illegal_options(options, message):
    with pytest.raises(GameError, match=message):
        load_game("hund", **options)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("trumps=-/-/-/-", "trumps=S/H/D/-", "C, S, H, D clockwise from some player, or none"),
        ("trumps=-/-/-/-", "trumps=S/H/C/D", "C, S, H, D clockwise from some player, or none"),
        ("trumps=-/-/-/-", "trumps=S/H/D/C", "player 4 starts, expected"),
        ("phase=start", "phase=choose", "start, lead, beat, second"),
        ("phase=start", "phase=beat", "no card to beat"),
        ("turn=4", "turn=1", "player 1 starts, expected the one with 2C"),
        ("known=-/-/-/-.-.-.2", "known=-/-/-/-", "player 4 starts, expected"),
    ],
)
def test_impossible_states_are_refused(old, new, message):
    text = next(str(s) for s in map(GAME.initial, SEEDS) if s.current_player == 4)
    assert old in text
    with pytest.raises(GameError, match=message):
        GAME.parse(text.replace(old, new))


def test_a_pile_is_not_started_on_another():
    text = str(facing("9H", "TH"))
    with pytest.raises(GameError, match="there is a pile already"):
        GAME.parse(text.replace("phase=beat", "phase=lead"))


def test_limit():
    assert GAME.limit == 1000


@pytest.mark.parametrize("path", sorted(DATA.glob("hund*.playthrough")), ids=lambda p: p.stem)
def test_playthrough(path):
    playthrough.check(path.read_text(encoding="utf-8"))
