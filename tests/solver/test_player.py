"""The perfect player of Challenge."""

import pytest

from engine.arena.play import FINISHED, REPETITION, Play, steps, taking_turns
from engine.errors import GameError
from engine.game import load_game
from engine.players.player import make_player
from engine.position import Position
from solver.player import Perfect
from solver.solver import solve


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
