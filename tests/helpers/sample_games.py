"""Games with options, and the states of random play."""

import random

import pytest

from engine.arena.play import Play
from engine.cards import PICKUP

GAMES = [
    ("challenge", {"ranks": 4}),
    ("challenge", {"ranks": 3, "suits": "chosen"}),
    ("svoyi_kozyri", {}),
    ("svoyi_kozyri", {"players": 2, "two_trumps": True}),
    ("svoyi_kozyri", {"score": "first_out", "trumps": "S/C/H/D"}),
    ("svoyi_kozyri", {"players": 3, "memory": "plays", "after_pickup": "lead"}),
    ("hund", {}),
    ("kozel", {}),
]
games = pytest.mark.parametrize(("name", "options"), GAMES, ids=str)


def states(game, seed, eager=True):
    """The states of a random game in which somebody acts; `eager` games pick up when they must."""
    rng = random.Random(seed)
    play = Play(game, game.initial(seed))
    while not play.end:
        yield play.state
        actions = play.state.legal_actions()
        if eager and len(actions) > 1 and actions[-1] == PICKUP:
            actions = actions[:-1]
        play.act(rng.choice(actions))
