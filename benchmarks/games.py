"""How many random games per second each variant plays, on one core.

    python benchmarks/games.py [--games N] [--json]

Every action is drawn from the legal ones with the same chance, as the player `random` does. Random
players pick up so often that many games reach their limit; that share is in the table, and so is
the length, because the time of a game is that of its actions. The second table is of play that
picks up or passes only when there is nothing else to do. Seconds are those of the processor.
"""

import argparse
import json
import random
import time

from engine.game import load_game

VARIANTS = [
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


def uniform(state, rng):
    """Any legal action."""
    return rng.choice(state.legal_actions())


def eager(state, rng):
    """Any legal action but the last one, `pickup` or `pass`, if there is another."""
    actions = state.legal_actions()
    if len(actions) > 1 and actions[-1] in ("pickup", "pass"):
        actions = actions[:-1]
    return rng.choice(actions)


def measure(name, options, choose, games):
    """What is measured of one variant; the deals come from the seeds 0, 1, 2, …"""
    game = load_game(name, **options)
    rng = random.Random(1)
    actions = limited = 0
    start = time.process_time()
    for seed in range(games):
        state = game.initial(seed)
        count = 0
        while not state.is_terminal and count < game.limit:
            state = state.apply(choose(state, rng))
            count += 1
        actions += count
        limited += not state.is_terminal
    seconds = time.process_time() - start
    return {
        "game": name,
        "options": options,
        "choices": choose.__name__,
        "games_per_second": round(games / seconds, 1),
        "actions_per_second": round(actions / seconds),
        "actions_per_game": round(actions / games, 1),
        "limit": game.limit,
        "reached_limit": limited / games,
    }


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=500, help="games of each variant")
    parser.add_argument("--json", action="store_true", help="one object a line")
    arguments = parser.parse_args()
    for choose in (uniform, eager):
        if not arguments.json:
            print(f"\n{choose.__doc__}\n\n{'':44}  games/s  actions/s  actions  at limit")
        for name, options in VARIANTS:
            row = measure(name, options, choose, arguments.games)
            if arguments.json:
                print(json.dumps(row), flush=True)
                continue
            title = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
            print(
                f"{title:44}{row['games_per_second']:9.0f}{row['actions_per_second']:11,}"
                f"{row['actions_per_game']:9.0f}{row['reached_limit']:10.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
