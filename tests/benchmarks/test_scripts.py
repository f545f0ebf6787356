"""Every script in `benchmarks` runs, on the smallest deck that it takes."""

import importlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import run_all

SMALL = {
    "command_line": ["--lines", "2", "--repeats", "1"],
    "defence": ["--ranks", "3", "--games", "2"],
    "estimate": ["--ranks", "4", "--sample", "400", "--games", "1"],
    "evaluation": ["--ranks", "3", "--ranks", "4", "--sample", "1000"],
    "explore": ["--requests", "40", "--clients", "2"],
    "games": ["--games", "1"],
    "learn_estimate": ["--ranks", "4", "--steps", "3"],
    "oracle": ["--ranks", "3", "--deals", "2"],
    "packed": ["--build", "3"],
    "players": ["--games", "1"],
    "search_player": ["moves", "--ranks", "4", "--nodes", "50", "--games", "3"],
}
"""Arguments of scripts that need no test of their own: they check what they print."""
OTHERS = {"ablation", "build", "family", "plain", "results", "run_all", "search"}


def run(name, *arguments):
    """What a script prints on standard output."""
    script = importlib.import_module(f"benchmarks.{name}")
    done = CliRunner().invoke(script.main, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def rows_of(name, *arguments):
    """The rows that a script prints as JSON."""
    return json.loads(run(name, "--json", *arguments))["rows"]


def test_all_scripts_are_here():
    files = Path(run_all.__file__).parent.glob("*.py")
    assert {path.stem for path in files} - {"__init__", "report"} == SMALL.keys() | OTHERS


@pytest.mark.parametrize("name", SMALL)
def test_rows(name):
    first, *others = rows_of(name, *SMALL[name])
    assert all(row.keys() == first.keys() for row in others)


def test_table():
    machine, empty, *table = run("games", "--games", "1").splitlines()
    assert "cores" in machine
    assert not empty
    assert len(table) == 1 + len(rows_of("games", "--games", "1"))


def test_ablation():
    """That all builds come out the same is checked by the script itself."""
    rows = rows_of("ablation", "--ranks", "3")
    assert [row["build"] for row in rows] == ["outcomes"] * 10 + ["distances"] * 2
    assert all(row["nodes"] >= rows[0]["nodes"] for row in rows)
    assert len({row["nodes"] for row in rows[:10]}) > 5


def test_build():
    rows = rows_of("build", "--ranks", "3", "--repeats", "1")
    assert {row["nodes"] for row in rows if row["solution"] == "outcomes"} == {11533}
    assert all(row["table"] > 0 for row in rows)


def test_plain():
    """That the solutions are equal is checked by the script itself."""
    rows = rows_of("plain", "--ranks", "3")
    assert [row["method"] for row in rows] == ["build", "lowest", "plain"] * 2
    assert {row["rounds"] for row in rows[:3]} == {5}
    assert {row["rounds"] for row in rows[3:]} == {18}
    for _, lowest, plain in (rows[:3], rows[3:]):
        assert lowest["tests"] == plain["tests"]
        assert lowest["nodes"] < plain["nodes"]


def test_family():
    (row,) = rows_of("family", "--ranks", "4")
    assert (row["dealer wins"], row["dealer loses"], row["undecided"]) == (0, 16, 0)
    (row,) = rows_of("family", "--ranks", "6", "--short")
    assert (row["dealer wins"], row["dealer loses"], row["undecided"]) == (26, 4, 0)


def test_search(tmp_path):
    output = tmp_path / "reach.jsonl"
    arguments = "--ranks", "4", "--deals", "3", "--output", str(output)
    rows = rows_of("search", *arguments, "--seconds", "60")
    assert [(row["ranks"], row["deals"], row["within 60 s"]) for row in rows] == [(4, 3, "3 of 3")]
    before = output.read_text()
    assert len(before.splitlines()) == 3
    assert rows_of("search", *arguments, "--seconds", "600") == rows  # nothing is left to do
    assert output.read_text() == before


def test_results():
    lines = run("results", "--ranks", "3").splitlines()
    assert "| dealer wins | 52 | 784 | 28/33 = 0.848485 |" in lines
    assert "| all | 2,426 | 1,668 | 0 |" in lines


def test_run_all(tmp_path, monkeypatch):
    block = "<!-- run: challenge deal --deck {} --seed 1 -->\n{}<!-- end -->\n"
    readme = tmp_path / "README.md"
    monkeypatch.setattr(run_all, "README", readme)
    readme.write_text("a\n" + block.format("easy", "old\n") + "b\n" + block.format("2", "old\n"))
    run("run_all", "easy")
    deal = run_all.run_python("-c", run_all.COMMAND, "deal", "--deck", "easy", "--seed", "1")
    easy = block.format("easy", f"```text\n{deal.strip()}\n```\n")
    assert readme.read_text() == "a\n" + easy + "b\n" + block.format("2", "old\n")
