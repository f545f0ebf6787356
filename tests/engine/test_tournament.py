"""Tournaments and what is counted in them."""

import random

import pytest
from sample_games import games

from engine.arena.interval import mean_interval
from engine.arena.play import Play, steps, taking_turns
from engine.arena.tournament import Tally, run
from engine.game import load_game
from engine.players.greedy import Greedy


def test_a_tally():
    tally = Tally()
    for scores in [(1.0, -1.0), (1.0, 1.0), (0.0, 0.0), (-1.0, 0.0)]:
        tally.add(scores)
    assert (tally.games, tally.wins, tally.losses) == (8, 3, 2)
    assert tally.mean == pytest.approx(0.125)  # deals: 0, 1, 0, -1/2
    assert tally.interval[0] < tally.mean < tally.interval[1]


@games
def test_a_tournament_of_equals_is_even(name, options):
    """Every deal is played in all rotations, so that the seat does not matter."""
    game = load_game(name, **options)
    done = []
    tallies = run(game, [Greedy(game)] * game.players, 4, 1, done.append)
    assert done == [1, 2, 3, 4]
    assert {tally.games for tally in tallies} == {4 * game.players}
    assert all(tally.mean == pytest.approx(0) for tally in tallies)


@pytest.mark.parametrize("count", [2, 8, 60])
@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda rng: rng.choice((-1, 1)), 0.0),
        (lambda rng: 1 if rng.random() < 0.9 else -1, 0.8),
        (lambda rng: rng.choice((-1, 0, 0, 1)), 0.0),
        (lambda rng: 0 if rng.random() < 0.8 else 1, 0.2),
        (lambda rng: rng.uniform(-1, 1), 0.0),
    ],
)
def test_intervals_cover_the_mean_and_stay_within_the_possible_scores(draw, mean, count):
    rng = random.Random(1)
    covered = 0
    for _ in range(1000):
        low, high = mean_interval([draw(rng) for _ in range(count)], -1, 1)
        assert -1 <= low < high <= 1
        covered += low <= mean <= high
    assert covered > 910


def test_intervals_of_few_or_equal_scores():
    for score in (-1.0, 0.0, 1.0):
        for count in (1, 2, 100):
            low, high = mean_interval([score] * count, -1, 1)
            assert -1 <= low <= score <= high <= 1
            assert high - low > 1 / count
    assert mean_interval([1, -1] * 50, -1, 1) == pytest.approx((-0.195, 0.195), abs=0.01)


@games
def test_returns_are_within_the_bounds_of_the_game(name, options):
    game = load_game(name, **options)
    low, high = game.bounds
    for seed in range(5):
        play = Play(game, game.initial(seed))
        for _ in steps(play, taking_turns([Greedy(game)] * game.players, seed)):
            pass
        assert all(low <= value <= high for value in play.returns())
