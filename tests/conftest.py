"""All tests: no deadlines, for busy machines, and no tables but those of the package.

`pytest` without files runs on all cores, each file in one process, so that what a file builds or
compiles is there for all of its tests; `-n 0` runs in one process. `HYPOTHESIS_PROFILE=thorough`
tries many more examples.
"""

import os
import shutil
import tempfile

import pytest
from hypothesis import settings

from solver.core.machine import cores

MOST_WORKERS = 8
"""Each loads a compiler, and there are not many more files that take long."""

settings.register_profile("quick", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

HOMES = {name: tempfile.mkdtemp(prefix="challenge-tests-") for name in ("DATA", "CACHE")}
os.environ |= {f"XDG_{name}_HOME": folder for name, folder in HOMES.items()}


def pytest_unconfigure():
    """Unpacked tables are large."""
    for folder in HOMES.values():
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def no_sync(monkeypatch):
    """Nothing waits for the disk: for tests of kills and locks, in which the system lives on."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Start workers for all tests. A few files are done before; slow tests take much memory."""
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if (
        everything
        and config.option.markexpr == "not slow"
        and config.pluginmanager.hasplugin("xdist")
        and not hasattr(config, "workerinput")  # this is no worker
        and config.option.numprocesses is None
        and not config.option.usepdb
        and cores() > 1
    ):
        config.option.numprocesses = min(cores(), MOST_WORKERS)
        config.option.dist = "loadfile"
