"""Options of commands that look up or search: which of them, and the limits of a search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from cli.parameters import NODES, Choice, Seconds, Size
from engine.cards import deck_name
from solver.solver import METHODS

LIMITS = {"--time": "max_seconds", "--memory": "max_memory", "--nodes": "max_nodes"}
"""Options -> what `Solver` calls them."""


def limit_options(time: float | None, default: str | None = None) -> Callable[[Any], Any]:
    """The options `--method`, `--time`, `--memory` and `--nodes`, given on as `Solver` takes them.

    `time`: the seconds by default; `default`: what the help says of them instead.
    """

    def decorate(command: Any) -> Any:
        for option in reversed(
            (
                click.option(
                    "--method",
                    type=Choice(METHODS),
                    default="auto",
                    show_default=True,
                    help="Look up a table or search; auto searches for decks without a table.",
                ),
                click.option(
                    "--time",
                    "max_seconds",
                    type=Seconds(),
                    default=time,
                    show_default=default or True,
                    metavar="SECONDS",
                    help="Stop the search for a position after so long; inf: no limit.",
                ),
                click.option(
                    "--memory",
                    "max_memory",
                    type=Size(),
                    default="1G",
                    show_default=True,
                    metavar="SIZE",
                    help="Let a search take no more memory than this, such as 500M or 8G.",
                ),
                click.option(
                    "--nodes",
                    "max_nodes",
                    type=NODES,
                    metavar="N",
                    help="Stop a search after so many nodes; without another limit, always with "
                    "the same answer.",
                ),
            )
        ):
            command = option(command)
        return command

    return decorate


def check_effect(
    ctx: click.Context, looks_up: bool, searches: bool, ranks: int | None, line: str | None
) -> None:
    """Raise a usage error for an option that cannot have an effect.

    `looks_up`, `searches`: whether all is looked up or searched; `ranks`: the deck; None for lines
    that may be of several; `line`: the option, if given, that takes a table.
    """
    deck = deck_name(ranks) if ranks else "every deck"
    if line and searches:
        raise click.UsageError(f"{line} takes a table, but {deck} is searched, expected no {line}.")
    for option, name in LIMITS.items():
        if looks_up and ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option} limits a search, but {deck} is looked up in a table, "
                f"expected no {option}, or --method search."
            )
