"""`solve`: consistent with the rules, with itself and with the theorems; draws; what it loads."""

import dataclasses
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies import base_positions, positions

from engine.cards import PICKUP, Card, deck_cards
from engine.notation import parse_hand
from engine.position import Position
from solver import GameError, MissingTable, Solver, Tables, open_tables, solve, solve_many
from solver.complete import value
from solver.complete.build import build_tables
from solver.complete.table import table_path
from solver.core.bitboard import hand_bits, hand_cards, table_index

ROOT = Path(__file__).parents[2]
SHIPPED = st.integers(1, 6)
# T.U.P.Q of the leader, the draws with 5 ranks but for exchanging the plain suits
DRAWS = ["AQT.K.AK.QJT", "AQJ.K.AK.QJT"]

easy_hands = st.integers(1, (1 << 24) - 2)


def unfinished(position):
    return not position.winner


def base(text, ranks=5):
    """The base position in which player 1, with spades as trumps, leads; hands as T.U.P.Q."""
    hand = parse_hand(text, ranks)
    return Position(ranks, (hand, deck_cards(ranks) - hand), (0, 1), 1, None)


def probe(hand, ranks):
    """The entry of the leader's hand: greater is better for him."""
    return open_tables().deck(ranks)[table_index(hand, ranks)]


def result(solution):
    return solution.outcome, solution.distance


@settings(max_examples=20)
@given(base_positions(st.integers(7, 8)))
def test_entries_of_large_decks_follow_from_their_moves(position):
    """The entry of a position itself, which its solution does not look up."""
    assert solve(position).outcome == open_tables().outcome(position)


FOR_THE_OTHER = {"win": "loss", "loss": "win", "draw": "draw"}


# The rules.


@given(positions(SHIPPED).filter(unfinished))
def test_moves_are_worth_what_comes_of_them(position):
    solution = solve(position)
    assert {move.action for move in solution.moves} == set(position.legal_actions())
    for move in solution.moves:
        after = position.apply(move.action)
        if after.winner:
            only_card_led = position.is_base
            assert (move.outcome, move.distance) == ("win", 0 if only_card_led else 1)
            continue
        outcome, distance = result(solve(after))
        if after.turn != position.turn:
            outcome = FOR_THE_OTHER[outcome]
        if move.action == PICKUP and distance is not None:
            distance += 1
        assert (move.outcome, move.distance) == (outcome, distance)


def quality(move):
    """Greater is better for the player to move: a quick win, a draw, a slow loss."""
    return {"win": (1, -(move.distance or 0)), "draw": (0, 0), "loss": (-1, move.distance)}[
        move.outcome
    ]


@given(positions(SHIPPED).filter(unfinished))
def test_a_position_is_worth_its_best_move(position):
    solution = solve(position)
    best = max(solution.moves, key=quality)
    assert result(solution) == (best.outcome, best.distance)
    assert list(solution.moves) == sorted(
        solution.moves,
        key=lambda move: (quality(move), -position.legal_actions().index(move.action)),
        reverse=True,
    )
    assert set(solution.best) == {m.action for m in solution.moves if quality(m) == quality(best)}
    assert solution.to_move == position.turn
    winners = {"win": position.turn, "draw": None, "loss": 3 - position.turn}
    assert solution.winner == winners[solution.outcome]


def tricks(position, line):
    """How many there are in a game, counted as distances are."""
    count = 0
    for action in line:
        assert action in position.legal_actions()
        count += action == PICKUP
        only_card_led = position.is_base and len(position.hands[position.turn - 1]) == 1
        position = position.apply(action)
    return count + (not only_card_led if position.winner else 0), position


@given(positions(SHIPPED).filter(unfinished))
def test_best_line(position):
    solution = solve(position, line=True)
    count, end = tricks(position, solution.line)
    assert end.winner == solution.winner
    assert solution.outcome == "draw" or count == solution.distance
    for action in solution.line[:20]:
        assert action in solve(position).best
        position = position.apply(action)


@pytest.mark.parametrize("seed", range(3))
def test_a_winner_who_follows_the_best_moves_wins_in_time(seed):
    """Whatever the loser does; the distance falls with every trick."""
    rng = random.Random(seed)
    for _ in range(4):
        hand = rng.randrange(1, (1 << 24) - 1)
        cards = hand_cards(hand, (0, 1, 2, 3), 6)
        position = Position(6, (cards, deck_cards(6) - cards), (0, 1), 1, None)
        solution = solve(position)
        winner, left = solution.winner, solution.distance
        while winner and not position.winner:
            solution = solve(position)
            assert solution.winner == winner
            assert solution.distance <= left
            left = solution.distance
            action = rng.choice(
                solution.best if position.turn == winner else position.legal_actions()
            )
            left -= action == PICKUP
            position = position.apply(action)
        assert position.winner == winner


@pytest.fixture(scope="module", params=["progress", "progress.1"])
def progress(tmp_path_factory, request):
    """Tables of 4 ranks that hold progress, in slices or packed, and no distances."""
    folder = tmp_path_factory.mktemp("progress")
    paths = {"outcome": "ranks4.outcome", "progress": f"ranks4.{request.param}"}
    build_tables(4, {kind: folder / name for kind, name in paths.items()})
    return Tables(folder)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=positions(st.just(4)).filter(unfinished), seed=st.integers(0, 99))
@pytest.mark.parametrize("compiled", [False, True])
def test_who_follows_progress_wins(progress, compiled, position, seed):
    """Against the longest resistance, and against random moves now and then."""
    rng = random.Random(seed)
    expected = solve(position)
    solver = Solver(tables=progress, compiled=compiled)
    solution = solver.solve(position, line=True)
    assert result(solution) == (expected.outcome, None)
    assert solution.measure == "progress"
    assert tricks(position, solution.line)[1].winner == expected.winner
    left = progress.progress(position)
    while not position.winner:
        found = solver.solve(position)
        assert found.outcome == progress.outcome(position)
        if position.turn == expected.winner:
            action = found.best[0]
            assert progress.progress(position) <= left
            left = progress.progress(position)
        else:
            moves = position.legal_actions() if rng.random() < 0.1 else solve(position).best
            action = rng.choice(moves)
        left -= action == PICKUP
        position = position.apply(action)
    assert position.winner == expected.winner


# Two paths, and what must not matter.


def same(one, other):
    return dataclasses.replace(one, seconds=0) == dataclasses.replace(other, seconds=0)


@settings(max_examples=50)
@given(st.lists(positions(SHIPPED).filter(unfinished), max_size=10), st.booleans())
def test_compiled_or_not(asked, line):
    answers = list(solve_many(iter(asked), line=line))
    assert len(answers) == len(asked)
    for position, answer in zip(asked, answers, strict=True):
        assert same(answer, solve(position, line=line))


def test_memory_of_earlier_searches_changes_nothing(monkeypatch):
    """Also not when it is far too small."""
    rng = random.Random(8)
    asked = [random_position(rng, 6) for _ in range(40)]
    expected = [Solver(compiled=False).solve(position) for position in asked]
    old = Solver(compiled=False)
    assert all(map(same, map(old.solve, asked), expected))
    monkeypatch.setattr(value, "MEMO_SIZE", 2)
    crowded = Solver(compiled=False)
    assert all(map(same, map(crowded.solve, asked), expected))


def random_position(rng, ranks):
    """One in which the game is not over, mostly inside a trick."""
    deck = deck_cards(ranks)
    hand = frozenset(rng.sample(sorted(deck), rng.randint(1, 4 * ranks - 1)))
    position = Position(ranks, (hand, deck - hand), (0, 1), rng.randint(1, 2), None)
    for _ in range(rng.randint(0, 6)):
        plays = [action for action in position.legal_actions() if action != PICKUP]
        after = position.apply(rng.choice(plays)) if plays else position
        if not after.winner:
            position = after
    return position


def renamed_action(action, suits):
    return Card(suits[action.suit], action.rank) if isinstance(action, Card) else action


def renamed(position, suits, players_exchanged):
    """The same position with other suits, and perhaps with the names of the players exchanged."""
    order = -1 if players_exchanged else 1
    hands = [frozenset(renamed_action(card, suits) for card in hand) for hand in position.hands]
    return Position(
        position.ranks,
        tuple(hands[::order]),
        tuple(suits[trump] for trump in position.trumps[::order]),
        3 - position.turn if players_exchanged else position.turn,
        renamed_action(position.top, suits),
    )


@given(positions(SHIPPED).filter(unfinished), st.permutations(range(4)), st.booleans())
def test_names_of_suits_and_players_do_not_matter(position, suits, players_exchanged):
    one, other = solve(position), solve(renamed(position, suits, players_exchanged))
    assert result(one) == result(other)
    assert {move._replace(action=renamed_action(move.action, suits)) for move in one.moves} == set(
        other.moves
    )


# The theorems, on the easy deck.


@st.composite
def raised(draw):
    """A hand, and the same with a card exchanged for a higher one of its suit."""
    hand = draw(easy_hands)
    pairs = [
        (low, high)
        for low in range(24)
        for high in range(low + 1, low // 6 * 6 + 6)
        if hand >> low & 1 and not hand >> high & 1
    ]
    assume(pairs)
    low, high = draw(st.sampled_from(pairs))
    return hand, hand ^ 1 << low ^ 1 << high


def swap_sides(hand):
    """The hand of the other player, seen from him, if the leader holds `hand`."""
    rest = (1 << 24) - 1 - hand
    return rest & ~0xFFF | (rest & 0x3F) << 6 | rest >> 6 & 0x3F


@settings(max_examples=500)
@given(raised())
def test_raising_never_hurts(hands):
    """The leader is not worse off, outcome and distance; nor is the responder when he is raised."""
    low, high = hands
    assert probe(high, 6) >= probe(low, 6)
    assert probe(swap_sides(high), 6) <= probe(swap_sides(low), 6)


@settings(max_examples=500)
@given(easy_hands, st.sampled_from([5, 11]))
def test_an_ace_of_trumps_for_nothing_never_hurts(hand, ace):
    """The outcome, that is: the distance can grow."""
    more = hand | 1 << ace
    assume(more != (1 << 24) - 1)
    assert sign(probe(more, 6)) >= sign(probe(hand, 6))
    less = hand & ~(1 << ace)
    assume(less)
    assert sign(probe(swap_sides(more), 6)) <= sign(probe(swap_sides(less), 6))


def sign(score):
    return (score > 0) - (score < 0)


@given(base_positions(st.just(6)), st.data())
def test_of_equal_cards_the_lowest_is_led(position, data):
    """Lowest of a run: leading it is at least as good as leading any other of the run."""
    moves = {move.action: quality(move) for move in solve(position).moves}
    others = position.hands[2 - position.turn]
    for card in moves:
        lower = [c for c in moves if c.suit == card.suit and c.rank < card.rank]
        for c in lower:
            between = [Card(c.suit, rank) for rank in range(c.rank, card.rank)]
            if others.isdisjoint(between):
                assert moves[c] >= moves[card]


@given(positions(st.just(6)).filter(lambda p: not p.winner and p.top))
def test_the_lowest_beat_of_a_suit_is_the_best(position):
    beats = {m.action: quality(m) for m in solve(position).moves if m.action != PICKUP}
    for card, worth in beats.items():
        for other in beats:
            if other.suit == card.suit and other.rank > card.rank:
                assert worth >= beats[other]


# Draws.


@pytest.mark.parametrize("text", DRAWS)
@pytest.mark.parametrize("suits", [(0, 1, 2, 3), (0, 1, 3, 2), (2, 3, 1, 0)])
@pytest.mark.parametrize("players_exchanged", [False, True])
def test_draws_with_5_ranks(text, suits, players_exchanged):
    position = renamed(base(text), suits, players_exchanged)
    solution = solve(position, line=True)
    assert (*result(solution), solution.winner) == ("draw", None, None)
    outcomes = {move.outcome for move in solution.moves}
    assert outcomes == {"draw", "loss"}
    for move in solution.moves:
        assert (move.action in solution.best) == (move.outcome == "draw")
        assert (move.distance is None) == (move.outcome == "draw")
    count, end = tricks(position, solution.line)
    assert count > 0
    seen = []
    for action in solution.line:
        assert solve(position).outcome == "draw"
        if position.is_base:
            seen.append(position)
        position = position.apply(action)
    assert end == position
    assert end in seen
    assert len(set(seen)) == len(seen)


def test_no_other_draws_with_5_ranks():
    hands = np.arange(1, (1 << 20) - 1)
    drawn = hands[open_tables().deck(5).outcomes(hands) == 0].tolist()
    assert sorted(drawn) == sorted(
        hand_bits(renamed(base(text), suits, False).hands[0], (0, 1, 2, 3), 5)
        for text in DRAWS
        for suits in [(0, 1, 2, 3), (0, 1, 3, 2)]
    )


# Inside a trick, and the edges.


@pytest.mark.parametrize(
    ("text", "outcome", "distance", "best"),
    [
        ("1 A.-.-.- -.A.A.A SD 1 -", "win", 0, ["AS"]),  # the lead of an only card
        ("3 A.-.-.- KQ.A.AKQ.AKQ SD 1 -", "win", 1, ["AS"]),  # the same after a beat
        ("3 -.K.-.- AKQ.A.AKQ.AKQ SD 1 QH", "win", 1, ["KH"]),  # beating with an only card
        ("1 A.A.-.- -.-.A.A SD 1 -", "loss", 1, ["AS", "AH"]),  # beaten with AD, then AC
        ("1 -.-.-.A A.A.-.- SD 2 AD", "loss", 1, ["pickup"]),  # then the lead of an only card
        ("1 A.-.-.A -.A.-.- SD 2 AD", "win", 2, ["pickup"]),  # then AS or AC is beaten with AD
    ],
)
def test_ends(text, outcome, distance, best):
    solution = solve(Position.parse(text))
    assert (*result(solution), list(map(str, solution.best))) == (outcome, distance, best)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Tables of outcomes alone."""
    folder = tmp_path_factory.mktemp("outcomes")
    for ranks in range(1, 6):
        path = table_path(ranks, "outcome")
        (folder / path.name).symlink_to(path)
    return Tables(folder)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=positions(st.integers(1, 5)).filter(unfinished))
def test_without_distances(outcomes, position):
    expected = solve(position)
    for solver in (
        Solver(tables=outcomes, compiled=False),
        Solver(tables=outcomes, compiled=True),
        Solver(outcomes_only=True, compiled=False),
        Solver(outcomes_only=True, compiled=True),
    ):
        found = solver.solve(position, line=expected.outcome != "draw")
        assert result(found) == (expected.outcome, None)
        assert (found.line, found.measure) == (None, None)
        assert {(move.action, move.outcome, move.distance) for move in found.moves} == {
            (move.action, move.outcome, None) for move in expected.moves
        }


@pytest.mark.parametrize("text", DRAWS)
@pytest.mark.parametrize("compiled", [False, True])
def test_a_draw_is_held_without_distances(outcomes, text, compiled):
    line = Solver(tables=outcomes, compiled=compiled).solve(base(text), line=True).line
    reached = [base(text)]
    for action in line:
        reached.append(reached[-1].apply(action))
    assert reached[-1] in reached[:-1]
    assert {solve(position).outcome for position in reached} == {"draw"}


def test_a_finished_game_is_refused():
    over = Position.parse("1 A.-.-.- -.A.A.A SD 1 -").apply(Card(0, 14))
    with pytest.raises(GameError, match="the game is over: player 1 has won"):
        solve(over)
    with pytest.raises(GameError, match="the game is over: player 1 has won"):
        list(solve_many([over]))


def test_a_deck_without_tables():
    for ask in (partial(solve, method="table"), lambda position: list(solve_many([position]))):
        with pytest.raises(MissingTable, match="no table for decks of 10 ranks"):
            ask(base("A.-.-.-", 10))


# What is loaded.

LOADED = """
import sys
import solver
from engine.position import Position
position = Position.parse("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 -")
print(*{"numba", "numpy", "llvmlite"} & set(sys.modules))
print(solver.solve(position, line=True).outcome, solver.open_tables().distance(position))
print(*{"numba", "numpy", "llvmlite"} & set(sys.modules))
"""


def test_one_position_is_solved_without_compiler_or_arrays():
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "\nwin 47\n\n"
