"""`challenge games`: the games, their options, and the players."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import click

from cli.seats import KNOWN
from engine.game import GAMES, load_game
from engine.players.player import player_class


@click.command()
def games() -> None:
    """List the games with their options, and the players."""
    click.echo("Games, with their options (--option KEY=VALUE):")
    for name in GAMES:
        cls = type(load_game(name))
        _entry(name, sys.modules[cls.__module__].__doc__, cls.option_help())
    click.echo("\nPlayers, with their options (NAME:KEY=VALUE):")
    for name in KNOWN:
        player = player_class(name, KNOWN)
        _entry(name, player.__doc__, player.option_help())


def _entry(name: str, text: str | None, options: Mapping[str, str]) -> None:
    """A name, the first line of a docstring, and options."""
    first, _, _ = (text or "").strip().partition("\n")  # none with python -OO
    click.echo(f"\n  {click.style(name, bold=True)}: {first}")
    if options:
        formatter = click.HelpFormatter(indent_increment=4)
        formatter.indent()
        formatter.write_dl(list(options.items()))
        click.echo(formatter.getvalue(), nl=False)
