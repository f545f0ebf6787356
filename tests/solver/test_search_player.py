"""The player search: perfect with tables, sound without, never at a loss for a move."""

import random

import pytest

from engine.errors import GameError
from engine.game import load_game
from engine.players.greedy import Greedy
from engine.position import Position
from solver import Outcome, Solver, Tables, solve
from solver.search_player import SearchPlayer


def without_tables(ranks, tmp_path, **options):
    return SearchPlayer(load_game("challenge", ranks=ranks), tables=Tables(tmp_path), **options)


def test_a_proved_win_is_played(tmp_path):
    """4 ranks without a table: a search proves every position."""
    player = without_tables(4, tmp_path, nodes=1_000_000)
    game, rng = load_game("challenge", ranks=4), random.Random(1)
    for seed in range(3):
        position = game.initial(seed)
        before = solve(position).outcome
        action = player.choose(position, rng)
        after = solve(position.apply(action))
        assert (before == Outcome.WIN) == (after.winner == position.turn)


def test_the_same_nodes_give_the_same_game():
    game = load_game("challenge", ranks=10)
    actions = []
    for _ in range(2):
        player, other = SearchPlayer(game, nodes="200"), Greedy(game)
        player.begin()
        position, rng, played = game.initial(3), random.Random(1), []
        while position.winner is None and len(played) < 5:
            chooser = player if position.turn == 1 else other
            played.append(chooser.choose(position, rng))
            position = position.apply(played[-1])
        actions.append(played)
    assert actions[0] == actions[1]


def test_most_won_positions_are_kept(tmp_path):
    """6 ranks, tables hidden: where a move could lose, it seldom does."""
    player = without_tables(6, tmp_path, nodes=2000)
    solver, rng = Solver(method="table", outcomes_only=True, compiled=True), random.Random(2)
    kept = total = 0
    while total < 60:
        position = player.game.initial(rng.randrange(1 << 30))
        for _ in range(30):
            if position.winner:
                break
            solution = solver.solve(position)
            if solution.outcome == Outcome.WIN and len(solution.best) < len(solution.moves):
                player.begin()
                kept += player.choose(position, rng) in solution.best
                total += 1
            position = position.apply(rng.choice(solution.best))
    assert kept > 0.9 * total


def test_hints_for_a_deck_without_tables():
    player = SearchPlayer(load_game("challenge", ranks=9), nodes="100")
    hint = player.hint(player.game.initial(1))
    assert hint.startswith("Not proved, likely to win: ")
    assert "100 %" not in hint


def test_a_deck_with_tables_is_played_by_them():
    player = SearchPlayer(load_game("challenge", ranks=3))
    position = Position.parse("3 AK.A.A.- Q.KQ.KQ.AKQ SD 1 -")
    assert player.choose(position, random.Random(1)) in solve(position).best


@pytest.mark.parametrize("options", [{"nodes": "0"}, {"nodes": "x"}, {"seconds": "-1"}])
def test_wrong_limits(options):
    with pytest.raises(GameError, match="is wrong, expected a number"):
        SearchPlayer(load_game("challenge", ranks=9), **options)
    with pytest.raises(GameError, match="plays challenge, not hund"):
        SearchPlayer(load_game("hund"))
