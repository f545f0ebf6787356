"""Who plays what: games with options, and players by their specifications."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import GameError
from engine.game import Game
from engine.players.player import PLAYERS, Player, make_player
from engine.text import counted, quoted

KNOWN = PLAYERS | {
    "perfect": "solver.player:Perfect",
    "search": "solver.search_player:SearchPlayer",
    "human": "cli.human:Human",
}
"""All players: name -> "module:class", imported when asked for."""


def parse_options(pairs: Iterable[str]) -> dict[str, str]:
    """Options of a game written `KEY=VALUE`. Raises GameError."""
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        key = key.lower()
        if not equals or not key or key in options:
            raise GameError(f"option {quoted(pair)} is wrong, expected KEY=VALUE, each key once")
        options[key] = value
    return options


def has_people(specs: str) -> bool:
    """Whether there are people among the players written `a,b,…`."""
    return "human" in (spec.strip().lower() for spec in specs.split(","))


def seat_players(specs: str, game: Game) -> tuple[list[str], list[Player]]:
    """The names and the players written `a,b,…`, one for each seat. Raises GameError."""
    names = [spec.strip().lower() for spec in specs.split(",")]
    if len(names) != game.players:
        raise GameError(
            f"{counted(len(names), 'player')} in {quoted(specs)}, "
            f"expected {game.players} for {game.name}"
        )
    players = [make_player(name, game, KNOWN) for name in names]
    if any(name.partition(":")[0] in ("perfect", "search") for name in names):
        from cli.unpack import get_ready_to_play  # loads tables

        get_ready_to_play(game.options["ranks"])
    return names, players


def numbered(names: Iterable[str], kind: str = "player") -> list[str]:
    """Names with numbers: `player 1 (greedy)`."""
    return [f"{kind} {seat} ({name})" for seat, name in enumerate(names, start=1)]
