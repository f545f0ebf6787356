"""The rules of Challenge and the text of its positions, and perft."""

import copy
import dataclasses
import pickle
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positions

from engine.cards import PICKUP, deck_cards, in_order
from engine.challenge import Challenge
from engine.errors import GameError, NotationError
from engine.notation import parse_card
from engine.position import Position

DATA = Path(__file__).parents[1] / "data"
PERFT = [
    line.split("\t")
    for line in (DATA / "perft.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def play(text, *actions):
    """The position `text` and what comes of the actions."""
    position = Position.parse(text)
    for action in actions:
        position = position.apply(position.parse_action(action))
    return position


def legal(text, *actions):
    position = play(text, *actions)
    return " ".join(map(position.action_to_string, position.legal_actions()))


# The rules, one by one. AKQ in four suits; player 1 has spades as trumps, player 2 diamonds.


def test_any_card_may_be_led():
    assert legal("3 AK.Q.AK.Q Q.AK.Q.AK SD 1 -") == "AS KS QH AD KD QC"


def test_beat_with_a_higher_card_of_the_suit_or_a_trump_or_pick_up():
    assert legal("3 AK.Q.AK.Q Q.AK.Q.AK SD 1 -", "QH") == "AH KH QD pickup"
    assert legal("3 AK.Q.AK.Q Q.AK.Q.AK SD 1 -", "QC") == "QD AC KC pickup"


def test_own_trump_is_beaten_only_by_a_higher_trump():
    assert legal("3 AK.AKQ.A.Q Q.-.KQ.AK SD 2 -", "KD") == "AS KS AD pickup"
    assert legal("3 AK.AKQ.A.Q Q.-.KQ.AK SD 2 -", "QS") == "AS KS pickup"


def test_the_other_players_trump_is_an_ordinary_suit():
    assert legal("3 AK.Q.AK.Q Q.AK.Q.AK SD 1 -", "KS") == "QD pickup"
    assert legal("3 AK.Q.A.Q Q.AK.KQ.AK SD 1 -", "QC") == "KD QD AC KC pickup"
    assert legal("3 AK.Q.A.Q Q.AK.KQ.AK SD 1 -", "AD") == "pickup"


def test_who_beats_leads_any_card_on_top():
    start = "3 AK.Q.AK.Q Q.AK.Q.AK SD 1 -"
    beaten = play(start, "QH", "KH")
    assert str(beaten) == "3 AK.-.AK.Q Q.A.Q.AK SD 2 -"
    assert legal(start, "QH", "KH") == "QS AH QD AC KC"
    led = play(start, "QH", "KH", "QD")
    assert str(led) == "3 AK.-.AK.Q Q.A.-.AK SD 1 QD"
    assert legal(start, "QH", "KH", "QD") == "AS KS AD KD pickup"


def test_pickup_takes_the_whole_table_and_the_leader_leads_again():
    picked = play("3 AK.Q.AK.Q Q.AK.Q.AK SD 1 -", "QH", "KH", "QD", "pickup")
    assert str(picked) == "3 AK.KQ.AKQ.Q Q.A.-.AK SD 2 -"
    assert picked.is_base
    assert not picked.table


def test_the_last_card_led_wins_at_once():
    won = play("3 -.-.Q.- AKQ.AKQ.AK.AKQ SD 1 -", "QD")
    assert str(won) == "3 -.-.-.- AKQ.AKQ.AK.AKQ SD 2 QD"
    assert (won.winner, won.current_player, won.legal_actions()) == (1, 0, ())
    assert won.returns() == (1, -1)


def test_the_last_card_beating_wins_at_once():
    won = play("3 AKQ.AKQ.AK.AKQ -.-.Q.- SD 1 -", "KH", "QD")
    assert str(won) == "3 AKQ.AQ.AK.AKQ -.-.-.- SD 2 -"
    assert (won.winner, won.current_player, won.is_terminal) == (2, 0, True)
    assert won.returns() == (-1, 1)
    with pytest.raises(GameError, match=r"'KH' is not a legal action here.* the game is over"):
        won.apply(parse_card("KH"))


def test_no_returns_before_the_end():
    with pytest.raises(GameError, match="not over"):
        play("3 AK.Q.AK.Q Q.AK.Q.AK SD 1 -").returns()


@given(positions())
def test_every_legal_action_applies_and_every_other_is_refused(position):
    legal = position.legal_actions()
    assert len(set(legal)) == len(legal)
    assert position.is_terminal == (not legal) == (position.current_player == 0)
    for action in [*deck_cards(13), PICKUP, "beat", None]:
        if action in legal:
            after = position.apply(action)
            assert after == position.apply(str(action))
            assert position.parse_action(position.action_to_string(action)) == action
            _conserved(position, after)
        else:
            with pytest.raises(GameError, match="not a legal action"):
                position.apply(action)


def _conserved(before, after):
    """Every card stays in its place but the one played, or the table picked up."""
    assert after.hands[2 - before.turn] == before.hands[2 - before.turn]
    hand, now = before.hands[before.turn - 1], after.hands[before.turn - 1]
    assert (len(hand - now) == 1 and after.table == before.table | (hand - now)) or (
        now == hand | before.table and not after.table
    )
    assert (after.ranks, after.trumps) == (before.ranks, before.trumps)


@given(positions())
def test_positions_are_values(position):
    twin = Position.parse(str(position))
    assert twin == position
    assert hash(twin) == hash(position)
    assert eval(repr(position)) == position
    assert pickle.loads(pickle.dumps(position)) == copy.deepcopy(position) == position
    before = str(position)
    for action in position.legal_actions():
        position.apply(action)
    assert str(position) == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        position.turn = 1


# The text of a position.


@given(positions())
def test_every_position_reached_by_play_is_read_back(position):
    assert Position.parse(str(position)) == position
    assert Challenge(position.ranks).parse(str(position)) == position
    assert position.information_state_string(1) == str(position)


@pytest.mark.parametrize("ranks", [1, 2])
def test_exactly_the_reachable_positions_are_possible(ranks):
    """Every way to place the cards, the turn and the top card, against all play from all bases."""
    cards = in_order(deck_cards(ranks))
    possible, bases = set(), []
    for places in product((0, 1, 2), repeat=len(cards)):
        table, hand1, hand2 = (
            frozenset(c for c, at in zip(cards, places, strict=True) if at == place)
            for place in (0, 1, 2)
        )
        for turn, top in product((1, 2), [None, *table]):
            position = Position(ranks, (hand1, hand2), (0, 2), turn, top)
            try:
                position.check()
            except GameError:
                continue
            possible.add(position)
            if position.is_base:
                bases.append(position)
    assert len(bases) == 2 * (2 ** len(cards) - 2)
    reached, waiting = set(bases), bases
    while waiting:
        position = waiting.pop()
        after = {position.apply(action) for action in position.legal_actions()} - reached
        reached |= after
        waiting.extend(after)
    assert possible == reached


@pytest.mark.parametrize(
    "text",
    [
        "  6  kqj.jt9.at9.akq  at9.akq.kqj.jt9  sd  1  -  ",
        "\ufeffeasy ♠KQJ♥JT9♦AT9♣AKQ A109.AKQ.KQJ.J109 ♠♦ 1 —\r\n",
        "6\u00a0KQJ.JT9.AT9.AKQ\u00a0AT9.AKQ.KQJ.JT9\u00a0SD\u00a01\u00a0–",
    ],
)
def test_read_liberally(text):
    assert str(Position.parse(text)) == "6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 -"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "six fields, RANKS HAND1 HAND2 TRUMPS TURN TOP, found 0"),
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1", "six fields, .* found 5"),
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 - -", "six fields, .* found 7"),
        ("11 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 -", "unknown deck '11'"),
        ("6 KQJ.JT9.AT9 AT9.AKQ.KQJ.JT9 SD 1 -", "has 3 suits, expected 4"),
        ("6 KQJ.JT9.AT9.AKQ AT8.AKQ.KQJ.JT9 SD 1 -", "8 is not in a deck of 6 ranks"),
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 S 1 -", "trumps 'S' are wrong, expected two suits"),
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SX 1 -", "trumps 'SX' are wrong, expected two suits"),
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SS 1 -", "both players have the same trump suit"),
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 3 -", "turn '3' is wrong, expected .* 1 or 2"),
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 X", "'X' is not a card"),
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT SD 1 8C", "8C is not in a deck of 6 ranks"),
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 9D", "the top card 9D is in a hand"),
        ("6 KQJ.JT9.AT9.AKQ KAT9.AKQ.KQJ.JT9 SD 1 -", "KS is in both hands"),
        ("6 KQJ.JT9.AT9.AKQ KQAT9.AKQ.KQJ.JT9 SD 1 -", "KS, QS are in both hands"),
        ("6 -.-.-.- -.-.-.- SD 1 -", "both hands are empty"),
        ("2 AK.AK.AK.AK -.-.-.- SD 1 -", "a hand is empty and so is the table"),
        ("2 AK.AK.AK.A -.-.-.- SD 2 KC", "player 2's hand is empty, but player 1 has played"),
        ("2 AK.AK.AK.- -.-.-.- SD 1 -", "player 2's hand is empty, but player 1 has played"),
        # one card on the table, and its leader is to lead
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT SD 1 -", "9C is on the table, but no play leads there"),
        # a card to be beaten on top of one card
        ("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.J SD 1 9C", "TC, 9C are on the table, but no play"),
        # only player 1 beats hearts with spades, and it is player 2 who has beaten
        ("6 QJ.JT.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 2 -", "KS, 9H are .* the last beat by player 2"),
        # nobody beats hearts with clubs
        ("6 KQJ.JT.AT9.AKQ AT9.AKQ.KQJ.JT SD 2 -", "9H, 9C are on the table"),
    ],
)
def test_impossible_positions(text, message):
    with pytest.raises(GameError, match=message):
        Position.parse(text)


def test_text_errors_are_notation_errors():
    with pytest.raises(NotationError):
        Position.parse("6 KQJ.JT9.AT9.AKQ")


@given(st.data())
@settings(max_examples=200)
def test_a_damaged_text_is_a_position_or_a_game_error(data):
    text = list(str(data.draw(positions())))
    at = data.draw(st.integers(0, len(text) - 1))
    text[at] = data.draw(st.sampled_from(["", " ", ".", "-", *"AKQJT98765SHDC0123x♠"]))
    try:
        position = Position.parse("".join(text))
    except GameError:
        return
    assert Position.parse(str(position)) == position


# Actions as text.


@pytest.mark.parametrize(
    ("text", "action"), [("kh", "KH"), ("♥K", "KH"), (" K♥ ", "KH"), ("PickUp", "pickup")]
)
def test_actions_are_read_liberally(text, action):
    position = play("3 AK.Q.AK.Q Q.AK.Q.AK SD 1 -", "QH")
    assert position.action_to_string(position.parse_action(text)) == action


@pytest.mark.parametrize("text", ["AC", "AS", "pick", "", "9H"])
def test_an_illegal_action_is_refused_with_the_legal_ones(text):
    position = play("3 AK.Q.AK.Q Q.AK.Q.AK SD 1 -", "QH")
    with pytest.raises(GameError, match=r"not a legal action here.*: AH, KH, QD, pickup"):
        position.parse_action(text)


# Perft, in data that other programs can check: the number of sequences of k actions.


def perft(position, depth):
    actions = position.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(position.apply(action), depth - 1) for action in actions)


@pytest.mark.parametrize(("text", "counts"), PERFT)
def test_perft(text, counts):
    position = Position.parse(text)
    found = [perft(position, depth) for depth in range(1, len(counts.split()) + 1)]
    assert found == list(map(int, counts.split()))


@pytest.mark.parametrize(("text", "counts"), PERFT)
def test_perft_counted_in_another_way(text, counts):
    """The rules once more, over lists of strings and without the engine, to a smaller depth."""
    ranks, *hands, trumps, turn, top = text.split()
    suits = [h.split(".") for h in hands]
    names = [
        [rank + suit for suit, held in zip("SHDC", groups, strict=True) for rank in held.strip("-")]
        for groups in suits
    ]
    deck = [rank + suit for rank in "AKQJT98765"[: int(ranks)] for suit in "SHDC"]
    pile = [card for card in deck if card not in names[0] + names[1] and card != top]
    pile += [top] if top != "-" else []

    def count(me, hands, pile, leads, depth):
        if depth == 0:
            return 1
        if not (hands[0] and hands[1]):
            return 0
        total = 0
        for card in hands[me]:
            rest = [c for c in hands[me] if c != card]
            after = (rest, hands[1]) if me == 0 else (hands[0], rest)
            if leads:
                total += count(1 - me, after, [*pile, card], False, depth - 1)
                continue
            higher = "23456789TJQKA".index(card[0]) > "23456789TJQKA".index(pile[-1][0])
            follows = card[1] == pile[-1][1]
            if (follows and higher) or (not follows and card[1] == trumps[me]):
                total += count(me, after, [*pile, card], True, depth - 1)
        if not leads:
            took = hands[me] + pile
            after = (took, hands[1]) if me == 0 else (hands[0], took)
            total += count(1 - me, after, [], True, depth - 1)
        return total

    for depth, expected in enumerate(map(int, counts.split()), 1):
        if expected < 3000:
            assert count(int(turn) - 1, names, pile, top == "-", depth) == expected
