"""What holds in every game and every variant, by random play."""

import copy
import pickle
import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import SUIT_NAMES, Card, deck_cards, in_order
from engine.errors import GameError
from engine.game import load_game
from engine.games.kozel_tricks import Group

VARIANTS = [
    ("svoyi_kozyri", {}),
    ("svoyi_kozyri", {"trumps": "drawn"}),
    ("svoyi_kozyri", {"players": 3}),
    ("svoyi_kozyri", {"players": 2}),
    ("svoyi_kozyri", {"players": 2, "two_trumps": True}),
    ("svoyi_kozyri", {"pickup": "fixed"}),
    ("svoyi_kozyri", {"after_pickup": "lead"}),
    ("svoyi_kozyri", {"pickup": "fixed", "after_pickup": "lead", "players": 3}),
    ("svoyi_kozyri", {"memory": "plays"}),
    ("svoyi_kozyri", {"memory": "plays", "players": 2}),
    ("svoyi_kozyri", {"score": "first_out"}),
    ("svoyi_kozyri", {"players": 3, "trumps": "session", "draw": "any"}),
    ("svoyi_kozyri", {"players": 2, "two_trumps": True, "trumps": "DS/CH"}),
    ("hund", {}),
    ("kozel", {}),
]
variants = pytest.mark.parametrize(
    ("name", "options"),
    VARIANTS,
    ids=[" ".join([name, *(f"{k}={v}" for k, v in options.items())]) for name, options in VARIANTS],
)
seeds = st.integers(0, 2**32 - 1)


def play(game, seed, eager):
    """The states of a random game, `eager` to get rid of cards or not, and the actions."""
    rng = random.Random(seed)
    state = game.initial(seed)
    for _ in range(game.limit):
        if state.is_terminal:
            break
        actions = state.legal_actions()
        if eager and len(actions) > 1 and actions[-1] in ("pickup", "pass"):
            actions = actions[:-1]
        action = rng.choice(actions)
        yield state, action
        state = state.apply(action)
    yield state, None


def cards_of(state):
    """Every card of the deck, wherever it is."""
    parts = [*state.hands]
    if hasattr(state, "pile"):
        return Counter(card for part in (*parts, state.pile) for card in part)
    parts += [group.cards for trick in (*state.tricks, state.trick) for group in trick.groups]
    return Counter(card for part in (*parts, state.stock) for card in part)


def any_actions(game, state, rng):
    """Actions, legal or not: all single ones, or those of a few hands of Kozel."""
    if game.name != "kozel":
        return [*deck_cards(13), *SUIT_NAMES, "pickup", "pass", None]
    groups = []
    for hand in (*state.hands, rng.sample(sorted(deck_cards(9)), 4)):
        for bits in range(2 ** len(hand)):
            cards = in_order(card for i, card in enumerate(hand) if bits >> i & 1)
            groups += [Group(cards, True), Group(cards, False)]
    return [*groups, "moskva", "molodka", "pass", "pickup", Card(0, 6), None]


def is_next(game, state, after):
    """Whether it may be the turn of the player who acts after a state."""
    if game.name == "kozel":
        if after.phase == "answer":
            return after.turn == state.turn % 4 + 1
        return True
    if after.phase == "second":
        beats = state.phase == "beat" and len(after.pile) == len(state.pile) + 1
        return beats and after.turn == state.turn
    if state.phase == "choose" and after.phase != "choose":
        return after.turn == state.dealer % game.players + 1
    player = state.turn % game.players + 1
    while not after.hands[player - 1]:
        player = player % game.players + 1
    return after.turn == player


def check_whole_game(name, options, seed, eager):
    """Cards are conserved, turns follow each other, the game ends or reaches its limit."""
    game = load_game(name, **options)
    deck = Counter(deck_cards(13 if name == "hund" else 9))
    states = list(play(game, seed, eager))
    for (state, _), (after, _) in pairwise(states):
        assert cards_of(after) == deck
        assert is_next(game, state, after)
    end = states[-1][0]
    assert end.is_terminal or len(states) == game.limit + 1
    if end.is_terminal:
        assert end.legal_actions() == ()
        assert len(end.returns()) == game.players
        assert abs(sum(end.returns())) < 1e-9
    if name == "kozel":
        assert end.is_terminal
        assert sum(end.points()) == 120


@variants
@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=seeds, eager=st.booleans())
def test_whole_games(name, options, seed, eager):
    check_whole_game(name, options, seed, eager)


@pytest.mark.slow
@variants
@settings(max_examples=2000, deadline=None)
@given(seed=seeds, eager=st.booleans())
def test_thousands_of_whole_games(name, options, seed, eager):
    check_whole_game(name, options, seed, eager)


@variants
@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=seeds, eager=st.booleans(), step=st.integers(0, 10**6))
def test_any_state(name, options, seed, eager, step):
    """What holds in every single state, tried in some of a game."""
    game = load_game(name, **options)
    states = list(play(game, seed, eager))
    rng = random.Random(step)
    for state, _ in [states[-1], *rng.sample(states, 3)]:
        assert game.parse(str(state)) == state
        assert hash(game.parse(str(state))) == hash(state)
        assert pickle.loads(pickle.dumps(state)) == copy.deepcopy(state) == state
        assert eval(repr(state), {type(game).__name__: type(game)}) == state
        check_actions(game, state, rng)
        check_information(game, state, rng)


def check_actions(game, state, rng):
    """Every legal action applies, each has its own name, every other is refused."""
    actions = state.legal_actions()
    names = [state.action_to_string(action) for action in actions]
    assert len(set(names)) == len(set(actions)) == len(actions)
    assert [state.parse_action(name.upper()) for name in names] == list(actions)
    before = str(state)
    for action, name in zip(actions, names, strict=True):
        assert state.apply(action) == state.apply(name.lower())
    assert str(state) == before
    for action in any_actions(game, state, rng):
        if action not in actions:
            with pytest.raises(GameError):
                state.apply(action)


def check_information(game, state, rng):
    """Hidden cards leave no trace in what a player sees, nor in what he may do or sample.

    An observation is the same for other hidden cards, so none of its fields can hold them.
    """
    assert str(state.observation(0)) == str(state)
    for player in range(1, game.players + 1):
        seen = state.information_state_string(player)
        other = state.sample(player, rng)
        assert cards_of(other) == cards_of(state)
        assert other.information_state_string(player) == seen
        assert other.observation(player) == state.observation(player)
        assert game.parse(str(other)) == other
        if player == state.current_player:
            assert other.legal_actions() == state.legal_actions()
        seed = rng.random()
        sampled = state.sample(player, random.Random(seed))
        assert other.sample(player, random.Random(seed)) == sampled


@variants
def test_samples_differ(name, options):
    """But for two players who remember all plays nothing is hidden."""
    states = [state for state, _ in play(load_game(name, **options), 1, True)][10:60:5]
    most = max(
        len({state.sample(state.turn, random.Random(seed)) for seed in range(20)})
        for state in states
    )
    assert most == (1 if options == {"memory": "plays", "players": 2} else 20)


@variants
def test_a_player_sees_his_own_cards(name, options):
    """Two states that differ in a player's own cards look different to him."""
    game = load_game(name, **options)
    for seed in range(10):
        for state, _ in list(play(game, seed, True))[5:60:9]:
            for player in range(1, game.players + 1):
                for other in range(1, game.players + 1):
                    sampled = state.sample(other, random.Random(seed))
                    if sampled.hands[player - 1] != state.hands[player - 1]:
                        mine = [s.information_state_string(player) for s in (state, sampled)]
                        assert mine[0] != mine[1]
