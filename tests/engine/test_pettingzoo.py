"""PettingZoo environments; skipped without the extra."""

import random
import warnings

import numpy as np
import pytest
from sample_games import GAMES, games, states

from engine.arena.play import Play
from engine.errors import GameError
from engine.game import load_game

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

from engine.learn.pettingzoo_env import GameEnv, make_env

ABOUT_DICTIONARIES = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
}
"""What PettingZoo says of every environment with action masks that is not one of its own."""


@games
def test_api(name, options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make_env(name, **options), num_cycles=150)
        seed_test(lambda: make_env(name, **options), num_cycles=20)
    assert {str(warning.message) for warning in caught} <= ABOUT_DICTIONARIES


@games
def test_masks_rewards_and_ends_are_those_of_the_game(name, options):
    env = GameEnv(name, **options)
    rng = random.Random(2)
    env.reset(seed=3)
    game = load_game(name, **options)
    play = Play(game, game.initial(random.Random(3).getrandbits(32)))
    while not play.end:
        state = play.state
        agent = f"player_{state.current_player}"
        assert env.agent_selection == agent
        legal = {state.action_number(action): action for action in state.legal_actions()}
        assert len(legal) == len(state.legal_actions())
        for other in env.agents:
            mask = env.observe(other)["action_mask"]
            assert set(np.flatnonzero(mask)) == (set(legal) if other == agent else set())
        number = rng.choice(sorted(legal))
        env.step(number)
        play.act(legal[number])
    assert tuple(env.rewards.values()) == play.returns()
    finished = play.end == "finished"
    assert set(env.terminations.values()) == {finished}
    assert set(env.truncations.values()) == {not finished}


@games
def test_observations_are_what_a_player_has_seen(name, options):
    """The same for other hidden cards; different when he has seen something different."""
    game = load_game(name, **options)
    seen = {}
    for number, state in enumerate(states(game, 1)):
        for player in range(1, game.players + 1):
            observation = tuple(state.observation(player).numbers())
            assert min(observation) >= 0
            assert max(observation) <= 255
            other = state.sample(player, random.Random(number))
            assert tuple(other.observation(player).numbers()) == observation
            information = state.information_state_string(player)
            assert seen.setdefault((player, observation), information) == information
        if number > 100:
            break


def test_whose_turn_it_is_does_not_tell_who_can_declare():
    """After a drawing everybody has a turn."""
    env = GameEnv("kozel")
    for seed in range(5):
        env.reset(seed=seed)
        while not env._play.end:
            state = env._play.state
            if state.phase == "declare":
                expected = [f"player_{(state.turn - 1 + i) % 4 + 1}" for i in range(4)]
                for agent in expected:
                    assert env.agent_selection == agent
                    env.step(0)
                assert env._play.state.phase == "lead"
            else:
                env.step(env._play.state.action_number(state.legal_actions()[0]))


def test_illegal_actions_are_refused():
    env = make_env("challenge", ranks=2)
    env.reset(seed=1)
    wrong = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])
    for action in (wrong, 999, None):
        with pytest.raises(GameError, match=f"action {action} is not legal, expected one of"):
            env.step(action)


def test_an_unknown_render_mode_is_refused():
    message = "unknown render_mode 'human', expected None or one of: ansi"
    with pytest.raises(GameError, match=message):
        make_env("kozel", render_mode="human")


def test_who_is_out_first_is_rewarded_though_the_game_is_cut_off():
    env = GameEnv("svoyi_kozyri", score="first_out", limit=60, trumps="drawn")
    for seed in range(100):
        env.reset(seed=seed)
        while not env._play.end:
            state = env._play.state
            env.step(state.action_number(state.rule_of_thumb()))
        if set(env.truncations.values()) == {True} and env._play.state.out:
            assert env.rewards[f"player_{env._play.state.out[0]}"] == 1
            return
    pytest.fail("no such game")


def test_the_state_is_rendered_as_text():
    env = make_env("kozel", render_mode="ansi")
    env.reset(seed=1)
    assert env.render().startswith("hands=")
    assert make_env("kozel").metadata["name"] == "kozel_v0"
    assert {name for name, _ in GAMES} == {"challenge", "svoyi_kozyri", "hund", "kozel"}
