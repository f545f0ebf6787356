"""Optional packages."""

from __future__ import annotations

from importlib.util import find_spec

import click


def need(module: str, extra: str) -> None:
    """Raise a usage error that says what to install if a module is missing."""
    if find_spec(module) is None:
        raise click.UsageError(
            f"This needs {module}, expected: pip install 'challenge-solver[{extra}]'"
        )
