"""Players: the same choices from the same seed, no reading of hidden cards, better than others."""

import random

import pytest
from sample_games import games, states

from engine.arena.play import Play, steps, taking_turns
from engine.arena.tournament import run
from engine.errors import GameError
from engine.game import load_game
from engine.players.greedy import Greedy
from engine.players.pimc import Pimc
from engine.players.player import make_player
from engine.position import Position


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
    assert tally.interval[1] < 0
    assert tally.losses > 0.8 * tally.games


@pytest.mark.parametrize(
    ("name", "options", "deals"),
    [("challenge", {"ranks": 4}, 20), ("svoyi_kozyri", {"players": 2}, 8)],
)
def test_pimc_is_better_than_greedy(name, options, deals):
    game = load_game(name, **options)
    tally = run(game, [Pimc(game, samples=4), Greedy(game)], deals, seed=1)[0]
    assert tally.interval[0] > 0


def test_greedy_leads_what_cannot_be_beaten():
    """QH is as cheap as QD, but AH would beat it."""
    position = Position.parse("3 A.Q.AKQ.- KQ.AK.-.AKQ SD 1 -")
    game = load_game("challenge", ranks=3)
    assert str(Greedy(game).choose(position, random.Random(0))) == "QD"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("clever", "unknown player 'clever', expected one of: random, greedy, pimc"),
        (
            "pimc:sample=3",
            "'sample=3' is not an option of the player pimc (did you mean samples?), "
            "expected one of: samples=…",
        ),
        ("greedy:fast", "'fast' is not an option of the player greedy, expected one of: none"),
        ("pimc:samples=0", "samples='0' is wrong, expected a number from 1 to 1,000,000"),
        ("pimc:samples=x", "samples='x' is wrong, expected a number from 1 to 1,000,000"),
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
