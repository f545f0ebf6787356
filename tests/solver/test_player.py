"""The perfect player of Challenge."""

import pytest

from engine.arena.play import FINISHED, REPETITION, Play, steps, taking_turns
from engine.deals import Deal
from engine.errors import GameError
from engine.game import load_game
from engine.players.player import make_player
from engine.position import Position
from solver.player import Perfect
from solver.solver import Solver, solve


def test_perfect_players_draw_by_repetition():
    position = Position.parse("5 AQT.K.AK.QJT KJ.AQJT.QJT.AK SH 1 -")
    assert solve(position).outcome == "draw"
    game = load_game("challenge", ranks=5)
    play = Play(game, position)
    taken = list(steps(play, taking_turns([Perfect(game)] * 2, 1)))
    assert (play.end, play.returns()) == (REPETITION, (0.0, 0.0))
    bases = [state for state, _ in taken if state.is_base] + [play.state]
    assert bases.count(play.state) == 3
    assert all(bases.count(state) < 3 for state in bases[:-1] if state != play.state)


@pytest.mark.parametrize("spec", ["random", "greedy", "perfect"])
def test_perfect_wins_what_is_won_in_time(spec):
    game = load_game("challenge", ranks=3)
    perfect = Perfect(game)
    other = perfect if spec == "perfect" else make_player(spec, game)
    for seed in range(25):
        start = game.initial(seed)
        solution = solve(start)
        if solution.outcome != "win":
            continue
        play = Play(game, start)
        taken = list(steps(play, taking_turns([perfect, other], seed)))
        tricks = sum(state.is_base for state, _ in taken)
        assert (play.end, play.returns()) == (FINISHED, (1.0, -1.0))
        assert tricks <= solution.distance + 1


def test_perfect_says_why():
    hint = Perfect(load_game("challenge", ranks=3)).hint(
        Position.parse("3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD")
    )
    solution = solve(Position.parse("3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD"))
    words = {"win": "wins", "loss": "loses", "draw": "draws"}
    best = solution.moves[0]
    assert hint.startswith(f"{best.action} {words[best.outcome]} in {best.distance} trick")
    assert hint.count(";") == len(solution.moves) - 1


def test_perfect_wins_at_once_with_an_only_card():
    position = Position.parse("1 A.-.-.- -.A.A.A SD 1 -")
    assert Perfect(load_game("challenge", ranks=1)).hint(position) == "AS wins at once"


def test_other_games_are_refused():
    with pytest.raises(GameError, match="the player perfect plays challenge, not kozel"):
        Perfect(load_game("kozel"))


# Where there is no progress.


def outcomes_only(ranks):
    """The player, if only outcomes are known."""
    player = Perfect(load_game("challenge", ranks=ranks))
    player._solver = Solver(method="table", outcomes_only=True)
    return player


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_wins_by_outcomes_alone(spec):
    """Not always in theory, but far more often than by taking the first winning move."""
    game = load_game("challenge", ranks=4)
    won = 0
    for seed in range(40):
        start = game.initial(seed)
        if solve(start).outcome == "win":
            play = Play(game, start)
            players = [outcomes_only(4), make_player(spec, game)]
            for state, _ in steps(play, taking_turns(players, seed)):
                assert solve(state).winner == 1
            won += play.returns()[0] > 0
            assert play.returns()[0] >= 0
    assert won >= 20


WON = Deal.parse("3 AK.Q").position()


def test_positions_that_came_up_are_avoided():
    player = outcomes_only(3)
    winning = player._solver.solve(WON).best
    assert len(winning) > 1
    chosen = [player.choose(WON, None) for _ in winning]
    assert set(chosen) == set(winning)
    assert chosen[0] == WON.rule_of_thumb(winning)
    player.begin()
    assert player.choose(WON, None) == chosen[0]


def test_hint_by_outcomes_alone():
    moves = solve(WON).moves
    winning = sorted(str(move.action) for move in moves if move.outcome == "win")
    losing = [f"{move.action} loses" for move in moves if move.outcome == "loss"]
    first, *rest = outcomes_only(3).hint(WON).split("; ")
    assert sorted(first.removesuffix(" win").split(", ")) == winning
    assert sorted(rest) == sorted(losing)


def test_problems_are_set():
    """Of the moves that resist longest the one that leaves the fewest good replies."""
    game = load_game("challenge", ranks=4)
    player, several = Perfect(game), 0
    for seed in range(60):
        position = game.initial(seed).apply(game.initial(seed).rule_of_thumb())
        solution = solve(position)
        if solution.outcome == "loss":
            chosen = player.choose(position, None)
            assert chosen in solution.best
            left = {
                action: player._good_replies(position.apply(action)) for action in solution.best
            }
            assert left[chosen] == min(left.values())
            several += len(set(left.values())) > 1
    assert several
