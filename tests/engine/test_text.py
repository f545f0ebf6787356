"""Text between the program and people."""

import pytest

from engine.arena.match import Match
from engine.cards import parse_deck
from engine.challenge import Challenge
from engine.deals import Deal
from engine.errors import GameError
from engine.game import load_game
from engine.players.player import make_player
from engine.position import Position
from engine.text import counted, meant, number_in, quoted
from solver import Solver, solve

MANY = "9" * 5000


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("7", 7),
        (" 10 ", 10),
        (7, 7),
        (7.0, 7),
        ("0", None),
        ("11", None),
        ("-1", None),
        ("x", None),
        ("", None),
        ("7.5", None),
        (7.5, None),
        (float("nan"), None),
        (float("inf"), None),
        (None, None),
        (MANY, None),
        pytest.param(10**5000, None, id="thousands of digits"),
    ],
)
def test_numbers(value, number):
    assert number_in(value, range(1, 11)) == number


def test_quoted():
    assert quoted(" KQJ.JT9\n") == "'KQJ.JT9'"
    assert quoted("K\x1b[31m\0J\n.9") == r"'K\x1b[31m\x00J\n.9'"
    assert len(quoted("A" * 10**6)) < 80
    assert quoted(3) == "3"
    assert quoted(10**5000) == "a number of thousands of digits"


def test_counted():
    assert [counted(n, "node") for n in (0, 1, 2, 3000)] == [
        "0 nodes",
        "1 node",
        "2 nodes",
        "3,000 nodes",
    ]


def test_meant():
    assert meant("slove", ["play", "solve"]) == " (did you mean solve?)"
    assert meant(" KOZLE", ["hund", "kozel"]) == " (did you mean kozel?)"
    assert meant("expert", ["random", "greedy"]) == ""


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: load_game("chalenge"), r"unknown game 'chalenge' \(did you mean challenge\?\)"),
        (lambda: load_game("hund", limits=3), r"'limits' of hund \(did you mean limit\?\)"),
        (lambda: make_player("gredy", Challenge()), r"'gredy' \(did you mean greedy\?\)"),
        (lambda: parse_deck("standart"), r"deck 'standart' \(did you mean standard\?\)"),
        (lambda: Solver(method="serch"), r"method 'serch' \(did you mean search\?\)"),
    ],
)
def test_what_may_have_been_meant(call, sentence):
    with pytest.raises(GameError, match=sentence):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda text: Deal.parse(text),
        lambda text: Deal.parse(f"{text}.{text}"),
        lambda text: Deal.parse(f"{text} AK.Q"),
        lambda text: Position.parse(text),
        lambda text: Position.parse(f"3 {text} {text} SD 1 -"),
        lambda text: Position.parse(f"3 AK.Q.AK.Q Q.AK.-.AK {text} 2 QD"),
        lambda text: Position.parse(f"3 AK.Q.AK.Q Q.AK.-.AK SD {text} QD"),
        lambda text: Position.parse(f"3 AK.Q.AK.Q Q.AK.-.AK SD 2 {text}"),
        lambda text: Position.parse("3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD").apply(text),
        lambda text: solve(text),
        lambda text: load_game(text),
        lambda text: load_game("kozel", **{text: 1}),
        lambda text: load_game("kozel", limit=text),
        lambda text: load_game("challenge", limit=text),
        lambda text: load_game("challenge", suits=text),
        lambda text: load_game("hund").parse(text),
        lambda text: load_game("hund").parse(f"turn={text}"),
        lambda text: make_player(text, Challenge()),
        lambda text: make_player(f"greedy:{text}", Challenge()),
        lambda text: make_player(f"pimc:samples={text}", Challenge()),
        lambda text: Match.start(load_game("hund"), 1, text),
        lambda text: parse_deck(text),
    ],
)
@pytest.mark.parametrize(
    "text", [MANY, "A" * 10**5, "\x1b[31m\0\u202e\x85"], ids=["digits", "long", "controls"]
)
def test_messages_are_one_short_line_whatever_was_written(call, text):
    with pytest.raises(GameError) as caught:
        call(text)
    message = str(caught.value)
    assert len(message) < 400
    assert message.isprintable()
