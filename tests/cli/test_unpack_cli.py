"""Packed progress at the command line: announced, unpacked when needed, removed."""

import errno
import json
import os
import re

import pytest
from command import challenge

from solver.complete import unpacked
from solver.complete.build import build_tables
from solver.complete.deck import DeckTables
from solver.complete.table import Table
from solver.complete.unpacked import PackedTable
from solver.study import batch
from solver.tables import open_tables

DEAL = "3 AK.Q"


@pytest.fixture
def packed(tmp_path, monkeypatch):
    """A deck of 3 ranks with packed progress instead of distances."""
    monkeypatch.setattr(unpacked, "cache_folder", lambda: tmp_path / "cache")
    paths = {"outcome": tmp_path / "ranks3.outcome", "progress": tmp_path / "ranks3.progress.1"}
    build_tables(3, paths)
    deck = DeckTables(3, Table(paths["outcome"]), progress=PackedTable(paths["progress"]))
    monkeypatch.setitem(open_tables()._decks, 3, deck)
    monkeypatch.setattr(batch._own, "solvers", {})
    return deck.packed


def full(monkeypatch):
    def no_space(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(unpacked, "MEMORY_RANKS", 0)
    monkeypatch.setattr(unpacked, "whole_file", no_space)


def test_solve(packed):
    status, out, err = challenge("solve", DEAL)
    assert (status, err, packed.ready) == (0, "", False)
    assert "are shown with --line" in out
    assert "`challenge table unpack --ranks 3`" in out
    status, out, err = challenge("solve", "--line", DEAL)
    assert status == 0
    assert re.fullmatch(
        r"Unpacking the progress of 3 ranks: 0 MB into .*, some seconds, once.\n", err
    )
    assert "Most progress" in out
    assert "--line" not in out
    status, again, err = challenge("solve", "--line", DEAL)
    assert (status, again, err) == (0, out, "")
    status, out, err = challenge("solve", DEAL)
    assert (status, err) == (0, "")
    assert "Most progress" in out


def test_lines_of_a_stream(packed):
    status, out, err = challenge("solve", "--line", "-", stdin=f"{DEAL}\n" * 3)
    assert status == 0
    assert out.count("; line ") == 3
    assert err.count("Unpacking") == 1


def test_no_room(packed, monkeypatch):
    full(monkeypatch)
    status, out, err = challenge("solve", "--line", "-", stdin=f"{DEAL}\n" * 3)
    assert status == 0
    assert out.count("player 1 wins") == 3
    assert "line" not in out
    assert err.count("No space left on device; going on without progress.") == 1
    assert json.loads(challenge("solve", "--json", "--line", DEAL)[1])["line"] is None
    status, out, err = challenge("table", "unpack", "--ranks", "3")
    assert (status, out) == (1, "")


def test_players(packed, monkeypatch):
    game = ["challenge", "--option", "ranks=3", "--players", "perfect,greedy", "--seed", "1"]
    status, out, err = challenge("tournament", *game, "--deals", "20")
    assert status == 0
    assert err.count("Unpacking") == 1
    assert "  0.0%" in out.splitlines()[1]  # none drawn
    packed.remove()
    full(monkeypatch)
    status, out, err = challenge("play", *game, "--quiet")
    assert status == 0
    assert err.count("going on without progress") == 1


def test_players_of_decks_without_progress(monkeypatch):
    deck = open_tables().deck(3).without("distance")
    monkeypatch.setitem(open_tables()._decks, 3, deck)
    game = ["challenge", "--option", "ranks=3", "--players", "perfect,greedy", "--seed", "1"]
    status, _, err = challenge("play", *game, "--quiet", "--deals", "3")
    assert status == 0
    assert err.count("There is no progress for 3 ranks") == 1


def test_hints(packed):
    options = ["--option", "ranks=3", "--option", "suits=SHDC", "--seed", "4"]
    status, out, err = challenge("play", "challenge", *options, stdin="hint\nq\n")
    assert status == 0
    assert err.count("Unpacking") == 1
    assert re.search(r": hint\n[\w, ]+ win, \w\w makes most progress; \w\w loses", out)


def test_unpack_info_and_remove(packed):
    status, out, err = challenge("table", "info", str(packed.path))
    assert status == 0
    assert "kind       progress\n" in out
    assert f"SHA-256    {packed.digest}" in out
    assert "is not unpacked (`challenge table unpack --ranks 3`)" in out
    status, out, err = challenge("table", "unpack", "--ranks", "3")
    assert status == 0
    size = packed.cache.stat().st_size
    told = f"The progress of 3 ranks is unpacked in {packed.cache}, {size:,} bytes"
    assert out.startswith(told)
    status, out, err = challenge("table", "info", str(packed.path))
    assert told in out
    assert "`challenge table unpack --ranks 3 --remove` removes it" in out
    assert (
        challenge("table", "unpack", "--ranks", "3", "--remove")[1] == f"Removed {packed.cache}.\n"
    )
    assert not packed.cache.exists()
    assert challenge("table", "unpack", "--ranks", "3", "--remove")[1].startswith("There was no")
    status, out, err = challenge("table", "unpack", "--ranks", "6")
    assert (status, out) == (2, "")
    assert "there is nothing to unpack for decks of 6 ranks" in err


def test_verify(packed, tmp_path):
    status, out, err = challenge("table", "verify", str(tmp_path / "ranks3.outcome"))
    assert status == 0
    assert err.startswith("Unpacking the progress of 3 ranks")
    assert "the outcomes and progress of" in out
    packed.path.write_bytes(packed.path.read_bytes()[:-1])
    status, out, err = challenge("table", "verify", str(tmp_path / "ranks3.outcome"))
    assert status == 2
    assert "truncated" in err


def test_line_tricks(packed):
    options = ["batch", "--deck", "3", "--all", "--line-tricks"]
    status, out, _ = challenge(*options)
    assert status == 0
    header, *rows = (line.split(",") for line in out.splitlines())
    assert header[-1] == "line_tricks"
    assert all(int(row[-1]) >= 0 and not row[header.index("distance")] for row in rows)


def test_line_tricks_are_distances_where_these_are_known(tmp_path):
    path = tmp_path / "deals.csv"
    options = ["batch", "--deck", "3", "--all", "--line-tricks", "-o", str(path)]
    assert challenge(*options)[0] == 0
    whole = path.read_bytes()
    header, *rows = (line.split(",") for line in path.read_text().splitlines())
    assert all(row[-1] == row[header.index("distance")] for row in rows)
    path.write_bytes(whole[:900])
    assert challenge(*options, "--resume")[0] == 0
    assert path.read_bytes() == whole


def test_line_tricks_need_progress(tmp_path, monkeypatch):
    build_tables(3, {"outcome": tmp_path / "ranks3.outcome"})
    deck = DeckTables(3, Table(tmp_path / "ranks3.outcome"))
    monkeypatch.setitem(open_tables()._decks, 3, deck)
    monkeypatch.setattr(batch._own, "solvers", {})
    status, out, err = challenge("batch", "--deck", "3", "--count", "1", "--line-tricks")
    assert (status, out) == (3, "")
    assert "there is no table of progress for decks of 3 ranks" in err
