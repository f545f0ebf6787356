"""The command `challenge`: its list of subcommands, each loaded only when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click
from click.shell_completion import CompletionItem

from cli.errors import exit_statuses
from cli.parameters import Group
from engine.errors import GameError

COMMANDS = {
    "solve": ("cli.solve", "Who wins a deal or a position, in how many tricks, and how."),
    "explore": ("cli.explore", "Look at deals and positions in the browser."),
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


class Challenge(Group):
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

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [
            CompletionItem(name, help=text)
            for name, (_, text) in COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def invoke(self, ctx: click.Context) -> Any:
        occupy_closed_streams()
        with exit_statuses():
            return super().invoke(ctx)


def occupy_closed_streams() -> None:
    """Keep files from becoming standard input, output or error; write errors nowhere."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # becomes the lowest that is free
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


@click.group(cls=Challenge, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="challenge-solver", prog_name="challenge")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Solve, analyse and play Challenge (Besicovitch's Svoyi Kozyri) and related card games.

    \b
    Exit status:
      0    all went well
      1    some lines of the input were bad, or a table is wrong
      2    bad input
      3    there is no table for this deck
      4    a position stayed undecided
      130  interrupted

    \b
    To complete commands, decks, games, players and files with the Tab key, in bash
    (or zsh; fish: _CHALLENGE_COMPLETE=fish_source challenge | source):
      eval "$(_CHALLENGE_COMPLETE=bash_source challenge)"
    """
    if sys.stdout is None:  # it is closed
        raise GameError("standard output is closed, expected it open")
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        ctx.color = False


if __name__ == "__main__":
    main(prog_name="challenge")
