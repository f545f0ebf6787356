"""The command `challenge`: its list of subcommands, loaded only when they are called, and its errors."""

from __future__ import annotations

import importlib
from typing import Any

import click

from engine.game import GameError

COMMANDS = {
    "solve": ("cli.solve", "Who wins a deal or a position, in how many tricks, and how."),
    "deal": ("cli.deal", "Print random deals."),
    "table": ("cli.table", "Build, verify and describe complete solutions of a deck."),
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
        """Run a subcommand; bad input becomes one sentence and exit status 2."""
        try:
            return super().invoke(ctx)
        except GameError as error:
            failure = click.ClickException(str(error))
            failure.exit_code = 2
            raise failure from None


@click.group(cls=Challenge, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="challenge-solver", prog_name="challenge")
def main() -> None:
    """Solve, analyse and play Challenge (Besicovitch's Svoyi Kozyri) and related card games."""
