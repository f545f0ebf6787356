"""All tests: no deadlines, for busy machines, and no tables but those of the package.

`pytest` without files runs on all cores, each file in one process, so that what a file builds or
compiles is there for all of its tests. `HYPOTHESIS_PROFILE=thorough` tries many more examples.
"""

import os
import tempfile

import pytest
from hypothesis import settings

MOST_WORKERS = 8
"""Each loads a compiler, and there are not many more files that take long."""

settings.register_profile("quick", deadline=None, max_examples=50)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="challenge-tests-")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Some files are done before workers have started; slow tests take much memory."""
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not everything or config.option.markexpr != "not slow":
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST_WORKERS) if cores != 1 else 0
