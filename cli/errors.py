"""Exit statuses, and the one place where an exception becomes one sentence and a status."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from engine.errors import ChallengeError

FAILED = 1
"""The command has done its work, but some lines were bad or a table is wrong."""
BAD_INPUT = 2
NO_TABLE = 3
UNDECIDED = 4
"""The command has done its work, but a search has ended without a result."""
INTERRUPTED = 130
LONGEST = 1000
"""Characters in a message; only what it quotes can be so long."""


@contextmanager
def exit_statuses() -> Iterator[None]:
    """Turn what a command raises into one sentence on standard error and an exit status.

    Click handles its own exceptions, and a broken pipe, which ends the command quietly.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            yield
        sys.stdout.flush()
    except click.ClickException as error:
        message = error.format_message()
        if printable(message) == message:
            raise
        raise click.UsageError(printable(message), getattr(error, "ctx", None)) from None
    except (click.exceptions.Exit, BrokenPipeError):
        raise
    except KeyboardInterrupt:
        stop("interrupted", INTERRUPTED)
    except MemoryError as error:
        stop(f"not enough memory: {error}", BAD_INPUT)
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        stop("the system allows no more threads, expected room for some", BAD_INPUT)
    except OSError as error:
        name = "standard output" if error.filename is None else error.filename
        stop(f"{name}: {error.strerror or error}", BAD_INPUT)
    except ChallengeError as error:
        from solver.complete.table import MissingTable  # not needed unless something failed

        stop(str(error), NO_TABLE if isinstance(error, MissingTable) else BAD_INPUT)


def stop(sentence: str, status: int) -> NoReturn:
    """End the command with one sentence on standard error."""
    click.echo(f"Error: {printable(sentence)}", err=True)
    click.get_current_context().exit(status)


def printable(message: str) -> str:
    """A message without the control characters of what it quotes, and not endless."""
    text = "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in message)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _warn(message: Warning | str, *where: Any, **more: Any) -> None:
    click.echo(f"Warning: {message}", err=True)
