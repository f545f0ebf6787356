"""The kernels run without a compiler as well, so that they can be stepped through and covered."""

import os
import subprocess
import sys
from pathlib import Path

HELPERS = Path(__file__).parents[1] / "helpers"


def test_kernels_as_plain_python():
    path = os.pathsep.join([str(HELPERS), str(HELPERS.parents[1])])
    done = subprocess.run(
        [sys.executable, str(HELPERS / "plain_kernels.py")],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "all right\n", "")
