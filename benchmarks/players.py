"""How much better the player `greedy` is than `random`, over 2,000 seeded games of each variant.

In every game one player is of the other kind than the rest, in Kozel one side. Every deal is
played in all rotations of the seats. `won`, `lost` and `score` (the mean of what the game returns)
are those of the one, `interval` the 95% interval of the score; for equals it would be 0.

Several random players of Svoyi Kozyri or Hund seldom come to an end: most of their games are drawn
at the limit, so a greedy one among them wins few, and loses next to none.
"""

from __future__ import annotations

from typing import Any

import click

from benchmarks.report import json_option, print_report, title
from engine.arena.tournament import run
from engine.game import load_game
from engine.players.player import make_player

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("challenge", {}),
    ("svoyi_kozyri", {"players": 2}),
    ("svoyi_kozyri", {"players": 2, "two_trumps": True}),
    ("svoyi_kozyri", {"players": 3}),
    ("svoyi_kozyri", {}),
    ("svoyi_kozyri", {"pickup": "fixed"}),
    ("svoyi_kozyri", {"after_pickup": "lead"}),
    ("svoyi_kozyri", {"score": "first_out"}),
    ("hund", {}),
    ("kozel", {}),
]


def seats(first: str, rest: str, game: str, players: int) -> list[str]:
    """One `first` among `rest`, or one side in Kozel."""
    return [first, rest] * 2 if game == "kozel" else [first, *[rest] * (players - 1)]


def measure(
    name: str, options: dict[str, Any], first: str, rest: str, games: int
) -> dict[str, Any]:
    """The row of one variant."""
    game = load_game(name, **options)
    players = [make_player(spec, game) for spec in seats(first, rest, name, game.players)]
    tally = run(game, players, -(-games // game.players), seed=1)[0]
    return {
        "game": title(name, options),
        "players": f"{first} among {rest}",
        "games": tally.games,
        "won": tally.wins / tally.games,
        "lost": tally.losses / tally.games,
        "score": tally.mean,
        "interval": tally.interval,
    }


@click.command(help=__doc__)
@click.option("--games", default=2000, help="Games of each row.")
@json_option
def main(games: int, as_json: bool) -> None:
    rows = []
    for name, options in VARIANTS:
        rows.append(measure(name, options, "random", "greedy", games))
        if load_game(name, **options).players > 2 and name != "kozel":
            rows.append(measure(name, options, "greedy", "random", games))
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
