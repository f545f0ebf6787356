"""Without a place for compiled code everything works, and one sentence says why it is slow."""

import errno
import os
import pickle
import subprocess
import warnings
from pathlib import Path

import numba
import pytest
from command import COMMAND
from numba.core import caching

from engine.deals import Deal
from solver.complete.table import find_table
from solver.core import jit
from solver.core.jit import njit
from solver.solver import Solver

NO_ROOM = os.strerror(errno.ENOSPC)
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
        pytest.param("batch --deck 3 --all", marks=pytest.mark.slow),
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
    done = run_nowhere("solve", "--json", "-", stdin=b"KQJ.JT9\n" * 9000)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"\n") == 9000
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"Warning: there is no place to keep compiled code")
    assert b"NUMBA_CACHE_DIR" in done.stderr


def test_a_single_answer_needs_no_cache():
    done = run_nowhere("solve", "KQJ.JT9")
    assert (done.returncode, done.stderr) == (0, b"")


def compiled():
    """A function that is compiled here, and what is said of it."""
    jit._say_once.cache_clear()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")

        @jit.njit(cache=True)
        def times(x, y):  # compiled for others
            return x * y

        @jit.njit("int64(int64)", cache=True)
        def double(x):
            return times(x, 2)

    return double, [str(warning.message) for warning in said]


def failing_once(monkeypatch, at):
    """Makes call number `at` of the cache to the system fail; the calls so far."""
    calls = []

    def failing(call):
        def instead(*arguments, **options):
            calls.append(call)
            if len(calls) == at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return call(*arguments, **options)

        return instead

    monkeypatch.setattr(caching, "open", failing(open), raising=False)
    monkeypatch.setattr(caching.os, "replace", failing(os.replace))
    monkeypatch.setattr(caching.pickle, "dump", failing(pickle.dump))
    return calls


def test_the_disk_fills_while_compiled_code_is_kept(tmp_path, monkeypatch):
    """Every call fails once: the code runs, and a sentence says why it is not kept."""
    for at in range(1, 50):
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / f"{at}"))
        with pytest.MonkeyPatch.context() as patch:
            calls = failing_once(patch, at)
            double, said = compiled()
        assert double(3) == 6
        if len(calls) < at:
            assert not said
            break
        (sentence,) = said
        assert sentence.startswith(f"the cache of compiled code cannot be used: {NO_ROOM}, so")
        assert not list(tmp_path.rglob("*.tmp.*"))
        assert compiled()[1] == []  # the next one can keep it
    assert at > 6


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_cache(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert compiled()[1] == []
    for content in (b"", b"nonsense", b"\x80"):
        for path in tmp_path.rglob(f"*.{ending}"):
            path.write_bytes(content)
        double, (sentence,) = compiled()
        assert double(3) == 6
        assert sentence.startswith("the cache of compiled code cannot be used: it is damaged, so")


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
