"""Players, playing games out, tournaments and records of games."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_games import games, states

from engine.arena import record as records
from engine.arena.play import FINISHED, LIMIT, REPETITION, Play, steps, taking_turns
from engine.arena.tournament import Tally, run
from engine.errors import GameError
from engine.game import load_game
from engine.players.greedy import Greedy
from engine.players.pimc import Pimc
from engine.players.player import Random, make_player
from engine.position import Position
from solver.player import Perfect
from solver.solver import solve


def outcome(name, options, specs, seed):
    """Why a game ends, its actions and its returns."""
    game = load_game(name, **options)
    players = [make_player(spec, game) for spec in specs]
    play = Play(game, game.initial(seed))
    actions = [step.action for step in steps(play, taking_turns(players, seed))]
    return play.end, actions, play.returns()


@games
@pytest.mark.parametrize("spec", ["random", "greedy", "pimc:samples=2"])
def test_the_same_seed_gives_the_same_game(name, options, spec):
    options = options | {"limit": 30}
    seats = load_game(name, **options).players
    specs = [spec, *["greedy"] * (seats - 1)]
    assert outcome(name, options, specs, 5) == outcome(name, options, specs, 5)
    assert outcome(name, options, specs, 5)[1] != outcome(name, options, specs, 6)[1]


@games
@pytest.mark.parametrize("player", [Greedy, Pimc])
def test_no_player_reads_what_is_hidden(name, options, player):
    """Other hidden cards in a state, the same seed: the same decision."""
    game = load_game(name, **options)
    player = Greedy(game) if player is Greedy else Pimc(game, samples=3)
    exchanged = 0
    for number, state in enumerate(states(game, 7)):
        if number > 120:
            break
        if isinstance(player, Pimc) and number % 7:
            continue
        other = state.sample(state.current_player, random.Random(number))
        exchanged += other != state
        chosen = [player.choose(s, random.Random(1)) for s in (state, other)]
        assert chosen[0] == chosen[1]
    assert exchanged or name == "challenge"


@games
def test_greedy_is_better_than_random(name, options):
    """The random one of several greedy players; `benchmarks/players.py` has more games."""
    game = load_game(name, **options)
    specs = ["random", *["greedy"] * (game.players - 1)]
    if name == "kozel":
        specs = ["random", "greedy"] * 2
    tally = run(game, [make_player(spec, game) for spec in specs], deals=30, seed=1)[0]
    assert tally.mean + tally.margin < 0
    assert tally.losses > 0.8 * tally.games


@pytest.mark.parametrize(
    ("name", "options", "deals"),
    [("challenge", {"ranks": 4}, 20), ("svoyi_kozyri", {"players": 2}, 8)],
)
def test_pimc_is_better_than_greedy(name, options, deals):
    game = load_game(name, **options)
    tally = run(game, [Pimc(game, samples=4), Greedy(game)], deals, seed=1)[0]
    assert tally.mean - tally.margin > 0


def test_greedy_leads_what_cannot_be_beaten():
    """QH is as cheap as QD, but AH would beat it."""
    position = Position.parse("3 A.Q.AKQ.- KQ.AK.-.AKQ SD 1 -")
    game = load_game("challenge", ranks=3)
    assert str(Greedy(game).choose(position, random.Random(0))) == "QD"


def test_play_is_drawn_at_the_limit():
    game = load_game("challenge", ranks=3, limit=5)
    play = Play(game, game.initial(1))
    taken = list(steps(play, taking_turns([Random(game)] * 2, 1)))
    assert (len(taken), play.end, play.returns()) == (5, LIMIT, (0.0, 0.0))


def test_there_are_no_returns_before_the_end():
    game = load_game("challenge", ranks=3)
    with pytest.raises(GameError, match="the game is not over"):
        Play(game, game.initial(1)).returns()


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


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("clever", "unknown player 'clever', expected one of: random, greedy, pimc"),
        (
            "pimc:sample=3",
            "'sample=3' is not an option of the player pimc, expected one of: samples=…",
        ),
        ("greedy:fast", "'fast' is not an option of the player greedy, expected one of: none"),
        ("pimc:samples=0", "samples=0 is wrong, expected a number of at least 1"),
        ("pimc:samples=x", "samples=x is wrong, expected a number of at least 1"),
    ],
)
def test_bad_specifications(spec, message):
    with pytest.raises(GameError) as error:
        make_player(spec, load_game("kozel"))
    assert str(error.value) == message


def test_specifications():
    game = load_game("kozel")
    assert make_player("pimc:samples=7", game).samples == 7
    assert make_player(" pimc : samples = 7 ".replace(" :", ":"), game).samples == 7
    with pytest.raises(GameError, match="the player perfect plays challenge, not kozel"):
        Perfect(game)


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


def recorded(seed=1, **options):
    game = load_game("challenge", **options)
    choose = taking_turns([Random(game)] * 2, seed)
    return records.write(records.header("challenge", options, seed, players="a,b"), choose)


def test_a_record_tells_the_whole_game():
    text = recorded(ranks=2)
    lines = text.splitlines()
    assert lines[:5] == ["game: challenge", 'options: {"ranks": 2}', "seed: 1", "players: a,b", ""]
    assert lines[5] == "state 0"
    assert lines[-1].startswith("returns: ")
    (record,) = records.check(text)
    play = records.start(record.header)
    list(steps(play, record.chooser()))
    assert f"returns: {' '.join(f'{v:g}' for v in play.returns())}" == lines[-1]


def test_a_record_of_a_draw_says_why():
    assert recorded(ranks=4, limit=3).endswith("end: limit\nreturns: 0 0\n")


def test_records_are_read_liberally():
    text = "\ufeff" + (recorded(1, ranks=2) + "\n\n" + recorded(2, ranks=3)).replace("\n", "\r\n")
    first, second = records.check(text)
    assert (first.header["seed"], second.header["seed"]) == ("1", "2")
    assert text.splitlines()[second.line - 1] == "game: challenge"


@given(st.data())
@settings(max_examples=40)
def test_every_altered_line_of_a_record_is_found(data):
    lines = recorded(3, ranks=2).splitlines()
    number = data.draw(st.integers(4, len(lines) - 1))
    lines[number] += "?"
    with pytest.raises(GameError, match=rf"^line {number + 1}\b|legal"):
        records.check("\n".join(lines))


@pytest.mark.parametrize("keep", [5, 12, -1])
def test_a_record_that_breaks_off_is_refused(keep):
    text = "\n".join(recorded(3, ranks=2).splitlines()[:keep])
    with pytest.raises(GameError, match=r"is cut short|expected 'returns"):
        records.check(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is not a recorded playthrough, expected 'game: …' in the first line"),
        ("hello\ngame: hund", "this is not a recorded playthrough"),
        ("game: hund", "a recorded game must start with lines for options, seed"),
        ("game: whist\noptions: {}\nseed: 1", "unknown game 'whist'"),
        ("game: hund\noptions: []\nseed: 1", r"options \[\] and seed 1 are wrong"),
        ("game: hund\noptions: {}\nseed: x", "options {} and seed x are wrong"),
        ('game: hund\noptions: {"dealer": 9}\nseed: 1', "option dealer: '9' is not legal"),
    ],
)
def test_what_is_no_record(text, message):
    with pytest.raises(GameError, match=message):
        records.check(text)
