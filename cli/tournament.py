"""`challenge tournament`: programs against each other, results with their intervals."""

from __future__ import annotations

import json
from typing import Any

import click

from cli.human import Human
from cli.parameters import COUNT, GAME, SEED, option_option, players_option
from cli.progress import Progress
from cli.seats import parse_options, seat_players
from engine.arena.tournament import Tally, run
from engine.errors import GameError
from engine.game import load_game
from engine.text import counted


@click.command()
@click.argument("game", type=GAME)
@players_option("One per seat.", required=True)
@option_option
@click.option("--deals", type=COUNT, default=100, help="How many (default: 100).")
@click.option("--seed", type=SEED, default=0, help="Another seed, other games (default: 0).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def tournament(
    game: str, specs: str, pairs: tuple[str, ...], deals: int, seed: int, as_json: bool
) -> None:
    """Let programs play GAME: every deal once in each rotation of the seats.

    Prints for each player the number of games, the shares won, drawn and lost (a score above, at
    and below 0), and the mean score of a game with its 95% interval.

    \b
    Example:
      challenge tournament kozel --players pimc,greedy,pimc,greedy --deals 100
    """
    options = parse_options(pairs)
    rules = load_game(game, **options)
    names, players = seat_players(specs, rules)
    if any(isinstance(player, Human) for player in players):
        raise GameError("a tournament is for programs, expected no human among the players")
    every = counted(deals, "deal")
    with Progress() as progress:
        progress(0, f"0 of {every}")
        tallies = run(
            rules, players, deals, seed, lambda n: progress(n / deals, f"{n:,} of {every}")
        )
    results = [_result(name, tally) for name, tally in zip(names, tallies, strict=True)]
    if as_json:
        heading = {"game": game, "options": options, "deals": deals, "seed": seed}
        click.echo(json.dumps(heading | {"results": results}))
        return
    width = max(map(len, ["player", *names]))
    click.echo(f"{'player':{width}}  games     won   drawn    lost    mean  95% interval")
    for row in results:
        shares = (f"{row[key] / row['games']:7.1%}" for key in ("won", "drawn", "lost"))
        low_high = "{:+.3f} to {:+.3f}".format(*row["interval"])
        click.echo(
            f"{row['player']:{width}}  {row['games']:5} {' '.join(shares)}  {row['mean']:+.3f}  "
            f"{low_high}"
        )


def _result(name: str, tally: Tally) -> dict[str, Any]:
    return {
        "player": name,
        "games": tally.games,
        "won": tally.wins,
        "drawn": tally.games - tally.wins - tally.losses,
        "lost": tally.losses,
        "mean": tally.mean,
        "interval": tally.interval,
    }
