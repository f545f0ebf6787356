"""Games played out: when they are over."""

import pytest

from engine.arena.play import LIMIT, Play, steps, taking_turns
from engine.errors import GameError
from engine.game import load_game
from engine.players.player import Random


def test_play_is_drawn_at_the_limit():
    game = load_game("challenge", ranks=3, limit=5)
    play = Play(game, game.initial(1))
    taken = list(steps(play, taking_turns([Random(game)] * 2, 1)))
    assert (len(taken), play.end, play.returns()) == (5, LIMIT, (0.0, 0.0))


def test_there_are_no_returns_before_the_end():
    game = load_game("challenge", ranks=3)
    with pytest.raises(GameError, match="the game is not over"):
        Play(game, game.initial(1)).returns()
