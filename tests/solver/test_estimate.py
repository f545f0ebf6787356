"""Estimates: they add up, know the rules of a trick, are right on a deck that was not learned."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import base_positions, positions

from engine.deals import random_deal
from engine.position import Position
from solver import Estimate, GameError, open_tables, solve
from solver.core.bitboard import swap_plain
from solver.single.estimate import FILE, estimate, estimate_base, estimate_moves, suit_features

UNDECIDED = "10 AKQJ8765.KQJ765.T9.AT98 T9.AT98.AKQJ8765.KQJ765 SD 1 -"


@settings(max_examples=30)
@given(positions(st.integers(1, 10)))
def test_estimates_of_all_moves_add_up(position):
    if position.winner:
        return
    found = estimate_moves(position)
    assert tuple(found) == position.legal_actions()
    for guess in (estimate(position), *found.values()):
        assert guess.win + guess.draw + guess.loss == 1
        assert min(guess.win, guess.draw, guess.loss) >= 0
    if not position.is_base and any(position.apply(action).winner for action in found):
        assert estimate(position) == Estimate(1, 0, 0)


@given(base_positions(st.integers(2, 10)), st.data())
def test_plain_suits_are_alike(position, data):
    hand = data.draw(st.integers(1, (1 << 4 * position.ranks) - 2))
    twin = swap_plain(hand, position.ranks)
    found = estimate_base(hand, position.ranks), estimate_base(twin, position.ranks)
    assert found[0].win == pytest.approx(found[1].win, abs=1e-5)


def test_a_game_that_is_over():
    with pytest.raises(GameError, match="player 1 has won"):
        estimate(Position.parse("4 -.-.-.- KQJ.AKQJ.AKQJ.AKQJ SD 2 AS"))


def test_features_mean_the_same_in_every_deck():
    """Their number, and that a void or full suit looks alike."""
    assert {len(suit_features(hand, ranks)) for ranks in range(1, 11) for hand in (0, 1)} == {39}
    assert suit_features(0, 4)[-6:] == suit_features(0, 10)[-6:]


def test_right_on_a_deck_that_was_not_learned():
    """8 ranks: most outcomes, and without too much trust in itself."""
    rng = random.Random(1)
    hands = [
        sum(1 << card for card in rng.sample(range(32), rng.randint(2, 30))) for _ in range(500)
    ]
    outcomes = open_tables().deck(8).outcomes(np.array(hands))
    chances = [estimate_base(hand, 8).win for hand in hands]
    wins = outcomes > 0
    assert np.mean((np.array(chances) > 0.5) == wins) > 0.95
    loss = -sum(
        math.log(chance if win else 1 - chance) for chance, win in zip(chances, wins, strict=True)
    )
    assert loss / len(hands) < 0.1


def test_right_inside_tricks():
    """Positions some moves after deals of 5 ranks, against the table."""
    rng = random.Random(2)
    right = total = 0
    while total < 40:
        position = random_deal(5, rng).position()
        for _ in range(rng.randint(1, 12)):
            if not position.winner:
                position = position.apply(rng.choice(position.legal_actions()))
        if position.winner or position.is_base:
            continue
        outcome = open_tables().outcome(position)
        right += (estimate(position).score > 0) == (outcome == "win")
        total += 1
    assert right >= 36


def test_only_what_is_undecided_is_estimated():
    assert solve("AK.Q").estimate is None
    solution = solve(UNDECIDED, max_nodes=1000)
    guess = solution.estimate
    assert solution.outcome == "undecided"
    assert guess is not None
    assert solution.to_dict()["estimate"] == guess.to_dict()
    scores = [move.estimate.score for move in solution.moves]
    assert scores == sorted(scores, reverse=True)
    proved = solve("1 A.-.A.- -.A.-.A SD 1 -", method="search")
    assert "estimate" not in proved.to_dict()
    for move in (*proved.moves, *solution.moves):
        assert ("estimate" in move.to_dict()) == (move.outcome == "undecided")


def test_the_file_is_small():
    assert FILE.stat().st_size < 1 << 18
