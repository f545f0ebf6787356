"""How strong the player `search` is without tables.

    python -m benchmarks.search_player moves
    python -m benchmarks.search_player won
    python -m benchmarks.search_player games --ranks 10 --against pimc

*moves*: positions from games in which nobody gives away a win; of those that are won for the
player to move, and in which a move can lose that, how many moves of `search` keep it? *won*:
random deals that the player to move wins, against `perfect`. *games*: random deals, both seats.
Tables are hidden from `search` only. Intervals are Wilson's, of 95 %; games of one deal are
counted as if they were independent.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click

from benchmarks.report import json_option, print_report
from cli.seats import KNOWN
from engine.arena.interval import share_interval
from engine.arena.play import Play, steps, taking_turns
from engine.game import Game, load_game
from engine.players.player import Player, make_player
from engine.position import Position
from solver import Outcome, Solver, Tables
from solver.search_player import SearchPlayer


def wilson(part: int, whole: int) -> str:
    """The interval of a share."""
    low, high = share_interval(part, whole)
    return f"{low:.1%} to {high:.1%}"


def outcome(solver: Solver, position: Position) -> Outcome:
    return solver.solve(position).outcome


def moves(player: SearchPlayer, games: int, seed: int) -> dict[str, Any]:
    """The row on single moves."""
    solver = Solver(method="table", outcomes_only=True, compiled=True)
    rng = random.Random(seed)
    kept = total = 0
    spent = 0.0
    for _ in range(games):
        position = player.game.initial(rng.randrange(1 << 30))
        for _ in range(60):
            if position.winner:
                break
            solution = solver.solve(position)
            if solution.outcome == Outcome.WIN and len(solution.best) < len(solution.moves):
                player.begin()
                started = time.process_time()
                kept += player.choose(position, rng) in solution.best
                spent += time.process_time() - started
                total += 1
            some = rng.random() < 0.5
            position = position.apply(
                position.rule_of_thumb(solution.best) if some else rng.choice(solution.best)
            )
    return {
        "won positions": total,
        "kept": kept,
        "share": kept / total,
        "interval": wilson(kept, total),
        "CPU seconds a move": spent / total,
    }


def play(
    player: SearchPlayer, other: Player, games: int, seed: int, only_won: bool
) -> dict[str, Any]:
    """The row on whole games; `only_won`: of deals that `player`, to move, wins."""
    game = player.game
    solver = Solver(method="table", outcomes_only=True) if only_won else None
    counts: Counter[float] = Counter()
    lengths = []
    deal = seed
    while counts.total() < games:
        deal += 1
        start = game.initial(deal)
        if solver and outcome(solver, start) != Outcome.WIN:
            continue
        for seat in (start.turn,) if solver else (1, 2):
            order = [player, other] if seat == 1 else [other, player]
            played = Play(game, start)
            for _ in steps(played, taking_turns(order, deal)):
                pass
            counts[played.returns()[seat - 1]] += 1
            lengths.append(played.actions)
    whole = counts.total()
    return {
        "games": whole,
        "won": counts[1.0],
        "drawn": counts[0.0],
        "lost": counts[-1.0],
        "won, interval": wilson(counts[1.0], whole),
        "median actions": sorted(lengths)[whole // 2],
        "longest": max(lengths),
    }


def row(
    what: str, game: Game, nodes: int, against: str, games: int, seed: int, hidden: Path
) -> dict[str, Any]:
    """What is asked for."""
    player = SearchPlayer(game, nodes=nodes, tables=Tables(hidden))
    if what == "moves":
        return moves(player, games, seed)
    if what == "won":
        return {"against": "perfect"} | play(
            player, make_player("perfect", game, KNOWN), games, seed, True
        )
    return {"against": against} | play(
        player, make_player(against, game, KNOWN), games, seed, False
    )


@click.command(help=__doc__)
@click.argument("what", type=click.Choice(["moves", "won", "games"]))
@click.option("--ranks", default=8, show_default=True)
@click.option("--nodes", default=10_000, show_default=True, help="Of a move.")
@click.option("--against", default="greedy", show_default=True, help="A player.")
@click.option("--games", default=100, show_default=True)
@click.option("--seed", default=0, show_default=True)
@json_option
def main(
    what: str, ranks: int, nodes: int, against: str, games: int, seed: int, as_json: bool
) -> None:
    game = load_game("challenge", ranks=ranks)
    with tempfile.TemporaryDirectory() as hidden:
        found = row(what, game, nodes, against, games, seed, Path(hidden))
    print_report([{"ranks": ranks, "nodes": nodes} | found], as_json)


if __name__ == "__main__":
    main()
