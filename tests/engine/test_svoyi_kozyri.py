"""Svoyi Kozyri: every rule and option of the specification, one by one."""

import random
import re
from pathlib import Path

import playthrough
import pytest
from pile_states import legal, make, play

from engine.arena.play import Play
from engine.cards import SUIT_NAMES, Card, deal, deck_cards, in_order
from engine.errors import GameError
from engine.game import load_game
from engine.games.fields import items
from engine.notation import parse_card

DATA = Path(__file__).parents[1] / "data" / "playthroughs"
SEEDS = range(30)


def game(**options):
    return load_game("svoyi_kozyri", **options)


def start(seed=0, choice=0, **options):
    """The state after the deal and the choice of trumps."""
    state = game(**options).initial(seed)
    while state.phase == "choose":
        actions = state.legal_actions()
        state = state.apply(actions[choice % len(actions)])
    return state


def facing(top, hand, trumps="C/D/H/S", **options):
    """Player 2 faces `top` on a big pile with this hand; two others hold a card."""
    hands = ["AC", hand, "AH", ""][: len(trumps.split("/"))]
    table = game(players=len(hands), **options)
    return make(table, hands, top, trumps=trumps, turn=2, phase="beat")


# Own trumps


def test_the_dealer_chooses_first_then_clockwise():
    state = game(dealer=3).initial(0)
    choosers = []
    for suit in ("hearts", "spades", "clubs", "diamonds"):
        choosers.append(state.current_player)
        assert legal(state) == " ".join(
            name for s, name in enumerate(SUIT_NAMES) if (s,) not in state.trumps
        )
        state = play(state, suit)
    assert choosers == [3, 4, 1, 2]
    assert state.trumps == ((3,), (2,), (1,), (0,))


def test_nobody_sees_his_cards_before_all_have_chosen():
    state = game().initial(0)
    for player in range(1, 5):
        assert "hand=? " in state.information_state_string(player)
        assert state.sample(player, random.Random(1)).hands[player - 1] != state.hands[player - 1]
    assert start().information_state_string(1).count("?") == 0


def test_trump_suits_are_known_to_all():
    state = play(game(dealer=4).initial(0), "clubs", "diamonds", "hearts", "spades")
    for player in range(1, 5):
        assert " trumps=D/H/S/C " in state.information_state_string(player)


def test_a_suit_is_chosen_once():
    state = play(game(dealer=1).initial(0), "hearts")
    with pytest.raises(GameError, match="spades, diamonds, clubs"):
        state.parse_action("hearts")


def test_trumps_drawn():
    drawn = set()
    for seed in range(300):
        state = game(trumps="drawn").initial(seed)
        assert state.phase == "lead"
        assert sorted(state.trumps) == [(0,), (1,), (2,), (3,)]
        drawn.add(state.trumps)
    assert len(drawn) == 24


def test_trumps_agreed_before_the_deal():
    table = game(trumps="c/d/h/s", dealer=2)
    state = table.initial(5)
    assert table.trumps == "C/D/H/S"
    assert (state.trumps, state.phase, state.turn) == (((3,), (2,), (1,), (0,)), "lead", 3)
    assert state == play(
        game(dealer=2).initial(5), "diamonds", "hearts", "spades", "clubs"
    )._replace(game=table)
    with pytest.raises(GameError, match="expected the trump suits C/D/H/S"):
        table.parse(str(game(trumps="drawn").initial(1)))


def test_trumps_of_a_session_are_chosen_in_its_first_deal():
    assert game(trumps="session").initial(1).phase == "choose"


def test_with_three_players_one_suit_is_nobodys_trump():
    assert len({suit for own in start(players=3).trumps for suit in own}) == 3


def test_two_players_with_one_trump_suit_each():
    assert [len(own) for own in start(players=2).trumps] == [1, 1]


@pytest.mark.parametrize("trumps", ["chosen", "drawn"])
def test_two_trumps(trumps):
    state = start(players=2, two_trumps=True, trumps=trumps)
    assert [len(own) for own in state.trumps] == [2, 2]
    assert sorted(suit for own in state.trumps for suit in own) == [0, 1, 2, 3]


def test_two_trumps_are_chosen_by_turns():
    state = game(players=2, two_trumps=True, dealer=2).initial(0)
    state = play(state, "spades", "hearts", "diamonds", "clubs")
    assert state.trumps == ((1, 3), (0, 2))
    assert state.current_player == 1


# The deal


@pytest.mark.parametrize(("players", "size"), [(2, 18), (3, 12), (4, 9)])
def test_all_cards_are_dealt(players, size):
    for seed in SEEDS:
        state = game(players=players).initial(seed)
        assert [len(hand) for hand in state.hands] == [size] * players
        assert set().union(*state.hands) == deck_cards(9)


def test_one_by_one_clockwise_from_the_dealers_left():
    cards = [Card(0, rank) for rank in range(14, 5, -1)]
    hands = deal(cards, 3, dealer=2)
    assert [[str(card) for card in hand] for hand in hands] == [
        ["KS", "TS", "7S"],
        ["QS", "9S", "6S"],
        ["AS", "JS", "8S"],
    ]


@pytest.mark.parametrize("options", [{}, {"players": 3}, {"players": 2, "two_trumps": True}])
def test_the_six_of_a_trump_suit_goes_to_its_owner(options):
    sizes = set()
    for seed in SEEDS:
        state = start(seed, choice=seed, **options)
        for hand, own in zip(state.hands, state.trumps, strict=True):
            assert {Card(suit, 6) for suit in own} <= set(hand)
            sizes.add(len(hand))
    assert len(sizes) > 1, "hands can become unequal"


@pytest.mark.parametrize("options", [{"players": 3}, {"players": 2}])
def test_a_six_of_nobodys_suit_stays(options):
    for seed in SEEDS:
        dealt, state = game(**options).initial(seed), start(seed, **options)
        trumps = {suit for own in state.trumps for suit in own}
        for suit in set(range(4)) - trumps:
            six = Card(suit, 6)
            assert [six in hand for hand in dealt.hands] == [six in hand for hand in state.hands]


def test_the_deal_comes_from_the_seed():
    assert game().initial(5) == game().initial(5)
    assert len({game().initial(seed) for seed in SEEDS}) == len(SEEDS)
    assert {game().initial(seed).dealer for seed in SEEDS} == {1, 2, 3, 4}
    assert game(dealer=2).initial(5).dealer == 2


def test_the_player_left_of_the_dealer_leads_any_one_card():
    for dealer, leader in ((1, 2), (4, 1)):
        state = start(dealer=dealer)
        assert state.current_player == leader
        assert state.legal_actions() == state.hands[leader - 1]
        state = state.apply(state.legal_actions()[3])
        assert (state.current_player, len(state.pile)) == (leader % 4 + 1, 1)


# The turn: beats and leads


def test_a_higher_card_of_its_suit_beats():
    assert legal(facing("TC", "JC 9C 7S")) == "JC pickup"
    order = "AKQJT9876"
    for i, rank in enumerate(order):
        hand = [f"{other}S" for other in order if other != rank]
        wanted = [*hand[:i], "pickup"]
        assert legal(facing(f"{rank}S", " ".join(hand))) == " ".join(wanted)


def test_a_card_of_ones_own_trump_suit_beats():
    assert legal(facing("TC", "AS 7D 6D")) == "7D 6D pickup"


def test_ones_own_trump_is_beaten_only_by_a_higher_one():
    assert legal(facing("TD", "AS KH JD 9D")) == "JD pickup"


def test_other_players_trumps_are_ordinary_cards():
    assert legal(facing("TC", "AS 6S 7S 7D")) == "7D pickup"
    assert legal(facing("TS", "JS 9S KH 7C")) == "JS pickup"


def test_two_trumps_beat_plain_cards_but_not_each_other():
    state = facing("TC", "AS 7D 6H", trumps="SC/DH", two_trumps=True)
    assert legal(state) == "6H 7D pickup"
    state = facing("TD", "AS JD AH", trumps="SC/DH", two_trumps=True)
    assert legal(state) == "JD pickup"


def test_who_beats_leads_any_other_card_on_top():
    state = play(facing("TC", "JC 9C 7S"), "JC")
    assert state.current_player == 2
    assert legal(state) == "7S 9C"
    state = play(state, "9C")
    assert [str(card) for card in state.pile[-3:]] == ["TC", "JC", "9C"]
    assert state.current_player == 3


# The turn: picks up


@pytest.mark.parametrize(
    ("top", "pickup", "count"),
    [
        ("AD", "by_trump", "all"),
        ("KD", "by_trump", 5),
        ("6D", "by_trump", 5),
        ("AS", "by_trump", 3),
        ("9C", "by_trump", 3),
        ("AD", "fixed", 3),
        ("KD", "fixed", 3),
        ("AS", "fixed", 3),
    ],
)
def test_pickup(top, pickup, count):
    state = facing(top, "JC 9S", pickup=pickup)
    size = len(state.pile) if count == "all" else count
    after = play(state, "pickup")
    assert set(after.hands[1]) == {*state.hands[1], *state.pile[-size:]}
    assert after.pile == state.pile[:-size]


@pytest.mark.parametrize(("pile", "count"), [("9C 8C 7C KD", 4), ("AS KS", 2), ("AD", 1)])
def test_pickup_of_all_when_the_pile_has_fewer(pile, count):
    hands = ["AC", "JC", "AH", ""]
    state = make(game(), hands, pile, rest=4, trumps="C/D/H/S", turn=2, phase="beat")
    after = play(state, "pickup")
    assert len(after.hands[1]) == 1 + count
    assert after.pile == ()


def test_pickup_with_two_trumps_counts_for_both_suits():
    for top, size in (("AH", None), ("KH", 5), ("KD", 5), ("KS", 3)):
        state = facing(top, "JC 9S", trumps="SC/DH", two_trumps=True)
        after = play(state, "pickup")
        assert len(after.pile) == (len(state.pile) - size if size else 0)


def test_he_may_pick_up_although_he_could_beat():
    assert "pickup" in legal(facing("TC", "JC QC KC"))


def test_picking_up_ends_the_turn_and_the_next_faces_what_is_on_top():
    state = play(facing("9S", "JC 9C 7S"), "pickup")
    assert (state.current_player, state.phase) == (3, "beat")


def test_on_an_empty_pile_the_next_player_leads_any_card():
    hands = ["AC", "JC", "AH KH", ""]
    state = make(game(), hands, "8S 9S", rest=4, trumps="C/D/H/S", turn=2, phase="beat")
    state = play(state, "pickup")
    assert (state.current_player, legal(state)) == (3, "AH KH")


def test_after_pickup_lead():
    state = play(facing("9S", "JC 9C 7S", after_pickup="lead"), "pickup")
    assert (state.current_player, legal(state)) == (3, "AH")
    assert state.pile
    hands = ["AC", "JC", "AH 8H", ""]
    state = make(state.game, hands, "9S", trumps="C/D/H/S", turn=2, phase="beat")
    state = play(state, "pickup", "8H")
    assert (state.current_player, state.phase) == (1, "beat")


def test_a_leader_may_not_pick_up():
    assert "pickup" not in legal(start())
    with pytest.raises(GameError, match="not a legal action"):
        start().apply("pickup")


def test_worked_chain():
    hands = ["8H 9C 8C TH", "6D QS 7C", "6H 9D 8S", ""]
    state = make(game(dealer=4), hands, rest=4, trumps="C/D/H/S", dealer=4, turn=1, phase="lead")
    state = play(state, "8H", "6D", "QS", "6H", "9D")
    assert " ".join(map(str, state.pile)) == "8H 6D QS 6H 9D"
    assert state.current_player == 4
    before = set(state.hands[3])
    state = play(state, "pickup")
    assert {str(card) for card in set(state.hands[3]) - before} == {"9D", "6H", "QS"}
    assert [str(card) for card in state.pile] == ["8H", "6D"]
    assert state.current_player == 1
    assert legal(state) == "9C 8C pickup"
    assert legal(play(state, "9C")) == "TH 8C"


# What a player knows


PILE = "6S 7S 8S 6H 7H 8H 6C 7C 8C"


def on_pile(top, **options):
    """Player 2 faces `top` on nine other cards; player 4 holds the rest."""
    hands, pile = ["AC KC", "JD QS", "AH KH", ""], f"{PILE} {top}"
    return make(game(**options), hands, pile, rest=4, trumps="C/D/H/S", turn=2, phase="beat")


def seen_of_pile(state, player):
    """How many cards, from the top, which must be the right ones, `player` sees."""
    text = re.search(" pile=([^ ]*) ", state.information_state_string(player))[1]
    seen = items(text, ",")
    hidden = seen.count("?")
    assert seen == ["?"] * hidden + list(map(str, state.pile[hidden:]))
    return len(seen) - hidden


PICKUPS = [("AD", "by_trump", 10), ("9D", "by_trump", 6), ("9S", "by_trump", 4), ("9D", "fixed", 4)]


@pytest.mark.parametrize(("top", "pickup", "seen"), PICKUPS)
def test_before_deciding_he_sees_what_he_would_pick_up_and_the_card_under_it(top, pickup, seen):
    state = on_pile(top, pickup=pickup)
    assert [seen_of_pile(state, player) for player in range(1, 5)] == [1, seen, 1, 1]


@pytest.mark.parametrize(("top", "pickup", "seen"), PICKUPS[1:])
def test_for_the_lead_he_has_seen_what_he_looked_at_before_he_beat(top, pickup, seen):
    state = play(on_pile(top, pickup=pickup), "JD")
    assert [seen_of_pile(state, player) for player in range(1, 5)] == [1, seen + 1, 1, 1]
    state = play(state, "QS")
    assert [seen_of_pile(state, player) for player in range(1, 5)] == [1, 1, 4, 1]


def test_who_leads_freely_on_a_pile_sees_its_top_only():
    state = play(on_pile("9S", after_pickup="lead"), "pickup")
    assert state.phase == "lead"
    assert [seen_of_pile(state, player) for player in range(1, 5)] == [1] * 4


def test_what_a_player_knows_to_the_letter():
    state = on_pile("9S")
    assert state.information_state_string(2) == (
        "player=2 hand=Q.-.J.- sizes=2/2/2/20 known=-/-/-/- pile=?,?,?,?,?,?,6C,7C,8C,9S "
        "trumps=C/D/H/S dealer=1 turn=2 phase=beat out=-"
    )


@pytest.mark.parametrize("options", [{}, {"players": 3, "pickup": "fixed"}, {"players": 2}])
def test_the_rest_of_the_pile_and_other_hands_leave_no_trace(options):
    """All cards that a player may not see are shuffled among their places: he sees the same."""
    state, rng = start(4, **options), random.Random(4)
    shuffled = 0
    while not state.is_terminal and shuffled < 300:
        for player in range(1, state.game.players + 1):
            sight = seen_of_pile(state, player)
            buried = len(state.pile) - sight
            others = [card for p, hand in enumerate(state.hands, 1) if p != player for card in hand]
            cards = [*others, *state.pile[:buried]]
            rng.shuffle(cards)
            hands = tuple(
                hand if p == player else in_order(cards.pop() for _ in hand)
                for p, hand in enumerate(state.hands, 1)
            )
            other = state._replace(hands=hands, pile=(*cards, *state.pile[buried:]))
            text = state.information_state_string(player)
            assert other.information_state_string(player) == text
            shuffled += other != state
        actions = state.legal_actions()
        state = state.apply(rng.choice(actions[:-1] or actions))
    assert shuffled >= 50


def test_memory_of_plays_all_know_what_has_been_played_and_who_picked_it_up():
    state = make(
        game(memory="plays"),
        ["AC", "JC", "AH KS", ""],
        "8H 6D QS 9S",
        rest=4,
        trumps="C/D/H/S",
        turn=2,
        phase="beat",
    )
    state = play(state, "pickup")
    for player in range(1, 5):
        text = state.information_state_string(player)
        assert " known=-/Q9.-.6.-/-/- pile=8H " in text
    state = play(state, "AH", "KS", "pickup", "AC")
    for player in (1, 2, 4):
        text = state.information_state_string(player)
        assert " known=-/Q9.-.6.-/-/K.A8.-.- pile=AC " in text


def test_memory_of_the_table_forgets_who_picked_up_what():
    assert game().memory == "table"
    state = play(on_pile("9S"), "pickup")
    assert state.known == start().known == (frozenset(),) * 4


def test_memory_of_plays_all_know_who_has_the_sixes_of_trump_suits():
    state = start(memory="plays")
    for known, (suit,) in zip(state.known, state.trumps, strict=True):
        assert known == {Card(suit, 6)}


def test_other_hands_are_hidden():
    state = start()
    hidden = [set(hand) - known for hand, known in zip(state.hands, state.known, strict=True)]
    for player, one, two in ((1, 1, 2), (2, 0, 3), (3, 0, 1), (4, 0, 2)):
        first, second = min(hidden[one]), min(hidden[two])
        hands = [[*hand] for hand in state.hands]
        hands[one][hands[one].index(first)] = second
        hands[two][hands[two].index(second)] = first
        exchanged = state._replace(hands=tuple(map(in_order, hands)))
        assert exchanged != state
        text = state.information_state_string(player)
        assert exchanged.information_state_string(player) == text
        assert exchanged.information_state_string(one + 1) != state.information_state_string(
            one + 1
        )


# Going out


def test_who_leads_his_last_card_is_out_and_the_next_faces_it():
    hands = ["AC KC", "7H", "AH KH", ""]
    state = make(game(), hands, rest=4, trumps="C/D/H/S", turn=2, phase="lead")
    state = play(state, "7H")
    assert state.out == (2,)
    assert (state.current_player, legal(state)) == (3, "AH KH pickup")


def test_who_beats_with_his_last_card_is_out_and_the_next_leads_freely_on_top():
    hands = ["AC KC", "7D", "AH KH", ""]
    state = make(game(), hands, "7S 8S", rest=4, trumps="C/D/H/S", turn=2, phase="beat")
    state = play(state, "7D")
    assert state.out == (2,)
    assert (state.current_player, legal(state)) == (3, "AH KH")
    assert len(state.pile) == 3


def test_who_is_out_is_skipped():
    hands = ["AC KC", "", "AH KH", ""]
    state = make(game(), hands, rest=4, trumps="C/D/H/S", turn=1, phase="lead")
    assert play(state, "AC").current_player == 3


# The end


def last_two(hands, pile, action, trumps="C/D", **fields):
    """What comes of an action when two players are left."""
    state = make(game(players=2), hands, pile, trumps=trumps, turn=1, **fields)
    return play(state, action)


def test_the_last_player_with_cards_loses():
    state = last_two(["7H", "9S TS"], "", "7H", phase="lead")
    assert state.is_terminal
    assert state.legal_actions() == ()
    assert (state.loser, state.returns()) == (2, (1.0, -1.0))
    hands = ["7H", "", "", "9S AH"]
    state = make(game(), hands, trumps="C/D/H/S", turn=1, phase="lead", out="3,2")
    state = play(state, "7H")
    assert state.out == (3, 2, 1)
    assert state.returns() == (1 / 3, 1 / 3, 1 / 3, -1.0)


def test_a_draw_if_the_only_card_left_beats_the_last_lead():
    for only in ("8H", "6D"):
        state = last_two(["7H", only], "", "7H", phase="lead")
        assert state.is_terminal
        assert (state.loser, state.returns()) == (0, (0.0, 0.0))


def test_no_draw_if_the_only_card_does_not_beat_the_last_lead():
    assert last_two(["7H", "AS"], "", "7H", phase="lead").loser == 2


def test_no_draw_if_two_cards_are_left():
    assert last_two(["7H", "8H 9H"], "", "7H", phase="lead").loser == 2


def test_no_draw_if_the_last_card_was_a_beating_card():
    assert last_two(["8H", "AH"], "7H", "8H", phase="beat").loser == 2


def test_draw_any_whatever_the_last_card_was():
    """The last card left need only beat it, even if it was a beating card."""
    table = game(players=2, draw="any")
    for only, loser in (("AH", 0), ("6D", 0), ("6H", 2), ("AS", 2), ("AH KH", 2)):
        state = make(table, ["8H", only], "7H", trumps="C/D", turn=1, phase="beat")
        assert play(state, "8H").loser == loser
    assert last_two(["7H", "8H"], "", "7H", phase="lead").loser == 0


def test_no_draw_while_three_have_cards():
    hands = ["7H", "8H", "9H", ""]
    state = make(game(), hands, trumps="C/D/H/S", turn=1, phase="lead")
    assert not play(state, "7H").is_terminal


def test_no_result_before_the_end():
    with pytest.raises(GameError, match="not over"):
        start().returns()


def test_score_first_out():
    table = game(score="first_out")
    state = make(table, ["7H", "", "", "8H"], trumps="C/D/H/S", turn=1, phase="lead", out="3,2")
    state = play(state, "7H")
    assert state.loser == 0
    assert state.returns() == (-1 / 3, -1 / 3, 1.0, -1 / 3)
    with pytest.raises(GameError, match="not over"):
        start(score="first_out").returns()


def test_who_is_out_first_has_his_point_though_the_game_is_cut_off():
    hands = ["AC KC", "", "AH KH"]
    fields = {"trumps": "C/D/H", "turn": 1, "phase": "lead"}
    first_out = game(players=3, score="first_out", limit=1)
    cut = Play(first_out, make(first_out, hands, **fields))
    cut.act(parse_card("AC"))
    assert (cut.end, cut.returns()) == ("limit", (-0.5, 1.0, -0.5))
    cut = Play(game(players=3, limit=1), make(game(players=3), hands, **fields))
    cut.act(parse_card("AC"))
    assert cut.returns() == (0.0, 0.0, 0.0)


def test_limit():
    assert game().limit == 500
    assert game(limit="40").limit == 40


# Options and text


def test_options_are_words_and_numbers_as_on_the_command_line():
    table = game(players="3", trumps=" Drawn ", two_trumps="false", dealer="2")
    assert (table.players, table.trumps, table.two_trumps) == (3, "drawn", False)
    assert table == game(players=3, trumps="drawn", dealer=2)
    assert table != game(players=3, trumps="drawn")
    assert set(table.option_help()) == set(table.options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 5}, "5 is not legal, expected a number from 2 to 4"),
        ({"players": "two"}, "a number from 2 to 4"),
        ({"trumps": "auction"}, "chosen, session or drawn; or the suits of all players"),
        ({"trumps": "C/D/H"}, "trumps=C/D/H is wrong for 4 players, expected 1 for each"),
        ({"trumps": "C/D/H/H"}, "all different"),
        ({"players": 2, "trumps": "CS/DH"}, "for 2 players, expected 1 for each"),
        ({"draw": "never"}, "lead or any"),
        ({"two_trumps": "maybe"}, "false or true"),
        ({"two_trumps": True}, "for two players"),
        ({"pickup": 3}, "by_trump or fixed"),
        ({"after_pickup": "pass"}, "face or lead"),
        ({"memory": ""}, "table or plays"),
        ({"score": "points"}, "losses or first_out"),
        ({"dealer": 5}, "random, 1, 2, 3 or 4"),
        ({"dealer": 3, "players": 2}, "table of 2"),
        ({"limit": 0}, "a number from 1 to"),
        ({"decks": 2}, "expected one of: after_pickup, dealer, draw, limit, memory"),
    ],
)
def test_illegal_options(options, message):
    with pytest.raises(GameError, match=message):
        game(**options)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("phase=lead", "", "phase missing"),
        ("phase=lead", "phase=beat", "no card to beat"),
        ("phase=lead", "phase=second", "no card to beat"),
        ("phase=lead", "phase=jump", "choose, lead, beat, second"),
        ("trumps=S/H/D/C", "trumps=-/-/-/-", "0/0/0/0 trump suits in the phase lead"),
        ("turn=1", "turn=5", "from 1 to 4"),
        ("turn=1", "turn=1 turn=1", "wrong in a state"),
        ("pile=-", "pile=AS", "AS is there twice"),
        ("pile=-", "pile=5S", "5S is not in this deck"),
        ("out=-", "out=2", "player 2 has 10 cards, expected in out"),
        ("trumps=S/H/D/C", "trumps=S/H/D", "trumps=S/H/D is wrong"),
        ("trumps=S/H/D/C", "trumps=S/S/D/C", "all different"),
        ("trumps=S/H/D/C", "trumps=S/H/D/-", "1/1/1/0 trump suits in the phase lead"),
        ("phase=lead", "phase=choose", "expected no pile and the hands as dealt"),
        ("known=6.-.-.-/", "known=-.6.-.-/", "known cards of player 1 are not in his hand"),
        ("hands=", "hands=-/", "expected 4"),
    ],
)
def test_impossible_states_are_refused(old, new, message):
    state = game(dealer=4, memory="plays").initial(0)
    refused(play(state, "clubs", "spades", "hearts", "diamonds"), old, new, message)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("trumps=S/H/-/C", "trumps=S/H/D/C", "1/1/1/1 trump suits in the phase choose"),
        ("trumps=S/H/-/C", "trumps=S/H/D/-", "1/1/1/0 trump suits in the phase choose"),
        ("trumps=S/H/-/C", "trumps=SD/-/-/C", "2/0/0/1 trump suits in the phase choose"),
        ("turn=3", "turn=1", "player 1 chooses, expected player 3"),
        ("known=-/", "known=-.-.6.-/", "known cards, expected none while trumps are chosen"),
    ],
)
def test_impossible_choices_are_refused(old, new, message):
    state = play(game(dealer=4, memory="plays").initial(0), "clubs", "spades", "hearts")
    refused(state, old, new, message)


def test_states_of_other_options_are_refused():
    with pytest.raises(GameError, match="none while trumps are chosen or with memory=table"):
        game().parse(str(start(memory="plays")))
    with pytest.raises(GameError, match="another phase with trumps=drawn"):
        game(trumps="drawn").parse(str(game().initial(0)))
    with pytest.raises(GameError, match="expected 3 with / between them"):
        game(players=3).parse(str(start()))


def refused(state, old, new, message):
    """Assert that the text of the state with `new` instead of `old` is no state."""
    text = str(state)
    assert old in text
    with pytest.raises(GameError, match=message):
        state.game.parse(text.replace(old, new))


def test_a_player_is_out_once():
    state = make(game(), ["AC", "", "AH", ""], rest=4, trumps="C/D/H/S", turn=1, phase="lead")
    refused(state, "out=2", "out=2,2", "player 2 has 0 cards, expected in out, once")


def test_a_missing_card_is_named():
    state = facing("9S", "JC 9C 7S")
    text = str(state).replace(",9S", "")
    with pytest.raises(GameError, match="9S missing"):
        game().parse(text)


def test_read_liberally():
    state = facing("TS", "JS 9C 7S")
    text = str(state).upper().replace("TS", "10♠").replace(" ", "  ")
    assert game().parse(f"\ufeff{text}\r\n") == state
    assert state.parse_action(" j♠ ") == parse_card("JS")
    assert state.parse_action("PickUp") == "pickup"


def test_illegal_actions_are_refused():
    state = facing("TC", "JC 9C 7S")
    for action in ("9C", "spades", None, Card(0, 2)):
        with pytest.raises(GameError, match="not a legal action"):
            state.apply(action)


@pytest.mark.parametrize("path", sorted(DATA.glob("svoyi*.playthrough")), ids=lambda p: p.stem)
def test_playthrough(path):
    playthrough.check(path.read_text(encoding="utf-8"))


def test_sampling_is_uniform_over_the_hands_of_others():
    hands = ["AC", "AS", "AD KD", ""]
    table, known = game(memory="plays"), ["AC", "", "", ""]
    state = make(table, hands, trumps="C/D/H/S", turn=1, phase="lead", known=known)
    rng = random.Random(1)
    counts = {}
    for _ in range(3000):
        hand = state.sample(1, rng).hands[1]
        counts[hand] = counts.get(hand, 0) + 1
    assert {str(card) for (card,) in counts} == {"AS", "AD", "KD"}
    assert all(abs(count - 1000) < 100 for count in counts.values())
