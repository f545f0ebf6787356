"""Every public entry point, called from eight threads at once, answers as from one."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from sample_games import GAMES, states

from engine import Challenge, Deal, Position, load_game, random_deal
from engine.cards import deck_cards, in_order
from solver import Solver, Tables, open_tables, solve, solve_many
from solver.complete.build import Builder
from solver.complete.verify import verify
from solver.player import Perfect
from solver.single.claims import Memory

THREADS = 8


@pytest.fixture(autouse=True)
def switching():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def in_threads(function, items):
    """What `function` gives for each of the items, which all threads take at the same time."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(function, items))


def at_once(function):
    """What each of the threads gets that all call `function` at the same moment."""
    barrier = Barrier(THREADS)

    def call(_):
        barrier.wait()
        return function()

    return in_threads(call, range(THREADS))


def answer(solution):
    """What is exact in a solution."""
    return solution.outcome, solution.distance, solution.moves, solution.best


@pytest.fixture(scope="module")
def positions():
    """Positions of the easy deck, most of them inside a trick, and two deals among them."""
    rng, found = random.Random(0), []
    for text in ["KQJ.JT9", "AK9.Q9"] * 3:
        found.append(Deal.parse(text, 6).position())
    cards = in_order(deck_cards(6))
    while len(found) < 30:
        hand = frozenset(rng.sample(cards, rng.randint(6, 18)))
        position = Position(6, (hand, deck_cards(6) - hand), (0, 2), rng.randint(1, 2), None)
        for _ in range(rng.randint(0, 4)):
            after = position.apply(rng.choice(position.legal_actions()))
            position = position if after.winner else after
        found.append(position)
    return found


@pytest.fixture(scope="module")
def exact(positions):
    """What a solver answers that belongs to one thread."""
    return [answer(solution) for solution in Solver().solve_many(positions)]


def test_two_deals():
    answers = in_threads(solve, ["6 KQJ.JT9", "6 AK9.Q9"] * 10)
    assert [(each.outcome, each.distance) for each in answers] == [("win", 47), ("loss", 88)] * 10


SOLVERS = {
    "solve": lambda: solve,
    "solve, text": lambda: lambda position: solve(str(position)),
    "solve_many": lambda: lambda position: next(solve_many([position])),
    "one Solver": lambda: Solver().solve,
    "one Solver, Python": lambda: Solver(compiled=False).solve,
    "one Solver, compiled": lambda: Solver(compiled=True).solve,
    "a Solver each": lambda: lambda position: Solver().solve(position),
}


@pytest.mark.parametrize("make", SOLVERS.values(), ids=SOLVERS)
def test_solvers(make, positions, exact):
    assert [answer(solution) for solution in in_threads(make(), positions)] == exact


@pytest.mark.parametrize("many", [solve_many, Solver(compiled=True).solve_many])
def test_many_positions_in_every_thread(many, positions, exact):
    for solutions in at_once(lambda: list(many(positions))):
        assert list(map(answer, solutions)) == exact


def test_solutions_that_another_thread_asked_for(positions, exact):
    """An iterator is used where it was not made."""
    asked = [solve_many([position]) for position in positions]
    assert [answer(solution) for solution in in_threads(next, asked)] == exact


def test_tables(positions, exact):
    tables = Tables()

    def probe(position):
        return tables.outcome(position), tables.get_distance(position, "none")

    assert in_threads(probe, positions) == [(outcome, distance) for outcome, distance, *_ in exact]
    assert len({id(deck) for deck in at_once(lambda: Tables().deck(6))}) == THREADS
    assert len({id(deck) for deck in at_once(lambda: tables.deck(5))}) == 1


def test_arrays_of_tables_that_are_released_at_any_time():
    hands = np.random.default_rng(0).integers(1, (1 << 20) - 1, 1000)
    tables, expected = Tables(), Tables().deck(5).distances(hands)

    def probe(number):
        if number % 3 == 0:
            tables.release()
        return tables.deck(5).distances(hands)

    assert all(np.array_equal(found, expected) for found in in_threads(probe, range(100)))


def test_perfect(positions, exact):
    player = Perfect(Challenge(6))
    chosen = in_threads(lambda position: player.choose(position, random.Random(0)), positions)
    assert all(action in best for action, (*_, best) in zip(chosen, exact, strict=True))
    hints = in_threads(player.hint, positions)
    for hint, (_, _, moves, _) in zip(hints, exact, strict=True):
        assert [text.split()[0] for text in hint.split("; ")] == [str(m.action) for m in moves]


# Searches.


@pytest.fixture(scope="module")
def searched():
    """Deals of 5 ranks and who wins them, by the table."""
    rng = random.Random(1)
    deals = [random_deal(5, rng) for _ in range(16)]
    return deals, [solve(deal).outcome for deal in deals]


def test_searches_of_one_solver(searched):
    deals, expected = searched
    solver = Solver(method="search")
    assert [solution.outcome for solution in in_threads(solver.solve, deals)] == expected


def test_searches_with_a_memory_each(searched):
    deals, expected = searched

    def search(deal):
        return solve(deal, method="search", max_memory=1 << 26).outcome

    assert in_threads(search, deals[:6]) == expected[:6]


def test_searches_with_one_memory(searched):
    deals, expected = searched
    memory = Memory(5, 1 << 28)

    def search(deal):
        return Solver(method="search", memory=memory).solve(deal).outcome

    assert in_threads(search, deals) == expected
    assert in_threads(search, deals) == expected  # of what was proved nothing is wrong


# All else.


def test_text(positions):
    texts = [str(position) for position in positions]
    assert in_threads(Position.parse, texts) == positions
    rng = random.Random(2)
    deals = [random_deal(rng.randint(1, 10), rng) for _ in range(200)]
    assert in_threads(Deal.parse, map(str, deals)) == deals


def played(number):
    """The first states of a game, and what the player to act sees of them."""
    name, options = GAMES[number % len(GAMES)]
    game = load_game(name, **options)
    return [
        (str(state), state.observation(state.current_player).numbers(), game.parse(str(state)))
        for state, _ in zip(states(game, number), range(20), strict=False)
    ]


def test_games():
    numbers = range(4 * len(GAMES))
    assert in_threads(played, numbers) == list(map(played, numbers))


def test_builds_and_checks():
    def build():
        builder = Builder(3, distances=True, threads=2)
        builder.run()
        return builder.totals(), builder.progress().nodes

    ((totals, _),) = set(at_once(build))
    assert totals == (2_426, 1_668, 0)
    assert len(set(at_once(lambda: verify(open_tables().deck(3), threads=2).positions))) == 1
