"""Optional packages."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]


def need(module: str, extra: str) -> None:
    """Raise a usage error that says what to install if a module is missing."""
    if find_spec(module) is None:
        raise click.UsageError(f"This needs {module}, expected: {install(extra)}")


def install(extra: str) -> str:
    """The command that installs an extra: from the clone that this runs in, if it is one."""
    if (ROOT / "pyproject.toml").exists():
        here = "." if Path.cwd() == ROOT else str(ROOT)
        return f"pip install -e '{here}[{extra}]'"
    return f"pip install 'challenge-solver[{extra}]'"
