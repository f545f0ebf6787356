"""Without a place for compiled code everything works, and one sentence says why it is slow."""

import os
import subprocess
from pathlib import Path

import pytest
from command import COMMAND

from engine.deals import Deal
from solver.complete.table import find_table
from solver.core.jit import njit
from solver.solver import Solver

ROOT = Path(__file__).parents[2]
NOWHERE = {
    "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",  # which has no folder
    "HOME": "/dev/null",
    "XDG_DATA_HOME": "/dev/null",
    "XDG_CACHE_HOME": "/dev/null",
}
"""What a container or an installation of another user is like."""


def run_nowhere(*arguments, stdin=b""):
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    return subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env=environment | NOWHERE,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        "batch --deck 3 --all",
        pytest.param("table verify --ranks 3", marks=pytest.mark.slow),
        pytest.param("solve --method search 4 AK.Q", marks=pytest.mark.slow),
        pytest.param("bench --repeats 1 --ranks 3", marks=pytest.mark.slow),
    ],
)
def test_commands_without_a_cache(arguments):
    done = run_nowhere(*arguments.split())
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert done.stderr.count(b"Warning: there is no place to keep compiled code") == 1
    assert b"NUMBA_CACHE_DIR" in done.stderr
    assert b"Traceback" not in done.stderr


def test_many_lines_without_a_cache():
    done = run_nowhere("solve", "--json", "-", stdin=b"KQJ.JT9\n" * 3000)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"\n") == 3000
    assert done.stderr.count(b"\n") == 1


def test_a_single_answer_needs_no_cache():
    done = run_nowhere("solve", "KQJ.JT9")
    assert (done.returncode, done.stderr) == (0, b"")


def test_other_errors_are_not_hidden():
    with pytest.raises(RuntimeError, match="something else"):

        @njit("int64(int64)", cache=True, pipeline_class=raising)
        def function(x):
            return x


def raising(*arguments, **options):
    raise RuntimeError("something else")


@pytest.fixture
def unreadable(tmp_path):
    """A folder of another user, while this process is nobody, or just may not read it."""
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield folder / "data"
    if root:
        os.seteuid(0)


def test_a_folder_that_cannot_be_read_has_no_tables(unreadable, monkeypatch):
    monkeypatch.setattr("solver.complete.table.user_folder", lambda: unreadable)
    with pytest.raises(PermissionError):
        (unreadable / "ranks6.progress").stat()
    assert find_table(6, "progress") is None
    assert Solver().solve(Deal.parse("KQJ.JT9")).distance == 47
