"""Tables probed by position and by arrays of hands; what the shipped ones hold."""

import pickle
import random
from math import comb

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import positions

from engine.cards import deck_cards
from engine.deals import Deal, all_deals
from engine.position import Position
from solver import (
    DeckTables,
    GameError,
    MissingTable,
    Outcome,
    TableError,
    Tables,
    open_tables,
    solve,
)
from solver.complete import deck, table
from solver.complete.table import Table, find_table, table_path
from solver.core.bitboard import hand_cards, leader_bits

SHIPPED = range(1, 7)
KINDS = ("outcome", "distance")
SAMPLES = 300


def base(hand, ranks, turn=1):
    """The base position in which the player in turn holds a bit set of cards."""
    trumps = (0, 1) if turn == 1 else (1, 0)
    cards = hand_cards(hand, (0, 1, 2, 3), ranks)
    hands = cards, deck_cards(ranks) - cards
    return Position(ranks, hands if turn == 1 else hands[::-1], trumps, turn, None)


def without_distances(ranks):
    return DeckTables(ranks, Table(table_path(ranks, "outcome")))


# Every entry.


@pytest.mark.parametrize("ranks", oracle.RANKS)
def test_every_entry(ranks):
    found, hands = open_tables().deck(ranks), oracle.base_hands(ranks)
    assert np.array_equal(found.outcomes(hands), oracle.outcomes(ranks))
    assert np.array_equal(found.distances(hands), oracle.distances(ranks))
    assert np.array_equal(without_distances(ranks).outcomes(hands), oracle.outcomes(ranks))


@pytest.mark.parametrize("ranks", oracle.RANKS)
def test_by_position(ranks):
    rng = random.Random(ranks)
    for hand in rng.choices(oracle.base_hands(ranks).tolist(), k=SAMPLES):
        position = base(hand, ranks, rng.choice((1, 2)))
        assert leader_bits(position) == hand
        outcome = Outcome.of(oracle.outcomes(ranks)[hand - 1])
        distance = int(oracle.distances(ranks)[hand - 1])
        assert open_tables().outcome(position) == outcome
        assert open_tables().distance(position) == (None if outcome == "draw" else distance)


@given(positions(st.integers(1, 6)).filter(lambda position: not position.winner))
def test_inside_a_trick_as_solve_says(position):
    solution = solve(position)
    assert open_tables().outcome(position) == solution.outcome
    assert open_tables().distance(str(position)) == solution.distance


@pytest.mark.parametrize("ranks", [*SHIPPED, 7, 8])
def test_one_hand_and_many(ranks):
    deck = open_tables().deck(ranks)
    hands = random.Random(ranks).choices(range(1, (1 << 4 * ranks) - 1), k=SAMPLES)
    one_by_one = [open_tables().outcome(base(hand, ranks)) for hand in hands]
    many = deck.outcomes(np.array(hands, np.uint64).reshape(3, 100))
    assert (many.dtype, many.shape) == (np.int8, (3, 100))
    assert [Outcome.of(value) for value in many.ravel()] == one_by_one
    assert np.array_equal(deck.outcomes(hands), many.ravel())
    assert deck.outcomes(np.int64(hands[0])) == many[0, 0]
    if ranks in SHIPPED:
        distances = deck.distances(hands)
        assert distances.dtype == np.int16
        expected = [open_tables().distance(base(hand, ranks)) for hand in hands]
        assert [None if d < 0 else d for d in distances.tolist()] == expected


# Totals.


@pytest.mark.parametrize(
    ("ranks", "totals"),
    [
        (1, (10, 4, 0)),
        (2, (159, 95, 0)),
        (3, (2_426, 1_668, 0)),
        (4, (37_002, 28_532, 0)),
        (5, (577_198, 471_372, 4)),
        (6, (9_047_741, 7_728_842, 631)),
    ],
)
def test_totals(ranks, totals):
    deck, found = open_tables().deck(ranks), np.zeros(3, int)
    full, step = (1 << 4 * ranks) - 1, 1 << 20
    for start in range(1, full, step):
        outcomes = deck.outcomes(np.arange(start, min(start + step, full)))
        found += [(outcomes == value).sum() for value in (1, -1, 0)]
    assert tuple(found.tolist()) == totals
    for part in (deck.outcome, deck.distance):
        assert (part.wins, part.losses, part.draws) == totals
        assert part.positions == sum(totals)
        assert part.size_bytes == part.path.stat().st_size


@pytest.mark.parametrize(
    ("ranks", "won", "lost", "weight_won"),
    [
        (1, 2, 2, None),
        (2, 12, 4, None),
        (3, 52, 12, None),
        (4, 218, 38, None),
        (5, 910, 114, None),
        (6, 3_728, 368, 2_497_018),
    ],
)
def test_deals(ranks, won, lost, weight_won):
    deals = list(all_deals(ranks))
    hands = [leader_bits(deal.position()) for deal in deals]
    found = open_tables().deck(ranks).outcomes(hands)
    assert ((found > 0).sum(), (found < 0).sum(), (found == 0).sum()) == (won, lost, 0)
    if weight_won is not None:
        weights = np.array([deal.weight for deal in deals])
        assert weights.sum() == comb(4 * ranks, 2 * ranks) == 2_704_156
        assert weights[found > 0].sum() == weight_won


def test_longest_games():
    """With 6 ranks: 97 tricks, from a symmetric deal 88."""
    deck = open_tables().deck(6)
    assert max(chunk.max() for chunk in np.array_split(deck.unpacked("distance"), 8)) == 97
    assert deck.distances([leader_bits(deal.position()) for deal in all_deals(6)]).max() == 88


# What is refused, and defaults.


def test_missing_tables():
    tables, large = open_tables(), Deal.parse("10 AK.Q")
    for probe in (tables.outcome, tables.distance, tables.progress):
        with pytest.raises(
            MissingTable, match=r"no table for decks of 10 ranks, only for 1, 2, .*6"
        ):
            probe(large)
    for probe in (tables.get_outcome, tables.get_distance, tables.get_progress):
        assert probe(large) is None
        assert probe(large, 7) == 7
    with pytest.raises(MissingTable, match="no table of progress for decks of 6 ranks"):
        tables.progress("6 KQJ.JT9")
    with pytest.raises(MissingTable, match="no table of distance for decks of 5 ranks"):
        without_distances(5).distances([1])
    assert tables.get_distance("8 KQJ.JT97", -1) == -1
    assert 10 not in tables
    assert {1, 2, 3, 4, 5, 6, 7, 8} <= set(tables.decks)


def test_a_finished_game_is_refused():
    with pytest.raises(GameError, match="the game is over: player 1 has won"):
        open_tables().outcome("3 -.-.-.- Q.AK.-.AK SD 2 QD")


@pytest.mark.parametrize("hand", [0, -1, 255, 256, 1 << 40])
def test_hands_that_are_no_position(hand):
    with pytest.raises(ValueError, match=f"hand {hand:#x} is no base position with 2 ranks"):
        open_tables().deck(2).outcomes(np.array([1, hand, 254]))


def test_few_open_chunks(monkeypatch):
    """Chunks that were closed to make room are opened again."""
    monkeypatch.setattr(table, "OPEN_CHUNKS", 1)
    tables = Tables()
    for hand in random.Random(1).choices(range(1, (1 << 20) - 1), k=40):
        outcome = Outcome.of(oracle.outcomes(5)[hand - 1])
        assert tables.outcome(base(hand, 5)) == outcome


def test_large_decks_are_looked_up_slice_by_slice(monkeypatch):
    hands = np.array(random.Random(2).choices(range(1, (1 << 16) - 1), k=600)).reshape(20, 30)
    expected = open_tables().deck(4).distances(hands)
    monkeypatch.setattr(deck, "UNPACKED_RANKS", 3)
    monkeypatch.delattr(DeckTables, "unpacked")
    assert np.array_equal(open_tables().deck(4).distances(hands), expected)


def test_arrays_of_hands_are_of_integers():
    with pytest.raises(ValueError, match="hands of the type float64 given, expected integers"):
        open_tables().deck(2).outcomes(np.array([1.5, 2.0]))


def test_where_tables_are_found(tmp_path, monkeypatch):
    shipped = table_path(3, "outcome").read_bytes()
    package, user = tmp_path / "package", tmp_path / "user"
    monkeypatch.setattr(table, "DATA", package)
    monkeypatch.setattr(table, "user_folder", lambda: user)
    with pytest.raises(MissingTable, match="no table for decks of 3 ranks, only for none"):
        Tables().deck(3)
    assert table_path(3, "outcome") == user / "ranks3.outcome"
    for folder in (user, package):
        folder.mkdir()
        path = folder / "ranks3.outcome"
        path.write_bytes(shipped)
        assert find_table(3, "outcome") == table_path(3, "outcome") == path
        deck = Tables().deck(3)
        assert (deck.outcome.path, deck.distance) == (path, None)
    (package / "ranks10.outcome").write_bytes(shipped)
    with pytest.raises(TableError, match="for 3 ranks, expected the kind outcome for 10 ranks"):
        Tables().deck(10)


def test_a_folder_of_tables(tmp_path):
    (tmp_path / "ranks2.outcome").write_bytes(table_path(2, "outcome").read_bytes())
    tables = Tables(tmp_path)
    assert tables.decks == (2,)
    assert tables.outcome("2 A.A") == open_tables().outcome("2 A.A")
    assert tables.get_distance("2 A.A") is None


def test_tables_that_do_not_belong_together():
    outcome, distance = (Table(table_path(3, kind)) for kind in KINDS)
    with pytest.raises(TableError, match="kind distance for 3 ranks, expected the kind outcome"):
        DeckTables(3, distance, outcome)
    with pytest.raises(TableError, match="for 4 ranks, expected the kind distance for 3 ranks"):
        DeckTables(3, outcome, Table(table_path(4, "distance")))
    with pytest.raises(TableError, match="for 3 ranks, expected the kind outcome for 10 ranks"):
        DeckTables(10, outcome)


def test_an_altered_chunk_is_found_when_it_is_needed(tmp_path):
    path = tmp_path / "ranks5.distance"
    data = bytearray(table_path(5, "distance").read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    (tmp_path / "ranks5.outcome").write_bytes(table_path(5, "outcome").read_bytes())
    tables = Tables(tmp_path)
    assert tables.distance(base(1, 5)) == oracle.distances(5)[0]
    with pytest.raises(TableError, match="chunk 2 fails its check sum"):
        tables.distance(base((1 << 20) - 2, 5))
    with pytest.raises(TableError, match="chunk 2 fails its check sum"):
        tables.deck(5).distances([1])


def test_what_is_unpacked_can_be_released():
    tables = Tables()
    first = tables.deck(4).unpacked("outcome")
    assert tables.deck(4).unpacked("outcome") is first
    tables.release()
    again = tables.deck(4).unpacked("outcome")
    assert again is not first
    assert np.array_equal(again, first)


def test_solutions_can_be_pickled():
    solution = solve("6 KQJ.JT9", line=True)
    assert pickle.loads(pickle.dumps(solution)) == solution
