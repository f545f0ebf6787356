"""The game of Challenge with its options, and its recorded playthroughs."""

from itertools import permutations
from pathlib import Path

import playthrough
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import positions

from engine.challenge import Challenge
from engine.deals import Deal
from engine.errors import GameError
from engine.game import load_game

DATA = Path(__file__).parents[1] / "data"


def test_options():
    game = load_game("challenge", ranks="standard", suits="hscd", limit="50")
    assert isinstance(game, Challenge)
    assert (game.ranks, game.limit, game.players) == (8, 50, 2)
    assert game.initial(1).trumps == (1, 3)
    assert load_game("challenge").initial(3).ranks == 6
    assert set(Challenge.option_help()) == {"ranks", "suits", "limit", "start"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ranks": 11}, "unknown deck 11"),
        ({"suits": "SSDC"}, "suits 'SSDC' are wrong"),
        ({"limit": 0}, "limit 0 is wrong"),
        ({"limit": 10**5000}, "limit a number of thousands of digits is wrong"),
        ({"limit": "9" * 5000}, "limit '9999"),
        ({"limit": float("nan")}, "limit nan is wrong"),
        ({"limit": "many"}, "limit 'many' is wrong"),
        ({"start": "KQJ"}, "'KQJ' has 1 suit"),
        ({"start": "8 KQJ.JT97"}, "a deal of 8 ranks, expected 6"),
        ({"start": "1 A.A.-.- -.-.A.A SD 1 -"}, "the position has 1 ranks, expected 6"),
        ({"ranks": 1, "start": "1 -.-.-.- A.A.A.- SD 2 AC"}, "the game is over in"),
        (
            {"rank": 6},
            r"'rank' of challenge \(did you mean ranks\?\), expected one of: limit, ranks",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(GameError, match=message):
        load_game("challenge", **options)


@pytest.mark.parametrize(
    ("ranks", "start"),
    [(6, "6 KQJ.JT9"), (3, "3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD"), (8, "8 -.A"), (6, "random")],
)
def test_start(ranks, start):
    game = Challenge(ranks, start=start)
    assert Challenge(**game.options) == game
    first = game.initial(1)
    assert (first == game.initial(2)) == (start != "random")
    if start.count(".") > 1:
        assert str(first) == start
    elif start != "random":
        assert first == Deal.parse(start).position()
        assert str(Challenge(ranks, "chosen", start=start).initial(0).deal) == start


@given(st.integers(0, 10**9))
def test_initial_is_a_seeded_deal(seed):
    game = Challenge("easy", suits="drawn")
    position = game.initial(seed)
    assert position == game.initial(seed)
    assert position.is_base
    assert position.turn == 1
    position.check()


def test_drawn_suits_are_all_drawn():
    trumps = {Challenge(suits="drawn").initial(seed).trumps for seed in range(150)}
    assert trumps == set(permutations(range(4), 2))


def test_parse_wants_the_deck_of_the_game():
    with pytest.raises(GameError, match="of 6 ranks, expected one of this game's 8"):
        Challenge(8).parse(str(Challenge(6).initial(1)))


@given(positions())
def test_only_an_empty_table_counts_as_repetition(position):
    key = Challenge(position.ranks).repetition_key(position)
    assert key == (position if not position.table else None)


@pytest.mark.parametrize("path", sorted(DATA.glob("challenge*.playthrough")), ids=lambda p: p.stem)
def test_playthrough(path):
    playthrough.check(path.read_text(encoding="utf-8"))
