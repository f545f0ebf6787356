"""Look-ahead over estimates: it sees near wins, chooses the same again, obeys its limits."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positions

from engine.deals import random_deal
from engine.position import Position
from solver import Outcome, Solver
from solver.core.bitboard import leader_bits
from solver.single.estimate import estimate_base
from solver.single.lookahead import Lookahead, _tools, guess
from solver.single.network import Network

DEAL = Position.parse("10 AKQJ8765.KQJ765.T9.AT98 T9.AT98.AKQJ8765.KQJ765 SD 1 -")


@pytest.fixture(scope="module")
def tools():
    return {ranks: _tools(ranks, Network.load()) for ranks in (4, 10)}


@given(st.sampled_from((4, 10)), st.data())
def test_guesses_are_the_estimates(tools, ranks, data):
    """The kernel and the plain network, as log odds of a win against a loss."""
    hand = data.draw(st.integers(3, (1 << 4 * ranks) - 2).filter(lambda hand: hand & hand - 1))
    found = 2.718281828459045 ** guess(hand, tools[ranks])
    exact = estimate_base(hand, ranks)
    assert found / (1 + found) == pytest.approx(exact.win / (exact.win + exact.loss), abs=1e-3)


@settings(max_examples=25)
@given(positions(st.just(3)))
def test_a_win_or_a_loss_in_sight_is_seen(position):
    """3 ranks: with nodes enough it never gives away a win that is near."""
    if position.winner:
        return
    solution = Solver(method="table").solve(position)
    if solution.outcome == Outcome.WIN and solution.distance <= 1:
        ahead = Lookahead(3)
        action = ahead.best(position, position.legal_actions(), max_nodes=100_000)
        assert action in {m.action for m in solution.moves if m.outcome == Outcome.WIN}


def test_the_same_again_and_deeper_with_more_nodes():
    ahead, depths = Lookahead(10), []
    for nodes in (1000, 1000, 30_000):
        action = ahead.best(DEAL, DEAL.legal_actions(), max_nodes=nodes)
        depths.append((ahead.depth, action))
    assert depths[0] == depths[1]
    assert depths[2][0] > depths[0][0]


def test_time_is_kept():
    ahead = Lookahead(10)
    started = time.process_time()
    ahead.best(DEAL, DEAL.legal_actions(), max_seconds=0.1)
    assert ahead.depth > 0
    assert time.process_time() - started < 5  # a search without a limit takes hours


def test_every_move_is_looked_at_however_short_the_time():
    ahead = Lookahead(10)
    found = {ahead.best(DEAL, DEAL.legal_actions(), max_seconds=1e-9) for _ in range(3)}
    assert (len(found), ahead.depth) == (1, 1)
    ahead.best(DEAL, DEAL.legal_actions(), max_nodes=1)
    assert ahead.depth == 0


def test_only_moves_that_are_allowed():
    """Among one, or among two that are no good."""
    actions = DEAL.legal_actions()
    ahead = Lookahead(10)
    assert ahead.best(DEAL, actions[3:4], max_nodes=1) == actions[3]
    assert ahead.best(DEAL, actions[3:5], max_nodes=1) in actions[3:5]
    with pytest.raises(ValueError, match="neither"):
        ahead.best(DEAL, actions)


def test_positions_seen_are_avoided_by_who_is_ahead():
    """All ends of tricks that the favourite move leads to have come up: it is one no more."""
    rng = random.Random(3)
    position = random_deal(4, rng).position()
    ahead = Lookahead(4)
    actions = position.legal_actions()
    first = ahead.best(position, actions, max_nodes=10_000)
    after = position.apply(first).apply("pickup")
    assert leader_bits(after) > 0
    again = ahead.best(position, actions, max_nodes=10_000, seen=[after])
    assert again != first
