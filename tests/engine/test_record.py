"""Recorded playthroughs: written, checked, refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.arena import record as records
from engine.arena.play import steps, taking_turns
from engine.errors import GameError
from engine.game import load_game
from engine.players.player import Random


def recorded(seed=1, **options):
    game = load_game("challenge", **options)
    choose = taking_turns([Random(game)] * 2, seed)
    return records.write(records.header("challenge", options, seed, players="a,b"), choose)


def test_a_record_tells_the_whole_game():
    text = recorded(ranks=2)
    lines = text.splitlines()
    assert lines[:5] == ["game: challenge", 'options: {"ranks": 2}', "seed: 1", "players: a,b", ""]
    assert lines[5] == "state 0"
    assert lines[-1].startswith("returns: ")
    (record,) = records.check(text)
    play = records.start(record.header)
    list(steps(play, record.chooser()))
    assert f"returns: {' '.join(f'{v:g}' for v in play.returns())}" == lines[-1]


def test_a_record_of_a_draw_says_why():
    assert recorded(ranks=4, limit=3).endswith("end: limit\nreturns: 0 0\n")


def test_records_are_read_liberally():
    text = "\ufeff" + (recorded(1, ranks=2) + "\n\n" + recorded(2, ranks=3)).replace("\n", "\r\n")
    first, second = records.check(text)
    assert (first.header["seed"], second.header["seed"]) == ("1", "2")
    assert text.splitlines()[second.line - 1] == "game: challenge"


@given(st.data())
@settings(max_examples=40)
def test_every_altered_line_of_a_record_is_found(data):
    lines = recorded(3, ranks=2).splitlines()
    number = data.draw(st.integers(4, len(lines) - 1))
    lines[number] += "?"
    with pytest.raises(GameError, match=rf"^line {number + 1}\b|legal"):
        records.check("\n".join(lines))


@pytest.mark.parametrize("keep", [5, 12, -1])
def test_a_record_that_breaks_off_is_refused(keep):
    text = "\n".join(recorded(3, ranks=2).splitlines()[:keep])
    with pytest.raises(GameError, match=r"is cut short|expected 'returns"):
        records.check(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is no recorded game, expected 'game: …' in the first line"),
        ("hello\ngame: hund", "this is no recorded game"),
        ("game: hund", "a recorded game must start with lines for options, seed"),
        ("game: whist\noptions: {}\nseed: 1", "unknown game 'whist'"),
        ("game: hund\noptions: []\nseed: 1", r"options '\[\]' and seed '1' are wrong"),
        ("game: hund\noptions: {}\nseed: x", "options '{}' and seed 'x' are wrong"),
        ('game: hund\noptions: {"dealer": 9}\nseed: 1', "option dealer: '9' is not legal"),
    ],
)
def test_what_is_no_record(text, message):
    with pytest.raises(GameError, match=message):
        records.check(text)
