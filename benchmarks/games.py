"""How many random games a second each variant plays, on one core.

`any` draws every action from the legal ones with the same chance, as the player `random` does. He
picks up so often that many games reach their limit; that share is in the table, and so is the
length, because the time of a game is that of its actions. `eager` picks up or passes only when
there is nothing else to do. Seconds are those of the processor.
"""

from __future__ import annotations

import random
import time
from typing import Any

import click

from benchmarks.report import json_option, print_report, title
from engine.game import load_game

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("svoyi_kozyri", {"players": 2}),
    ("svoyi_kozyri", {"players": 2, "two_trumps": True}),
    ("svoyi_kozyri", {"players": 3}),
    ("svoyi_kozyri", {"players": 4}),
    ("svoyi_kozyri", {"players": 4, "pickup": "fixed"}),
    ("svoyi_kozyri", {"players": 4, "after_pickup": "lead"}),
    ("svoyi_kozyri", {"players": 4, "memory": "plays"}),
    ("hund", {}),
    ("kozel", {}),
]


def measure(name: str, options: dict[str, Any], eager: bool, games: int) -> dict[str, Any]:
    """The row of one variant; the deals come from the seeds 0, 1, 2, …"""
    game = load_game(name, **options)
    rng = random.Random(1)
    actions = limited = 0
    started = time.process_time()
    for seed in range(games):
        state = game.initial(seed)
        count = 0
        while not state.is_terminal and count < game.limit:
            legal = state.legal_actions()
            if eager and len(legal) > 1 and legal[-1] in ("pickup", "pass"):
                legal = legal[:-1]
            state = state.apply(rng.choice(legal))
            count += 1
        actions += count
        limited += not state.is_terminal
    seconds = time.process_time() - started
    return {
        "game": title(name, options),
        "plays": "eager" if eager else "any",
        "games/s": games / seconds,
        "actions/s": actions / seconds,
        "actions": round(actions / games),
        "at limit, %": round(100 * limited / games),
    }


@click.command(help=__doc__)
@click.option("--games", type=click.IntRange(1), default=500, help="Games of each variant.")
@json_option
def main(games: int, as_json: bool) -> None:
    print_report(
        [measure(*variant, eager, games) for eager in (False, True) for variant in VARIANTS],
        as_json,
    )


if __name__ == "__main__":
    main()
