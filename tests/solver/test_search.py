"""The search: its facts against plain dominance, its answers against the tables, its limits."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from command import challenge
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positions

import solver.single.search
from engine.cards import deck_cards
from engine.deals import Deal, all_deals
from engine.errors import GameError
from engine.notation import parse_hand
from engine.position import Position
from solver import Solver, Tables, open_tables, solve
from solver.core.bitboard import swap_trumps, table_index
from solver.core.trick import Context
from solver.single import claims
from solver.single.claims import FAILS, NO_LIMIT, UNKNOWN, WINS, Memory, is_won, status
from solver.single.draws import Closing
from solver.single.evaluation import FEATURES, WEIGHTS, guess_tables, suit_features
from solver.single.facts import HAND, SEARCH, add, entries, known, make_groups, make_pool, thin_out
from solver.single.search import Search

SMALL = st.integers(1, 4)
ADVANCED = Deal.parse("AKQJ8765.KQJ765", 10).position()


# The facts.


class Store:
    """Facts of one deck."""

    def __init__(self, ranks, words=1 << 20):
        self.context = Context(ranks, SEARCH)
        make_groups(self.context, ranks, 2)
        make_pool(self.context, words)
        self.record = self.context.record

    def add(self, hand, kind, level):
        return add(hand, kind, level, self.record)

    def known(self, hand, kind, limit):
        return known(hand, kind, limit, self.record)

    def facts(self, kind):
        """As (hand, level), twins as well."""
        return [(int(fact) & HAND, int(fact) >> 40) for fact in entries(self.record, kind, 255)]


def suits(hand, ranks):
    """The ranks of each suit, lowest first."""
    return [[r for r in range(ranks) if hand >> (s * ranks + r) & 1] for s in range(4)]


def at_least_as_good(mine, others):
    """Whether, suit by suit, there are as many cards, each at least as high."""
    return all(
        len(a) == len(b) and all(x >= y for x, y in zip(a, b, strict=True))
        for a, b in zip(mine, others, strict=True)
    )


def dominates(hand, fact, ranks):
    """The same, whichever of the plain suits is compared with which."""
    mine, (t, u, p, q) = suits(hand, ranks), suits(fact, ranks)
    return any(at_least_as_good(mine, other) for other in ([t, u, p, q], [t, u, q, p]))


@given(st.data(), st.integers(1, 4))
def test_facts_are_found_by_dominance(data, ranks):
    hands = st.integers(1, (1 << 4 * ranks) - 2)
    facts = data.draw(
        st.lists(st.tuples(hands, st.integers(0, 1), st.integers(0, 255)), max_size=20)
    )
    store = Store(ranks)
    for fact in facts:
        assert store.add(*fact)
    for hand in [*data.draw(st.lists(hands, max_size=20)), *(fact[0] for fact in facts)]:
        for kind in range(2):
            for limit in (0, 100, 255):
                expected = any(
                    kind == k and level <= limit and dominates(hand, fact, ranks)
                    for fact, k, level in facts
                )
                assert store.known(hand, kind, limit) == expected


@given(st.data(), st.integers(1, 4))
def test_dropping_facts_that_follow_changes_no_answer(data, ranks):
    hands = st.integers(1, (1 << 4 * ranks) - 2)
    facts = st.lists(st.tuples(hands, st.integers(0, 1), st.integers(0, 255)), max_size=20)
    store, thinned = Store(ranks), Store(ranks)
    for fact in data.draw(facts):
        assert store.add(*fact)
        assert thinned.add(*fact)
    thin_out(thinned.record, 2, 2)
    for fact in data.draw(facts):  # more can come
        assert store.add(*fact)
        assert thinned.add(*fact)
    asked = data.draw(st.lists(hands, max_size=20))
    for hand in [*asked, *(hand for kind in range(2) for hand, _ in store.facts(kind))]:
        for kind in range(2):
            for limit in (0, 100, 255):
                assert thinned.known(hand, kind, limit) == store.known(hand, kind, limit)


def test_facts_that_follow_from_others_are_dropped():
    """All others stay, with their levels."""
    ranks, rng = 3, random.Random(0)
    store = Store(ranks)
    for _ in range(800):
        assert store.add(rng.randrange(1, (1 << 4 * ranks) - 1), 0, rng.randrange(256))
    before = {(hand, level): suits(hand, ranks) for hand, level in store.facts(0)}
    expected = {
        (hand, level)
        for (hand, level), mine in before.items()
        if not any(
            other != (hand, level) and other[1] <= level and at_least_as_good(mine, others)
            for other, others in before.items()
        )
    }
    thin_out(store.record, 2, 2)
    assert sorted(store.facts(0)) == sorted(expected)
    assert store.record.kept == len(expected) < len(before) / 2


def test_many_facts_of_one_shape():
    """More than fit into the first blocks, with levels."""
    ranks, rng = 6, random.Random(0)
    store, facts = Store(ranks), []

    def hand():
        return sum(
            sum(1 << r for r in rng.sample(range(ranks), 3)) << ranks * suit for suit in range(4)
        )

    for _ in range(1500):
        facts.append((hand(), rng.randrange(1, 256)))
        assert store.add(facts[-1][0], 0, facts[-1][1])
    assert store.record.facts > 1500 * 1.8  # with equally many plain cards, twins as well
    answers = set()
    for _ in range(300):
        x, limit = hand(), rng.choice([3, 30, 255])
        expected = any(level <= limit and dominates(x, fact, ranks) for fact, level in facts)
        assert store.known(x, 0, limit) == expected
        answers.add(expected)
    assert answers == {True, False}


def test_a_full_pool_takes_no_more():
    store = Store(3, words=200)
    taken = [store.add(hand, 0, 0) for hand in range(1, 1 << 12)]
    assert taken[0]
    assert not taken[-1]


# The guesses.


def test_guesses_of_a_position_and_of_the_other_player_are_opposite():
    ranks = 3
    leads, responds = guess_tables(ranks) - (1 << 20)
    for hand in range(1, 1 << 3 * ranks, 5):
        t, u, p, q = (sum(1 << r for r in suit) for suit in suits(hand, ranks))
        here = leads[0, t] + leads[1, u] + leads[2, p] + leads[2, q]
        all_of = (1 << ranks) - 1
        t, u, p, q = all_of ^ u, all_of ^ t, all_of ^ p, all_of ^ q
        there = responds[0, t] + responds[1, u] + responds[2, p] + responds[2, q]
        assert abs(here + there) <= 4  # rounding


def test_guesses_are_mostly_right():
    ranks = 6
    leads = guess_tables(ranks)[0] - (1 << 20)
    hands = np.random.default_rng(0).integers(1, (1 << 24) - 1, 5000)
    field = (1 << ranks) - 1
    guess = leads[0, hands & field] + leads[1, hands >> ranks & field]
    guess += leads[2, hands >> 2 * ranks & field] + leads[2, hands >> 3 * ranks]
    wins = open_tables().deck(ranks).outcomes(hands) > 0
    assert ((guess > 0) == wins).mean() > 0.85
    assert suit_features(ranks).shape == (64, FEATURES)
    assert [len(row) for row in WEIGHTS] == [FEATURES] * 3 + [1]


# Answers.


def outcomes(solution):
    return {move.action: move.outcome for move in solution.moves}


def searched(position, memory=None, **limits):
    limits = {"max_seconds": None} | limits
    return Solver(method="search", memory=memory, **limits).solve(position)


@settings(deadline=None)
@given(position=positions(SMALL).filter(lambda position: not position.winner))
def test_positions_and_moves_agree_with_the_tables(position):
    exact, found = solve(position, method="table"), searched(position)
    assert found.outcome == exact.outcome  # no draws with 1 to 4 ranks
    assert found.source == "search"
    truth = outcomes(exact)
    for action, outcome in outcomes(found).items():
        assert outcome in (truth[action], "undecided")
    assert set(found.best) == {
        action for action, outcome in outcomes(found).items() if outcome == found.outcome
    }


def agree(ranks, deals):
    memory = Memory(ranks, 1 << 30)
    for deal in deals:
        search = Search(deal.position(), memory)
        while search.advance(NO_LIMIT):
            pass
        assert search.outcome == solve(deal.position(), method="table").outcome, str(deal)
    return memory


def test_all_deals_of_4_ranks():
    agree(4, all_deals(4))


@pytest.mark.slow
def test_all_deals_of_5_ranks():
    agree(5, all_deals(5))


@pytest.mark.slow
def test_100_deals_of_6_ranks():
    agree(6, random.Random(0).sample(list(all_deals(6)), 100))


def test_what_is_proved_on_the_way_is_true():
    """Every win that some searches claim, against the table."""
    ranks, full = 4, (1 << 16) - 1
    memory = agree(ranks, random.Random(1).sample(list(all_deals(ranks)), 20))
    wins = 0
    for hand in range(1, full):
        score = open_tables().deck(ranks)[table_index(hand, ranks)]
        for responds, truth in ((0, score > 0), (1, score < 0)):
            mine = swap_trumps(full ^ hand, ranks) if responds else hand
            if is_won(mine, responds, memory.record):
                wins += 1
                assert truth, (hand, responds)
    assert wins > 1000


@pytest.mark.parametrize("ranks", [4, 5, 6, 7])
def test_a_dealer_with_all_his_trumps_loses(ranks):
    """Solved together, by search; with the distances of the tables, 2 (ranks - 1) tricks."""
    deals = [deal for deal in all_deals(ranks) if len(deal.trump) == ranks]
    assert len(deals) == 2**ranks
    memory = Memory(ranks, 1 << 30)
    for deal in deals:
        search = Search(deal.position(), memory)
        while search.advance(NO_LIMIT):
            pass
        assert search.outcome == "loss"
        if ranks < 7:
            assert solve(deal.position()).distance == 2 * (ranks - 1)


@pytest.mark.parametrize("trump", ["AKQJT9876", "AKQJT9875", "-"])
def test_deals_of_the_advanced_deck_with_a_short_proof(trump):
    """Won with 4 to 8 ranks, too (docs/advanced.md)."""
    solution = solve(Deal.parse(f"{trump}.-", 10).position(), max_nodes=150_000, method="search")
    assert solution.outcome == "win"


@pytest.mark.parametrize(
    "ranks", [4, 5, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (7, 8))]
)
def test_a_whole_plain_suit_wins_all_deals_but_one(ranks):
    """The dealer holds of one suit nothing, or only its lowest card (docs/advanced.md)."""
    not_won = {
        deal.trump: outcome
        for deal in all_deals(ranks)
        if deal.second <= {15 - ranks}
        if (outcome := open_tables().outcome(deal)) != "win"
    }
    assert not_won.keys() == {frozenset(range(15 - ranks, 15))}
    assert set(not_won.values()) == {"loss"}


# Draws.


def drawn(text):
    """A drawn position of 5 ranks; the leader's hand as T.U.P.Q."""
    hand = parse_hand(text, 5)
    return Position(5, (hand, deck_cards(5) - hand), (0, 1), 1, None)


DRAWS = ["AQT.K.AK.QJT", "AQJ.K.AK.QJT"]


@pytest.mark.parametrize("text", DRAWS)
def test_draws(text):
    position = drawn(text)
    memory = Memory(5, 1 << 30)
    found = searched(position, memory)
    exact = solve(position)
    assert (found.outcome, found.winner, found.effort.stopped) == ("draw", None, None)
    truth = outcomes(exact)
    for action, outcome in outcomes(found).items():
        assert outcome in (truth[action], "undecided")
    assert found.best
    assert set(found.best) <= set(exact.best)


def test_a_draw_in_a_trick():
    position = drawn(DRAWS[1])
    for action in solve(position, line=True).line[:2]:
        position = position.apply(action)
    found = solve(position, method="search", max_seconds=None)
    assert (found.outcome, solve(position).outcome) == ("draw", "draw")


@settings(deadline=None)
@given(position=positions(SMALL).filter(lambda position: not position.winner))
def test_no_draw_is_claimed_where_there_is_none(position):
    """However often it is tried."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver.single.search, "DRAW_TRICKS", 1)
        patch.setattr(solver.single.search, "DRAW_SHARE", 0)
        assert searched(position).outcome == solve(position).outcome


def test_who_is_said_to_hold_out_does_not_lose(monkeypatch):
    """All claims of a closed set, against the table; most are of positions that are no draws."""
    monkeypatch.setattr(claims, "FORGET", NO_LIMIT)
    memory, tables, full = Memory(5, 1 << 30), open_tables().deck(5), (1 << 20) - 1
    search = Search(drawn(DRAWS[1]), memory)
    while search.advance(NO_LIMIT):
        pass
    closing = Closing(memory, 15)
    while closing.step(NO_LIMIT):
        pass
    assert closing.closed
    hands, responds = closing.claims
    assert len(hands) > 1000  # twins as well
    leader = np.where(responds == 1, swap_trumps(hands ^ full, 5), hands)
    scores = tables.outcomes(leader)
    assert not np.any((scores > 0) & (responds == 1) | (scores < 0) & (responds == 0))
    assert np.count_nonzero(scores == 0) > 0


@pytest.mark.parametrize("nodes", [100_000, 1_500_000, 1_720_000])
def test_nodes_are_limited_also_when_a_draw_is_tried(nodes):
    first, second = (
        solve(drawn(DRAWS[1]), method="search", max_nodes=nodes, max_seconds=None) for _ in "12"
    )
    assert (first.outcome, first.best) == ("undecided", ())
    assert first.effort == second.effort
    assert (first.effort.stopped, first.effort.nodes) == ("nodes", nodes)


def test_without_room_for_it_no_draw_is_tried():
    memory = Memory(5, 11 << 20)
    solution = searched(drawn(DRAWS[1]), memory)
    assert (solution.outcome, solution.effort.stopped) == ("undecided", "tricks")


def test_a_finished_game_is_refused():
    position = Position.parse("1 A.-.-.- -.A.A.A SD 1 -")
    assert solve(position, method="search").outcome == "win"
    with pytest.raises(GameError, match="the game is over: player 1 has won"):
        solve(position.apply(position.legal_actions()[0]), method="search")


# Methods and limits.


def test_search_does_not_touch_the_tables(monkeypatch):
    def refuse(*arguments):
        raise AssertionError("a table was opened")

    monkeypatch.setattr(Tables, "deck", refuse)
    monkeypatch.setattr(Tables, "__contains__", refuse)
    assert solve(Deal.parse("AK.Q", 3).position(), method="search").outcome == "win"


def test_auto_looks_up_what_has_a_table():
    assert solve(Deal.parse("AK.Q", 3).position()).source == "table"
    assert solve(ADVANCED, max_nodes=1000).source == "search"


def test_an_unknown_method():
    with pytest.raises(
        GameError, match="unknown method 'guess', expected one of: auto, table, search"
    ):
        solve(ADVANCED, method="guess")


@pytest.mark.parametrize("nodes", [1, 1000, 300_000])
def test_nodes_are_limited_and_deterministic(nodes):
    first, second = (
        solve(ADVANCED, max_nodes=nodes, max_seconds=None, method="search") for _ in range(2)
    )
    assert first.outcome == "undecided"
    assert first.effort == second.effort
    assert first.effort.stopped == "nodes"
    assert first.effort.nodes == nodes
    assert first.moves == second.moves


def test_time_is_limited():
    solution = solve(ADVANCED, max_seconds=0.01)
    assert solution.effort.stopped == "time"


@pytest.mark.parametrize("seconds", [100, 1000, 1500, 3000, 10_000])
def test_a_long_test_does_not_outlast_the_time(seconds, monkeypatch):
    """With a clock that ticks once a node, and slices that are too short for most tests."""
    memory = Memory(6, 1 << 30)
    position = Deal.parse("KQJT.K9", 6).position()
    with monkeypatch.context() as patch:
        patch.setattr(time, "perf_counter", lambda: memory.nodes)
        patch.setattr("solver.single.search.SLICE", 16)
        solution = searched(position, memory, max_seconds=seconds)
    assert solution.effort.stopped == "time"
    assert seconds <= solution.effort.nodes <= seconds + 16


MEMORY = """
import resource
import sys
from engine.deals import Deal
from solver import solve

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

bound = 12 << 20
solve(Deal.parse("AK.Q", 4).position(), method="search")  # compiles or loads what is compiled
before = peak()
solution = solve(
    Deal.parse("KQJ98.JT98", 7).position(),
    method="search",
    max_memory=bound,
    max_nodes=100_000_000,
    max_seconds=None,
)
print(solution.effort.stopped, solution.effort.memory, peak() - before)
"""


def test_memory_is_limited():
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
    )
    stopped, used, grown = done.stdout.split()
    assert stopped == "memory"
    assert 11 << 20 < int(used) <= 12 << 20
    assert int(grown) <= 12 << 20


def test_too_little_memory_to_begin_with():
    with pytest.raises(MemoryError, match=r"10 ranks takes at least \d+ MiB, but may only take 5"):
        solve(ADVANCED, max_memory=5 << 20)


def test_an_interrupted_search_says_what_it_had(monkeypatch):
    advance = Search.advance
    calls = []

    def interrupted(self, *limits):
        calls.append(limits)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return advance(self, *limits)

    monkeypatch.setattr(Search, "advance", interrupted)
    solution = solve(ADVANCED)
    assert solution.outcome == "undecided"
    assert solution.effort.stopped == "interrupt"
    assert solution.effort.nodes > 0


def test_ctrl_c_ends_a_search_in_the_midst_of_compiled_code(monkeypatch):
    """A call that would take hours; afterwards its memory still serves."""
    solver = Solver(method="search", max_seconds=None)
    solver.max_nodes = 1000
    solver.solve(ADVANCED)  # so that the code is loaded
    solver.max_nodes = None
    monkeypatch.setattr("solver.single.search.SLICE", 1 << 50)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        started = time.perf_counter()
        solution = solver.solve(ADVANCED)
        assert 0.4 < time.perf_counter() - started < 1.5
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert (solution.outcome, solution.effort.stopped) == ("undecided", "interrupt")
    assert solution.effort.nodes > 0
    solver.max_nodes = 2000
    assert solver.solve(ADVANCED).effort.stopped == "nodes"


def test_a_watcher_is_told_how_far_a_search_is(monkeypatch):
    monkeypatch.setattr("solver.single.run.INTERVAL", 0.05)
    told = []
    solution = Solver(method="search", max_seconds=0.6, watch=told.append).solve(ADVANCED)
    assert solution.effort.stopped == "time"
    assert len(told) > 2
    for one, next_one in pairwise(told):
        assert one.nodes <= next_one.nodes
        assert one.tricks <= next_one.tricks
        assert 0.6 > one.seconds_left > next_one.seconds_left >= 0
    assert told[-1].nodes <= solution.effort.nodes
    assert 0 < told[-1].memory <= solution.effort.memory
    assert told[-1].facts > 0
    told.clear()
    with ThreadPoolExecutor(1) as pool:  # nobody waits there, so nobody tells
        solver = Solver(method="search", max_seconds=0.3, watch=told.append)
        assert pool.submit(solver.solve, ADVANCED).result().effort.stopped == "time"
    assert not told


def test_a_watcher_that_fails_ends_the_search(monkeypatch):
    monkeypatch.setattr("solver.single.run.INTERVAL", 0.05)

    def fail(looking):
        raise OSError("no terminal")

    with pytest.raises(OSError, match="no terminal"):
        Solver(method="search", max_seconds=None, watch=fail).solve(ADVANCED)


def test_searches_share_what_they_prove():
    deal = Deal.parse("KQJ.JT", 5).position()
    alone = solve(deal, method="search", max_seconds=None)
    memory = Memory(5, 1 << 30)
    first, second = (searched(deal, memory) for _ in range(2))
    assert first.effort.nodes == alone.effort.nodes
    assert second.effort.nodes < first.effort.nodes / 10
    assert (second.outcome, second.effort.stopped) == (first.outcome, None)
    with pytest.raises(GameError, match="the position has 10 ranks, the memory is for 5"):
        searched(ADVANCED, memory)


def test_thinning_changes_nothing_but_the_memory(monkeypatch):
    monkeypatch.setattr(claims, "FORGET", NO_LIMIT)

    def search(memory):
        search = Search(Deal.parse("KQJ9.JT9", 6).position(), memory)
        while memory.nodes < 3_000_000 and search.advance(3_000_000):
            pass
        return memory

    thinned = Memory(6, 1 << 30)
    monkeypatch.setattr(claims, "FIRST_THINNING", NO_LIMIT)
    plain = Memory(6, 1 << 30)
    assert search(plain).nodes == search(thinned).nodes
    assert plain.facts == thinned.facts
    assert thinned.kept < plain.kept == plain.facts
    assert thinned.used < plain.used
    rng = random.Random(0)
    answers = set()
    for _ in range(3000):
        hand, responds, tricks = rng.randrange(1, (1 << 24) - 1), rng.randrange(2), rng.randrange(9)
        claim = hand, responds, tricks
        answers.add(status(*claim, plain.record))
        assert status(*claim, plain.record) == status(*claim, thinned.record)
    assert len(answers) == 3


def test_forgetting_failures_keeps_the_wins():
    memory = Memory(5, 1 << 30)
    search = Search(Deal.parse("KQJ.JT", 5).position(), memory)
    while memory.nodes < 300_000 and search.advance(300_000):
        pass
    rng = random.Random(0)
    some = [
        (rng.randrange(1, (1 << 20) - 1), rng.randrange(2), rng.randrange(1, 9))
        for _ in range(3000)
    ]
    before = [status(*claim, memory.record) for claim in some]
    memory.forget_failures()
    after = [status(*claim, memory.record) for claim in some]
    assert not any(len(memory.failures(side, 1, 1 << 20)) for side in (0, 1))
    changes = set(zip(map(int, before), map(int, after), strict=True))
    same = {(WINS, WINS), (UNKNOWN, UNKNOWN), (FAILS, FAILS)}
    assert changes == {*same, (FAILS, UNKNOWN)}


def test_the_limit_of_nodes_is_for_one_of_the_searches():
    memory = Memory(10, 1 << 30)
    for _ in range(2):
        solution = searched(ADVANCED, memory, max_nodes=1000)
        assert solution.effort.nodes == 1000
    assert memory.nodes == 2000


# The command.

UNDECIDED = ["solve", "--deck", "advanced", "--nodes", "1000", "AKQJ8765.KQJ765"]


def test_an_undecided_deal():
    status, output, error = challenge(*UNDECIDED)
    assert (status, error) == (4, "")
    assert "Undecided, the limit of nodes was reached. Estimate, not a proof: player " in output
    assert "\nNot proved, likely to win: " in output
    assert "Searched 1,000 nodes in " in output


def test_an_undecided_deal_as_json():
    status, output, _ = challenge(*UNDECIDED, "--json")
    found = json.loads(output)
    assert status == 4
    assert (found["outcome"], found["winner"], found["best"]) == ("undecided", None, [])
    assert (found["source"], found["nodes"], found["stopped"]) == ("search", 1000, "nodes")
    assert {"memory", "seconds"} < set(found)
    assert {move["outcome"] for move in found["moves"]} == {"undecided"}


def test_a_searched_deal():
    status, output, _ = challenge("solve", "--deck", "4", "--method", "search", "-.AKJ")
    assert status == 0
    assert "Player 2 wins.\nAll leads lose.\n" in output
    status, output, _ = challenge("solve", "--deck", "4", "--method", "search", "AK.AK")
    assert status == 0
    assert "Player 1 wins.\nWinning leads: " in output


def test_undecided_lines():
    lines = "AKQJ8765.KQJ765\nAKQJT98765.AKQJT98765\n"
    arguments = ["solve", "--deck", "advanced", "--nodes", "30000", "-"]
    status, output, _ = challenge(*arguments, stdin=lines)
    assert status == 4
    assert ": undecided, the limit of nodes was reached; estimate, not a proof: player " in output
    status, output, error = challenge(*arguments, stdin=lines + "XYZ\n")
    assert (status, output.count("\n")) == (1, 2)
    assert error.startswith("line 3: ")


def test_lines_share_what_is_proved():
    arguments = ["solve", "--deck", "5", "--method", "search", "--json", "-"]
    _, output, _ = challenge(*arguments, stdin="KQJ.JT\nKQJ.JT\n")
    first, second = (json.loads(line) for line in output.splitlines())
    assert second["nodes"] < first["nodes"] / 10
    assert second["outcome"] == first["outcome"]


def test_a_full_memory_is_emptied_for_the_next_line():
    arguments = ["solve", "--deck", "7", "--method", "search", "--memory", "12M", "--json", "-"]
    status, output, _ = challenge(*arguments, "--time", "1000", stdin="KQJ98.JT98\n" * 2)
    first, second = (json.loads(line) for line in output.splitlines())
    assert status == 4
    assert first["stopped"] == second["stopped"] == "memory"
    assert first["nodes"] == second["nodes"]


def test_interrupted_lines(monkeypatch):
    def interrupted(self, *limits):
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "advance", interrupted)
    status, output, error = challenge("solve", "--deck", "9", "-", stdin="AK.Q\nAK.J\n")
    assert status == 130
    assert output.startswith("9 AK.Q: undecided, interrupted; estimate, not a proof: player ")
    assert output.count("\n") == 1
    assert error == "Error: interrupted\n"


@pytest.mark.parametrize("text", ["8 gigs", "", "G", "-1G", "1.5.2M"])
def test_wrong_sizes(text):
    status, output, error = challenge("solve", "--deck", "9", "--memory", text, "AK.Q")
    assert (status, output) == (2, "")
    sentence = f"{text!r} is wrong, expected a size such as 500M or 8G, at most 1024T.\n"
    assert error.endswith(f"Invalid value for '--memory': {sentence}")


@pytest.mark.parametrize("text", ["1G", "1gib", " 1024 M ", "1048576k", "0.5GB", "1073741824"])
def test_sizes(text):
    arguments = ["solve", "--deck", "9", "--nodes", "10", "AK.Q"]
    assert challenge(*arguments, "--memory", text)[0] == 4


def test_too_little_memory():
    status, output, error = challenge("solve", "--deck", "9", "--memory", "1M", "AK.Q")
    assert (status, output) == (2, "")
    assert error.startswith("Error: not enough memory: a search with 9 ranks takes at least ")
