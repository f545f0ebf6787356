import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import ANY

import click
import pytest
from click.testing import CliRunner
from command import COMMAND, ROOT, challenge
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positions

from cli.main import COMMANDS, main
from cli.progress import Progress
from engine.deals import Deal, random_deal
from engine.position import Position
from solver.complete.table import Table, slice_bytes, table_path, write_table
from solver.solver import solve

TRICK = "3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD"
DRAW = "5 AQT.K.AK.QJT KJ.AQJT.QJT.AK SH 1 -"
OVER = "3 -.-.-.- Q.AK.-.AK SD 2 QD"


def test_help():
    status, output, _ = challenge("--help")
    assert status == 0
    assert all(f"\n  {name} " in output for name in COMMANDS)


@pytest.mark.parametrize("command", [["solve"], ["deal"], ["table"], ["table", "build"]])
def test_help_of_a_command(command):
    status, output, _ = challenge(*command, "-h")
    assert status == 0
    assert output.startswith(f"Usage: challenge {' '.join(command)} ")


@pytest.mark.parametrize(
    ("arguments", "not_loaded"),
    [
        (["--help"], {"numba", "numpy", "solver"}),
        (["solve", "--help"], {"numba", "numpy"}),
        (["solve", "--line", "--deck", "3", "AK.Q"], {"numba", "numpy"}),
        (["deal"], {"numba", "numpy", "solver"}),
    ],
)
def test_what_is_loaded(arguments, not_loaded):
    code = (
        "import sys\nfrom cli.main import main\nmain(standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, cwd=ROOT, check=True
    )
    assert done.stdout
    assert not not_loaded & set(done.stderr.decode().split())


# One deal or position.

PICTURE = """\
Player 1 leads     Player 2
♠ A K  trumps      ♠ · ·
♥ · K              ♥ A ·
♦ · ·              ♦ A K  trumps
♣ A ·              ♣ · K

Player 2 wins in 2 tricks.
Longest resistance: A♠ K♠ K♥ A♣

Trick  Cards  Player 1  Player 2
    1    4-4  A♠        K♦ A♥
              pickup
    2    6-2            K♣
              A♠ K♠     A♦
Player 2 has played his last card and wins.
"""


def test_picture_and_game():
    assert challenge("solve", "--line", "--deck", "2", "AK.K") == (0, PICTURE, "")


def test_picture_without_suit_symbols():
    letters = PICTURE.translate(str.maketrans("♠♥♦♣·", "SHDC."))
    assert challenge("solve", "--line", "--deck", "2", "AK.K", charset="latin-1") == (
        0,
        letters,
        "",
    )


def test_position_inside_a_trick():
    status, output, _ = challenge("solve", TRICK)
    assert status == 0
    assert output.splitlines() == [
        "Player 1           Player 2 faces Q♦",
        "♠ A K ·  trumps    ♠ · · Q",
        "♥ · · Q            ♥ A K ·",
        "♦ A K ·            ♦ · · ·  trumps",
        "♣ · · Q            ♣ A K ·",
        "On the table: Q♦",
        "",
        "Player 1 wins in 6 tricks.",
        "Longest resistance: pickup",
    ]


def test_winning_leads_by_distance():
    _, output, _ = challenge("solve", "--deck", "3", "K.Q")
    assert output.splitlines()[6:] == [
        "Player 1 wins in 11 tricks.",
        "Winning leads:",
        "  in 11    K♣",
        "  in 15    Q♦ A♣",
    ]


def test_win_at_once():
    _, output, _ = challenge("solve", "--line", "1 A.-.-.- -.A.A.A SD 1 -")
    assert output.splitlines()[6:] == [
        "Player 1 wins at once.",
        "Winning leads:",
        "  at once  A♠",
        "",
        "Trick  Cards  Player 1  Player 2",
        "         1-3  A♠",
        "Player 1 has played his last card and wins.",
    ]


def test_draw():
    _, output, _ = challenge("solve", "--line", DRAW)
    lines = output.splitlines()
    assert lines[6:8] == [
        "A draw, neither player can force a win.",
        "Drawing leads: A♦ K♦",
    ]
    assert lines[-1] == "This is the position before trick 1: play never ends."


@settings(max_examples=40, deadline=None)
@given(positions(decks=st.integers(1, 4)))
def test_every_card_of_a_game_is_shown(position):
    """The rows of a game, read again from left to right, are its actions."""
    if position.winner:
        return
    _, output, _ = challenge("solve", "--line", str(position))
    game = output[output.index("Trick ") :].splitlines()[1:-1]
    shown = " ".join(row[14:] for row in game).split()
    for action in shown:
        position = position.apply(position.parse_action(action))
    assert position.winner or position.is_base


def test_colour_only_where_it_is_wanted(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    runner, arguments = CliRunner(), ["solve", "--deck", "2", "AK.K"]
    plain = runner.invoke(main, arguments).output
    coloured = runner.invoke(main, arguments, color=True).output
    assert "\x1b[31m" not in plain
    assert "\x1b[31m" in coloured
    assert click.unstyle(coloured) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert runner.invoke(main, arguments, color=True).output == plain


def test_json():
    status, output, _ = challenge("solve", "--json", "--line", *TRICK.split())
    assert status == 0
    (line,) = output.splitlines()
    answer = json.loads(line)
    assert answer.pop("seconds") >= 0
    assert answer == {
        "position": TRICK,
        "to_move": 2,
        "outcome": "loss",
        "winner": 1,
        "distance": 6,
        "moves": [{"move": "pickup", "outcome": "loss", "distance": 6}],
        "best": ["pickup"],
        "line": ANY,
        "source": "table",
    }
    assert answer["line"][0] == "pickup"
    assert "line" not in json.loads(challenge("solve", "--json", TRICK)[1])


@pytest.mark.parametrize(
    "problem",
    [
        ["-.-"],
        ["-.", "-"],
        ["—.—"],
        ["3 -.-.AKQ.AKQ AKQ.AKQ.-.- SD 1 -"],
        ["3", "-.-.AKQ.AKQ", "AKQ.AKQ.-.-", "SD", "1", "-"],
        ["3 ♦akq♣akq ♠akq♥akq sd 1 –\r\n"],
        ["“3 ♦akq♣akq ♠akq♥akq sd 1 –”"],
        ["\ufeff3\t♦akq♣akq\t♠akq♥akq\tsd\t1\t-"],
    ],
)
def test_ways_to_write_one_deal(problem):
    expected = challenge("solve", "--deck", "3", "–.–")
    assert expected[0] == 0
    assert challenge("solve", "--deck", "3", *problem) == expected


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["foo"], "'foo' has 1 suit, expected 2"),
        (["KQJ.JT8"], "expected --deck 7 or 7 KQJ.JT8"),
        (["KQJ.JT9", "AT9.AKQ"], "a position has six fields"),
        (["--deck", "hard", "KQJ.JT9"], "unknown deck 'hard', expected easy, standard"),
        (["--deck", "4", TRICK], "the position has 3 ranks, expected 4"),
        ([OVER], "the game is over: player 1 has won"),
        ([], "expected a deal such as KQJ.JT9, a position, or -"),
        (["--jsn", "KQJ.JT9"], "No such option '--jsn'"),
        (["-x", "KQJ.JT9"], "No such option '-x'"),
    ],
)
def test_bad_input(arguments, sentence):
    status, output, error = challenge("solve", *arguments)
    assert (status, output) == (2, "")
    assert sentence in error.splitlines()[-1]
    assert error.splitlines()[-1].startswith("Error: ")


@pytest.mark.parametrize("arguments", [["--deck", "9", "AK.Q"], ["--deck", "9", "-"]])
def test_no_table(arguments):
    status, output, error = challenge("solve", "--method", "table", *arguments, stdin="AK.Q\nA.K\n")
    assert (status, output) == (3, "")
    assert error.count("\n") == 1
    assert "no table for" in error


# Standard input.


def test_stream():
    lines = [
        "# deals",
        "AK.Q",
        "",
        TRICK,
        "  ",
        "ak.q\r",
        OVER,
        "AK.X",
        DRAW,
        "9 " + "x" * 8,
        "-.-",
    ]
    status, output, error = challenge(
        "solve", "--deck", "5", "-", stdin="\ufeff" + "\n".join(lines)
    )
    assert status == 1
    assert [line.split(":")[0] for line in output.splitlines()] == [
        "5 AK.Q",
        "5 AK.Q",
        DRAW,
        "5 -.-",
    ]
    assert [line.split(":")[0] for line in error.splitlines()] == [
        f"line {number}" for number in (4, 7, 8, 10)
    ]


def test_summary_of_a_line():
    stdin = f"{TRICK}\n{DRAW}\n1 A.-.-.- -.A.A.A SD 1 -\n"
    assert challenge("solve", "-", stdin=stdin) == (
        0,
        f"{TRICK}: player 1 wins in 6 tricks; best pickup\n"
        f"{DRAW}: a draw, neither player can force a win; best A♦ K♦\n"
        "1 A.-.-.- -.A.A.A SD 1 -: player 1 wins at once; best A♠\n",
        "",
    )


def test_bad_bytes_are_a_bad_line():
    status, output, error = challenge("solve", "--deck", "3", "-", stdin=b"AK.Q\n\xff\xfe\nA.K")
    assert (status, output.count("\n")) == (1, 2)
    assert error.startswith("line 2: ")


def test_missing_table_is_a_bad_line_among_positions():
    status, output, error = challenge(
        "solve", "--method", "table", "-", stdin=f"{Deal.parse('A.K', 9).position()}\n{TRICK}\n"
    )
    assert (status, output.count("\n")) == (1, 1)
    assert error.startswith("line 1: there is no table")


def test_compiled_solver_gives_the_same_answers(monkeypatch):
    monkeypatch.setattr("solver.solver.PATIENCE", 0.0)
    rng = random.Random(5)
    asked = []
    for _ in range(60):
        position = random_deal(3, rng).position()
        while not position.winner:
            chosen = position
            if rng.random() < 0.1:
                break
            position = position.apply(rng.choice(position.legal_actions()))
        asked.append(chosen)
    status, output, _ = challenge(
        "solve", "--json", "--line", "-", stdin="\n".join(map(str, asked))
    )
    assert status == 0
    for number, (line, position) in enumerate(zip(output.splitlines(), asked, strict=True), 1):
        place = {"line_number": number, "input": str(position), "seconds": ANY}
        assert json.loads(line) | place == solve(position, line=True).to_dict() | place


def test_answers_come_while_the_stream_is_open():
    with subprocess.Popen(
        [*COMMAND, "solve", "--json", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        for distance in (6, 6):
            process.stdin.write(f"{TRICK}\n".encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["distance"] == distance
        process.stdin.close()
        assert process.wait() == 0


def test_reader_that_leaves():
    with subprocess.Popen(
        [*COMMAND, "deal", "--count", "100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("arguments", "closed"), [(["solve", "KQJ.JT9"], "output"), (["solve", "-"], "input")]
)
def test_closed_streams(arguments, closed):
    code = f"import sys; sys.std{closed[:-3]} = None; from cli.main import main; main()"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, cwd=ROOT)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: standard {closed} is closed, expected ".encode())
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, "deal"], stdout=full, stderr=subprocess.PIPE, cwd=ROOT)
    assert done.returncode == 2
    assert done.stderr.startswith(b"Error: standard output: ")


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (KeyboardInterrupt(), (130, "", "Error: interrupted\n")),
        (MemoryError("1 TiB"), (2, "", "Error: not enough memory: 1 TiB\n")),
        (
            OSError(5, "Input/output error", "a.file"),
            (2, "", "Error: a.file: Input/output error\n"),
        ),
    ],
)
def test_failures_become_a_sentence_and_a_status(failure, expected, monkeypatch):
    def fail(*arguments):
        raise failure

    monkeypatch.setattr("cli.deal.random_deal", fail)
    assert challenge("deal") == expected


# Deals.


@pytest.mark.parametrize(("deck", "ranks"), [("easy", 6), ("standard", 8), ("10", 10)])
def test_deal(deck, ranks):
    arguments = ["deal", "--deck", deck, "--seed", "7", "--count", "3"]
    _, output, _ = challenge(*arguments)
    rng = random.Random(7)
    assert output.splitlines() == [str(random_deal(ranks, rng)) for _ in range(3)]
    _, as_positions, _ = challenge(*arguments, "--position")
    for one, other in zip(output.splitlines(), as_positions.splitlines(), strict=True):
        assert Deal.parse(one).position() == Position.parse(other)


def test_deals_differ_without_seed():
    assert challenge("deal", "--count", "5") != challenge("deal", "--count", "5")
    assert challenge("deal")[1].count("\n") == 1


def test_deals_are_input_of_solve():
    """Each is solved as the deal that was dealt, whatever its deck."""
    decks = {
        deck: challenge("deal", "--deck", deck, "--count", "20", "--seed", "1")[1]
        for deck in ("1", "4", "5", "standard")
    }
    status, answers, _ = challenge("solve", "-", stdin="".join(decks.values()))
    assert status == 0
    asked = [line for output in decks.values() for line in output.splitlines()]
    assert [line.split(":")[0] for line in answers.splitlines()] == asked
    for deck, output in decks.items():
        positions = challenge("deal", "--deck", deck, "--count", "20", "--seed", "1", "--position")
        assert [str(Deal.parse(line).position()) for line in output.splitlines()] == (
            positions[1].splitlines()
        )


def test_negative_seeds_are_refused():
    """They would give the same deals as positive ones."""
    assert challenge("deal", "--seed", "-1")[0] == 2


# Tables.


@pytest.fixture
def built(tmp_path):
    """The tables of 2 ranks, built by the command: their directory."""
    status, output, error = challenge("table", "build", "--ranks", "2", "-o", str(tmp_path / "two"))
    assert (status, error) == (0, "")
    assert [line.split(":")[0] for line in output.splitlines()] == [
        str(tmp_path / name) for name in ("two", "two.distance")
    ]
    return tmp_path


def test_built_tables_are_those_of_the_package(built):
    for name, kind in (("two", "outcome"), ("two.distance", "distance")):
        assert (built / name).read_bytes() == table_path(2, kind).read_bytes()
    assert sorted(path.name for path in built.iterdir()) == ["two", "two.distance"]


def test_build_without_distances(tmp_path):
    arguments = ["--ranks", "2", "--no-distances", "--threads", "1", "-o", str(tmp_path / "two")]
    assert challenge("table", "build", *arguments)[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["two"]
    assert (tmp_path / "two").read_bytes() == table_path(2, "outcome").read_bytes()
    status, output, _ = challenge("table", "verify", str(tmp_path / "two"))
    assert status == 0
    assert "the outcomes of" in output


def test_build_with_what_is_known(built, tmp_path):
    arguments = ["table", "build", "--known", "-o"]
    assert challenge(*arguments, str(tmp_path / "again"), "--ranks", "2")[0] == 0
    for name in ("", ".distance"):
        assert (tmp_path / f"again{name}").read_bytes() == (built / f"two{name}").read_bytes()
    status, _, error = challenge(*arguments, str(tmp_path / "nine"), "--ranks", "9")
    assert status == 3
    assert "there is no table for decks of 9 ranks" in error


def test_build_that_is_interrupted_writes_nothing(tmp_path, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "__call__", interrupt)
    assert challenge("table", "build", "--ranks", "2", "-o", str(tmp_path / "two")) == (
        130,
        "",
        "Error: interrupted\n",
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("output", ["nowhere/two", "", ".", "pipe", "two.distance"])
def test_build_that_cannot_write_says_so_first(tmp_path, output, monkeypatch):
    monkeypatch.setattr("solver.complete.build.build_tables", None)
    monkeypatch.chdir(tmp_path)
    if output == "pipe":
        os.mkfifo(output)
    output = output if output == "." else f"{tmp_path}/{output}"
    status, _, error = challenge("table", "build", "--ranks", "2", "-o", output)
    assert status == 2
    assert re.match("Error: (the outcomes )?cannot (be written to|write) .*\n$", error)


@pytest.mark.parametrize("how", [[], ["--full"], ["--sample", "50"]])
def test_verify(built, how):
    for which in ([str(built / "two")], ["--ranks", "2"]):
        status, output, error = challenge("table", "verify", *which, *how)
        assert (status, error) == (0, "")
        number = "50 random" if "--sample" in how else "158"
        assert f"the outcomes and distances of {number} positions" in output


def test_verify_finds_a_contradiction(tmp_path):
    """A table whose check sums are right and one of whose entries is wrong."""
    distances = bytearray(b"".join(Table(table_path(2, "distance")).content()))
    place = distances.index(3)
    distances[place] = 4
    size = slice_bytes(2, "distance")
    slices = [bytes(distances[i : i + size]) for i in range(0, len(distances), size)]
    shutil.copy(table_path(2, "outcome"), tmp_path / "two")
    write_table(tmp_path / "two.distance", 2, "distance", (159, 95, 0), slices)
    status, output, error = challenge("table", "verify", str(tmp_path / "two"))
    assert (status, output) == (1, "")
    assert re.match("Error: the table calls 2 .* in .*, which does not follow .*\n$", error)


@pytest.mark.parametrize("command", ["info", "verify"])
@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: data[:-1], "truncated"),
        (lambda data: data[:20] + b"x" + data[21:], "altered"),
        (lambda data: b"", "empty"),
        (lambda data: b"#!/bin/sh\n" + data, "no table file"),
    ],
)
def test_broken_table(built, command, damage, sentence):
    path = built / "two"
    path.write_bytes(damage(path.read_bytes()))
    status, output, error = challenge("table", command, str(path))
    assert (status, output) == (2, "")
    assert re.match(f"Error: .*{sentence}.*\n$", error)


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        ([], 2, "Expected either a FILE or --ranks"),
        (["--ranks", "2", "some.file"], 2, "Expected either a FILE or --ranks"),
        (["--ranks", "2", "--full", "--sample", "5"], 2, "Expected only one of --sample and"),
        (["--ranks", "2", "--sample", "5", "--checkpoint", "c"], 2, "for a full check, not for"),
        (["--ranks", "2", "--checkpoint", "no/folder"], 2, "no/folder"),
        (["--ranks", "2", "--checkpoint", "."], 2, "not a regular file"),
        (
            ["--ranks", "2", "--checkpoint", str(table_path(2, "outcome"))],
            2,
            "would be the same file",
        ),
        (["--ranks", "9"], 3, "there is no table for decks of 9 ranks"),
        (["no.file"], 2, "cannot read the table no.file"),
        ([str(table_path(2, "distance"))], 2, "kind distance for 2 ranks, expected the kind out"),
    ],
)
def test_verify_of_nothing(arguments, status, sentence):
    result = challenge("table", "verify", *arguments)
    assert result[:2] == (status, "")
    assert sentence in result[2]


def test_distances_of_another_deck(built):
    shutil.copy(table_path(3, "distance"), built / "two.distance")
    status, _, error = challenge("table", "verify", str(built / "two"))
    assert status == 2
    assert "of the kind distance for 3 ranks, expected the kind distance for 2 ranks" in error


def test_info(built):
    path = built / "two"
    assert challenge("table", "info", str(path)) == (
        0,
        f"file       {path}\n"
        "kind       outcome\n"
        "ranks      2\n"
        "positions  254\n"
        "wins       159 (of the leader)\n"
        "losses     95\n"
        "draws      0\n"
        f"bytes      {path.stat().st_size}\n"
        f"SHA-256    {Table(path).digest} (of the content)\n",
        "",
    )


def test_list_of_tables():
    _, output, _ = challenge("table", "info")
    rows = [line.split() for line in output.splitlines()[1:]]
    assert ["6", "outcome", "16,777,214", "9,047,741", "7,728,842", "631"] in [r[:6] for r in rows]


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("screen", [Screen(), io.StringIO()])
def test_progress_bar_only_on_a_terminal(screen, monkeypatch):
    monkeypatch.setattr("sys.stderr", screen)
    with Progress() as progress:
        progress(0.5, "half")
        progress(0.6, "too soon to show")
    shown = "\r[" + "#" * 15 + "-" * 15 + "]  50%  half\x1b[K\r\x1b[K"
    assert screen.getvalue() == (shown if screen.isatty() else "")
