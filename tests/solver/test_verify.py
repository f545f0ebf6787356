"""`verify` passes the shipped tables and catches any single altered entry."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.errors import GameError
from solver.complete.build import Builder
from solver.complete.deck import DeckTables
from solver.complete.table import Table, slice_bytes, write_table
from solver.complete.value import WIN
from solver.complete.verify import VerifyError, follows_from_neighbour, stored_positions, verify
from solver.core.bitboard import slices, table_index
from solver.tables import open_tables


def slices_of(table: Table) -> Iterator[bytearray]:
    size = slice_bytes(table.ranks, table.kind)
    for number in range(slices(table.ranks)):
        data, start = table.slice(number)
        yield bytearray(data[start : start + size])


def altered(tables: DeckTables, folder: Path, alter: tuple[str, int, int]) -> DeckTables:
    """A copy of the tables in which byte `place` of the content of one kind is another."""
    kind, place, mask = alter
    copies = {}
    for table in (tables.outcome, tables.distance):
        content = bytearray().join(slices_of(table))
        if table.kind == kind:
            content[place] ^= mask
        size = slice_bytes(table.ranks, table.kind)
        pieces = [bytes(content[i : i + size]) for i in range(0, len(content), size)]
        path = folder / f"ranks{table.ranks}.{table.kind}"
        write_table(path, table.ranks, table.kind, (table.wins, table.losses, table.draws), pieces)
        copies[table.kind] = Table(path)
    return DeckTables(tables.ranks, copies["outcome"], copies["distance"])


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("theorems", [True, False])
def test_shipped_tables_pass(ranks: int, theorems: bool) -> None:
    report = verify(open_tables().deck(ranks), theorems=theorems)
    assert report.positions == stored_positions(ranks)
    assert report.theorems is theorems


@pytest.mark.parametrize("ranks", [5, 6])
def test_shipped_tables_pass_on_a_sample(ranks: int) -> None:
    assert verify(open_tables().deck(ranks), sample=200, seed=3).positions == 200


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [5, 6])
def test_shipped_tables_pass_as_a_whole(ranks: int) -> None:
    verify(open_tables().deck(ranks))


@pytest.mark.parametrize("theorems", [True, False])
def test_any_altered_entry_is_caught(tmp_path: Path, theorems: bool) -> None:
    tables = open_tables().deck(3)
    rng = random.Random(5)
    size = slices(3) << 6
    for _ in range(60):
        index = rng.randrange(1, size - 1)
        kind = rng.choice(["outcome", "distance"])
        if kind == "distance":
            alter = (kind, index, rng.randrange(1, 256))
        else:  # a slice of 64 positions: eight bytes of wins, eight of draws
            number, place = divmod(index, 64)
            byte = number * 16 + rng.choice([0, 8]) + place // 8
            alter = (kind, byte, 1 << place % 8)
        with pytest.raises(VerifyError):
            verify(altered(tables, tmp_path, alter), theorems=theorems)


def test_a_check_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    tables, checkpoint = open_tables().deck(4), tmp_path / "checkpoint"
    seen: list[int] = []

    def interrupt(done: int, total: int) -> None:
        seen.append(done)
        if len(seen) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(tables, threads=1, report=interrupt, checkpoint=checkpoint)
    report = verify(tables, threads=1, report=interrupt, checkpoint=checkpoint)
    assert report.positions == stored_positions(4) == seen[-1]
    assert seen == sorted(set(seen))
    assert len(seen) == 16  # one for each P, none of them twice
    assert not checkpoint.exists()


def test_a_checkpoint_of_another_check_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(open_tables().deck(3), report=interrupt, checkpoint=checkpoint)
    with pytest.raises(GameError, match="is the checkpoint of another verification"):
        verify(open_tables().deck(4), checkpoint=checkpoint)
    with pytest.raises(GameError, match="is the checkpoint of another verification"):
        verify(open_tables().deck(3), theorems=False, checkpoint=checkpoint)


def test_neighbours_are_those_that_raising_compares() -> None:
    """A neighbour has one card one rank lower (higher), and no other position counts."""
    ranks = 3
    scores = np.zeros(slices(ranks) << 2 * ranks, np.int16)
    for hand in range(1, (1 << 4 * ranks) - 1, 7):
        for least in (True, False):
            expected = set()
            for card in range(4 * ranks):
                other = card - 1 if least else card + 1
                same_suit = other >= 0 and other // ranks == card // ranks
                if same_suit and hand >> card & 1 and not hand >> other & 1:
                    expected.add(table_index(hand ^ 1 << card ^ 1 << other, ranks))
            for index in {*expected, table_index(hand, ranks)}:
                scores[:] = -1 if least else 1
                scores[index] = 0
                found = follows_from_neighbour(hand, 0, least, False, ranks, scores)
                assert found == (index in expected)


def test_a_contradiction_names_the_position(tmp_path: Path) -> None:
    tables = open_tables().deck(2)
    index = 9  # P = Q = 0: own trump 1, other's trump 2
    broken = altered(tables, tmp_path, ("distance", index, 8))
    with pytest.raises(VerifyError, match=r"^the table calls 2 \S+ \S+ SD 1 - a (win|loss) in \d+"):
        verify(broken)


def progress_tables(ranks: int, folder: Path) -> DeckTables:
    builder = Builder(ranks, distances=False)
    builder.run()
    for kind in ("outcome", "progress"):
        write_table(folder / kind, ranks, kind, builder.totals(), builder.slices(kind))
    return DeckTables(ranks, Table(folder / "outcome"), progress=Table(folder / "progress"))


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_progress_is_a_proof_too(tmp_path: Path, ranks: int) -> None:
    tables = progress_tables(ranks, tmp_path)
    assert verify(tables).proof
    assert verify(tables, theorems=False).proof
    every = range(1, (1 << 4 * ranks) - 1)
    assert np.array_equal(tables.outcomes(every), open_tables().deck(ranks).outcomes(every))
    places = [
        WIN - abs(score) if score else -1
        for score in (tables[table_index(h, ranks)] for h in every)
    ]
    assert tables.progress_of(every).tolist() == places


def test_progress_that_does_not_fall_is_caught(tmp_path: Path) -> None:
    tables = progress_tables(3, tmp_path)
    content = [bytearray(piece) for piece in slices_of(tables.progress)]
    index = content[20].index(max(content[20]))
    content[20][index] -= 2  # proved a round earlier than the facts it needs
    totals = (tables.outcome.wins, tables.outcome.losses, tables.outcome.draws)
    write_table(tmp_path / "broken", 3, "progress", totals, map(bytes, content))
    with pytest.raises(VerifyError, match="does not follow from its moves"):
        verify(DeckTables(3, tables.outcome, progress=Table(tmp_path / "broken")))


def test_without_distances_outcomes_must_agree(tmp_path: Path) -> None:
    tables = open_tables().deck(3)
    assert not verify(DeckTables(3, tables.outcome, None)).proof
    broken = altered(tables, tmp_path, ("outcome", 16 * 5 + 2, 1))
    with pytest.raises(VerifyError):
        verify(DeckTables(3, broken.outcome, None))
