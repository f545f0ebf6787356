import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import cards, hands

from engine.cards import DECKS, RANKS, SUIT_SYMBOLS, SUITS, Card, deck_cards, parse_deck
from engine.errors import GameError, NotationError
from engine.notation import action_words, format_hand, parse_card, parse_hand

EASY = parse_hand("KQJ.AKQ.AT9.JT9", 6)


@given(cards)
def test_card_round_trip(card):
    assert parse_card(str(card)) == card
    assert str(card) == RANKS[14 - card.rank] + SUITS[card.suit]


@pytest.mark.parametrize(
    "text",
    [
        "TD",
        "td",
        "10D",
        "10d",
        "T♦",
        "10♦",
        "♦10",
        "D10",
        "dT",
        " t d ",
        "T♢",
        "T♦\ufe0f",
        "\ufeffTD\r\n",
    ],
)
def test_card_is_read_liberally(text):
    assert parse_card(text) == Card(SUITS.index("D"), 10)


@pytest.mark.parametrize("text", ["", "D", "9", "1D", "9X", "99", "DD", "9DD", "9D 9D", "0D", "-"])
def test_no_card(text):
    with pytest.raises(NotationError, match="is not a card, expected rank and suit such as 9D"):
        parse_card(text)


@given(st.integers(1, 13).flatmap(hands))
def test_hand_round_trip(hand):
    text = format_hand(hand)
    assert parse_hand(text) == hand
    assert format_hand(parse_hand(text)) == text


def test_hand_is_written_high_to_low_with_dashes():
    assert format_hand(frozenset(sorted(EASY, reverse=True))) == "KQJ.AKQ.AT9.JT9"
    assert format_hand(frozenset()) == "-.-.-.-"
    assert format_hand(deck_cards(13)) == ".".join([RANKS] * 4)


@pytest.mark.parametrize(
    "text",
    [
        "kqj.akq.at9.jt9",
        "JQK.QAK.9AT.TJ9",
        "KQJ.AKQ.A109.J109",
        " KQJ . AKQ\t. AT9 .\u00a0JT9\r\n",
        "\ufeffKQJ.AKQ.AT9.JT9",
        "♠KQJ.♥AKQ.♦AT9.♣JT9",
        "♣JT9 ♦AT9 ♥AKQ ♠KQJ",
        "dA109 s kqj hakq c j t 9",
        "♤KQJ♡AKQ♢AT9♧JT9",
        '"KQJ.AKQ.AT9.JT9"',
        "‘KQJ’.‘AKQ’.‘AT9’.‘JT9’",
    ],
)
def test_hand_is_read_liberally(text):
    assert parse_hand(text, 6) == EASY


@pytest.mark.parametrize("text", ["-.A.-.-", "–.A.—.−", ".A..", "♥A", "♠-♥A♦-♣-", "-.a.-.", "HA."])
def test_empty_suits(text):
    assert parse_hand(text) == {Card(1, 14)}


@given(st.data(), st.integers(1, 13))
def test_hand_in_any_dress(data, ranks):
    hand = data.draw(hands(ranks))
    groups = format_hand(hand).split(".")
    dressed = [
        data.draw(st.sampled_from([suit, symbol]))
        + data.draw(st.sampled_from([group, group.lower(), group.replace("T", "10"), group[::-1]]))
        for suit, symbol, group in zip(SUITS, SUIT_SYMBOLS, groups, strict=True)
    ]
    text = data.draw(st.sampled_from(["", " ", ".", " . "])).join(
        data.draw(st.permutations(dressed))
    )
    assert parse_hand(text, ranks) == hand


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("KQJ.AKQ.AT9", "has 3 suits, expected 4"),
        ("KQJ.AKQ.AT9.JT9.-", "has 5 suits, expected 4"),
        ("", "has 1 suit, expected 4"),
        ("KQJ.AKQ.AX9.JT9", "diamonds: unknown rank 'X', expected some of AKQJT9"),
        ("KQJ.AKQ.AT9.JT8", "clubs: 8 is not in a deck of 6 ranks, expected some of AKQJT9"),
        ("KQJ.AKA.AT9.JT9", "hearts: A appears twice"),
        ("K10T.AK.AT9.JT9", "spades: T appears twice"),
        ("K-J.AKQ.AT9.JT9", "spades: unknown rank '-'"),
        ("1KQ.AKQ.AT9.JT9", "spades: unknown rank '1'"),
        ("♠KQ♠J", "each of the suits S, H, D, C at most once"),
        ("KQJ♥AK", "each of the suits S, H, D, C at most once"),
        ("♠KQ.AKQ.AT9.JT9", "some suits have names and some do not"),
    ],
)
def test_bad_hand(text, message):
    with pytest.raises(NotationError, match=message) as error:
        parse_hand(text, 6)
    assert repr(text) in str(error.value)


@given(st.text("AKq10t9.-– ♠♥SdX\u00a0\ufeff", max_size=12))
def test_any_text_is_a_hand_or_a_notation_error(text):
    try:
        hand = parse_hand(text)
    except NotationError:
        return
    assert parse_hand(format_hand(hand)) == hand


@pytest.mark.parametrize(
    ("text", "ranks"),
    [*DECKS.items(), ("1", 1), ("10", 10), (" Easy\n", 6), (8, 8)],
)
def test_deck(text, ranks):
    assert parse_deck(text) == ranks
    assert len(deck_cards(ranks)) == 4 * ranks
    assert Card(3, 14) in deck_cards(ranks)


@pytest.mark.parametrize("text", ["", "0", "11", "-1", "6.5", "hard", "9" * 5000])
def test_unknown_deck(text):
    with pytest.raises(
        GameError, match=r"expected easy, standard, advanced or a number .* 1 to 10"
    ):
        parse_deck(text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("8h, jh", "JH 8H"),
        ("JH,8H", "JH 8H"),
        ("J♥+8♥", "JH 8H"),
        ("jh; 8h", "JH 8H"),
        ("down 10c 8d", "down TC 8D"),
        ("♥", "hearts"),
        ("h", "hearts"),
        ("Heart", "hearts"),
        ("9 hearts", "9H"),
        ("pick up", "pickup"),
    ],
)
def test_actions_are_read_liberally(text, same):
    assert action_words(text) == action_words(same)
