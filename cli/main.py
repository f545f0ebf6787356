"""The command `challenge`: its list of subcommands, each loaded only when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from cli.errors import exit_statuses
from engine.errors import GameError

COMMANDS = {
    "solve": ("cli.solve", "Who wins a deal or a position, in how many tricks, and how."),
    "deal": ("cli.deal", "Print random deals."),
    "table": ("cli.table", "Build, verify and describe complete solutions of a deck."),
    "play": ("cli.play", "Play a game or a match, people and programs."),
    "games": ("cli.games", "List the games, their options and the players."),
    "replay": ("cli.replay", "Check and show recorded games."),
    "tournament": ("cli.tournament", "Let programs play many games against each other."),
    "batch": ("cli.batch", "Solve many deals, a record of each, and what they come to."),
    "report": ("cli.report", "Draw what a batch has found."),
    "bench": ("cli.bench", "Measure search, build, probe and solve speed."),
}
"""Subcommand -> (module that defines a click command of the same name, one line for `--help`)."""


class Challenge(click.Group):
    """A group that imports a subcommand when it is called: `challenge --help` loads no solver."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(COMMANDS[name][0]), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        with exit_statuses():
            return super().invoke(ctx)


@click.group(cls=Challenge, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="challenge-solver", prog_name="challenge")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Solve, analyse and play Challenge (Besicovitch's Svoyi Kozyri) and related card games."""
    if sys.stdout is None:  # so Python has it where it is closed
        raise GameError("standard output is closed, expected it open")
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        ctx.color = False
