"""Tournaments and what is counted in them."""

import pytest
from sample_games import games

from engine.arena.tournament import Tally, run
from engine.game import load_game
from engine.players.greedy import Greedy


def test_a_tally():
    tally = Tally()
    for scores in [(1.0, -1.0), (1.0, 1.0), (0.0, 0.0), (-1.0, 0.0)]:
        tally.add(scores)
    assert (tally.games, tally.wins, tally.losses) == (8, 3, 2)
    assert tally.mean == pytest.approx(0.125)  # deals: 0, 1, 0, -1/2
    assert tally.margin == pytest.approx(1.96 * (1.1875 / 3) ** 0.5 / 2)
    assert Tally(scores=[1.0]).margin is None


@games
def test_a_tournament_of_equals_is_even(name, options):
    """Every deal is played in all rotations, so that the seat does not matter."""
    game = load_game(name, **options)
    done = []
    tallies = run(game, [Greedy(game)] * game.players, 4, 1, done.append)
    assert done == [1, 2, 3, 4]
    assert {tally.games for tally in tallies} == {4 * game.players}
    assert all(tally.mean == pytest.approx(0) for tally in tallies)
