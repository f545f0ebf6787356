"""What players see, drawn in plain letters and as numbers; hidden cards are in test_game."""

import copy
import dataclasses
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_games import games, states

from engine.cards import deck_cards, in_order
from engine.game import load_game
from engine.games.kozel_tricks import Shown
from engine.notation import parse_card
from engine.observation import Pen, card_number, card_rows
from engine.position import Position


@given(st.integers(1, 13))
def test_cards_are_numbered_in_the_order_in_which_they_are_written(ranks):
    deck = in_order(deck_cards(ranks))
    assert [card_number(card, ranks) for card in deck] == list(range(4 * ranks))


def test_rows():
    marks = [([parse_card("AS"), parse_card("AC")], 1, 7), ([parse_card("AD")], 0, 5)]
    assert card_rows(1, 2, marks) == [0, 7, 0, 0, 5, 0, 0, 7]


@games
def test_observations_are_values_that_hold_no_state(name, options):
    game = load_game(name, **options)
    for state, _ in zip(states(game, 1), range(30), strict=False):
        for player in range(1, game.players + 1):
            seen = state.observation(player)
            assert pickle.loads(pickle.dumps(seen)) == copy.deepcopy(seen) == seen
            assert hash(seen) == hash(state.observation(player))
            assert str(seen) == state.information_state_string(player)
            with pytest.raises(dataclasses.FrozenInstanceError):
                seen.player = 1
            if name != "challenge":
                held = [getattr(seen, field.name) for field in dataclasses.fields(seen)]
                assert not {type(state), type(game)} & set(map(type, held))


@games
def test_the_rule_of_thumb_and_the_phrases_of_every_action(name, options):
    game = load_game(name, **options)
    for state in states(game, 2):
        actions = state.legal_actions()
        assert state.rule_of_thumb() in actions
        numbers = {state.action_number(action) for action in actions}
        assert len(numbers) == len(actions)
        assert numbers <= set(range(game.action_count))
        assert len({state.phrase(action, Pen(), False) for action in actions}) == len(actions)
        other = state.sample(state.current_player, random.Random(1))
        assert other.rule_of_thumb() == state.rule_of_thumb()


@games
def test_equal_numbers_mean_equal_information(name, options):
    """Of all states of some games no two with the same numbers differ in what was seen."""
    game = load_game(name, **options)
    seen = {}
    for seed in range(6):
        for number, state in enumerate(states(game, seed)):
            for player in range(1, game.players + 1):
                observation = state.observation(player)
                key = player, tuple(observation.numbers())
                assert seen.setdefault(key, str(observation)) == str(observation)
            if number > 150:
                break


def numbers(game, text, player=1):
    return game.parse(text).observation(player).numbers()


def test_numbers_tell_whose_turn_it_is():
    game = load_game("challenge", ranks=3)
    one, two = (f"3 AKQ.-.-.AK -.A.AKQ.- SD {turn} QC" for turn in (1, 2))
    assert numbers(game, one) != numbers(game, two)
    assert numbers(game, one) == [*numbers(game, two)[:-1], 1]


PILE = (
    "hands=9876.-.-.-/-.9876.-.-/-/-.-.-.KQJ known=-/-/-/- "
    "pile=AS,KS,QS,JS,TS,AH,KH,QH,JH,TH,9D,8D,7D,6D,AD,KD,QD,JD,TD,9C,8C,7C,6C,AC,TC "
    "trumps=S/H/D/C dealer=4 turn=4 phase=beat out=3"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("known=-/", "known=9.-.-.-/"),
        ("dealer=4", "dealer=3"),
        ("turn=4", "turn=2"),
        ("trumps=S/H/D/C", "trumps=S/H/C/D"),
        ("phase=beat", "phase=lead"),
    ],
)
def test_numbers_tell_what_a_player_of_a_pile_game_has_seen(old, new):
    game = load_game("svoyi_kozyri", memory="plays")
    assert numbers(game, PILE) != numbers(game, PILE.replace(old, new))


def test_numbers_tell_the_order_of_going_out():
    game = load_game("svoyi_kozyri", memory="plays")
    text = PILE.replace("-.9876.-.-/-/", "-/-/")
    text = text.replace("pile=", "pile=9H,8H,7H,6H,")
    first, second = (text.replace("out=3", f"out={out}") for out in ("3,2", "2,3"))
    assert numbers(game, first) != numbers(game, second)


def test_numbers_tell_the_order_of_two_trump_suits():
    game = load_game("svoyi_kozyri", players=2, two_trumps=True)
    text = str(game.initial(1).apply("hearts").apply("spades").apply("clubs").apply("diamonds"))
    other = text.replace("HC", "CH")
    assert other != text
    assert numbers(game, text) != numbers(game, other)


def test_numbers_tell_every_showing_of_a_hand():
    """A card shown twice, with other cards the first time."""
    one, two = (
        dataclasses.replace(
            KOZEL.observation(2),
            shown=tuple(Shown(n, 1, tuple(map(parse_card, c.split()))) for n, c in shown),
        )
        for shown in (
            [(1, "AS TS KS QS"), (2, "AS TS KS 9S")],
            [(1, "AS TS QS 7S"), (2, "AS TS KS 9S")],
        )
    )
    assert one.numbers() != two.numbers()


def picture(state, player):
    return "\n".join(state.observation(player).picture(Pen()))


def test_picture_of_challenge():
    position = Position.parse("3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD")
    assert picture(position, 1) == (
        "Player 1           Player 2 faces QD\n"
        "S A K .  trumps    S . . Q\n"
        "H . . Q            H A K .\n"
        "D A K .            D . . .  trumps\n"
        "C . . Q            C A K .\n"
        "On the table: QD"
    )


def test_picture_of_a_game_with_a_pile():
    text = (
        "hands=9876.-.-.-/-.9876.-.-/-.-.9876.-/-.-.-.KQJ known=9.-.-.-/-/-/- "
        "pile=AS,KS,QS,JS,TS,AH,KH,QH,JH,TH,AD,KD,QD,JD,TD,9C,8C,7C,6C,AC,TC "
        "trumps=S/H/D/C dealer=4 turn=4 phase=beat out=-"
    )
    state = load_game("svoyi_kozyri", memory="plays").parse(text)
    assert picture(state, 1).splitlines()[:4] == [
        "  Player 1          trumps S   9S 8S 7S 6S   known: 9S",
        "  Player 2          trumps H   4 cards",
        "  Player 3          trumps D   4 cards",
        "> Player 4, dealer  trumps C   3 cards",
    ]
    state = load_game("svoyi_kozyri").parse(text.replace("known=9.-.-.-", "known=-"))
    assert picture(state, 1).splitlines()[4] == "Pile, top first: TC and 20 more"
    assert "> Player 4, dealer  trumps C   KC QC JC" in picture(state, 0)
    before = load_game("hund", dealer=2).initial(1)
    assert "  Player 1          no trumps  13 cards" in picture(before, 2)
    assert picture(before, 1).splitlines()[4] == "The pile is empty"


KOZEL = load_game("kozel").parse(
    "hands=A.T.A.-/-.-.9.876/Q7.-.K8.-/T9.Q8.-.- stock=QD,7H,9C,8S turned=8S "
    "tricks=2:JH+9H,(TD+7D),(KH+6D),(KS+6H);2:JS+6S,(JD+JC),(AH+AC),(KC+QC) "
    "shown=2.1:AS+TH+AD+TC trick=1:TC turn=2 phase=answer"
)


def test_picture_of_kozel():
    assert picture(KOZEL, 2) == (
        "Trumps: 8S turned up, 4 cards in the stock\n"
        "Players 1 and 3 play against 2 and 4\n"
        "  Player 1, dealer  3 cards\n"
        "> Player 2          9D 8C 7C 6C\n"
        "  Player 3          4 cards\n"
        "  Player 4          4 cards\n"
        "Trick 1, led by player 2: JH 9H, (2), (2), (2)\n"
        "Trick 2, led by player 2: JS 6S, (2), (2), (2)\n"
        "Shown before trick 3 by player 1: AS TH AD TC\n"
        "On the table, led by player 1: TC"
    )
    everything = picture(KOZEL, 0)
    assert "  Player 4          TS 9S QH 8H\n" in everything
    assert "led by player 2: JS 6S, (JD JC), (AH AC), (KC QC)\n" in everything


def test_a_card_put_down_is_not_told_to_everybody():
    action = KOZEL.parse_action("down 7c")
    assert KOZEL.phrase(action, Pen(), False) == "puts down (7C)"
    assert KOZEL.phrase(action, Pen(), True) == "puts down 1 face down"


def test_phrases():
    game = load_game("svoyi_kozyri")
    state = game.initial(1).apply("hearts")
    assert state.phrase("spades", Pen(), True) == "chooses spades"
    position = Position.parse("3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD")
    assert position.phrase("pickup", Pen(), True) == "picks up 1 card"
    assert position.apply("pickup").phrase(parse_card("AS"), Pen(), True) == "leads AS"
